//! What a process asks the network ([`Question`]), and what it is answered ([`Answer`]).

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::dns::{RecordType, Records};
pub use super::header::HeaderFields;
use super::passing::{Lack, Place};
use super::policy::Direction;
use super::protocol::Protocol;
use super::serving::{Serving, WHOLE};
use super::url::Url;
use crate::api::Key;

/// How often a packet may be passed on if nobody says (Linux' `net.ipv4.ip_default_ttl`).
pub const TTL: u8 = 64;

/// What a process asks the network. Each is one exchange over a connection of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Question {
    /// A query to a DNS server.
    Lookup {
        /// The server's address.
        server: IpAddr,
        /// The whole name, in lower case and without the dot at its end.
        name: Rc<str>,
        /// The type of the records.
        type_: RecordType,
    },
    /// A connection, or a datagram, and nothing that is said over it.
    Connect {
        /// The address and the port.
        to: SocketAddr,
        /// The protocol.
        protocol: Protocol,
    },
    /// An echo request (ICMP).
    Echo {
        /// The address.
        to: IpAddr,
        /// How often it may be passed on before it is given up (`TTL`), [`TTL`] if nobody says.
        ttl: u8,
        /// The size of the packet in bytes, if nobody may cut it into pieces (`IP_DF`); `None` if that may be done.
        whole: Option<u16>,
    },
    /// An HTTP request.
    Fetch {
        /// The address and the port.
        to: SocketAddr,
        /// Whether the client speaks TLS.
        tls: bool,
        /// The header `Host`.
        host: Rc<str>,
        /// The method.
        method: Rc<str>,
        /// The path with the query.
        path: Rc<str>,
        /// The other header fields that the client was told to send.
        headers: HeaderFields,
        /// What else belongs to the request.
        extras: Rc<Extras>,
    },
}

/// What belongs to an HTTP request beside its first line and the header fields that its client was told to send. It is no part of the
/// text of a question, by which connections are spread.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Extras {
    /// What the client calls itself, if no header field says so (`User-Agent`).
    pub agent: Rc<str>,
    /// Whose certificates it takes.
    pub trust: Trust,
    /// The name that a certificate has to be for: the host of the URL. Empty if the client looks at no certificate.
    pub name: Rc<str>,
    /// The body.
    pub body: Rc<str>,
}

impl Extras {
    /// What belongs to a request for a URL.
    pub fn of(agent: &str, url: &Url, trust: Trust, body: &str) -> Rc<Extras> {
        let name = if trust == Trust::Anything { "" } else { &*url.host };
        Rc::new(Extras { agent: agent.into(), name: name.into(), trust, body: body.into() })
    }
}

/// Whose certificates a client of TLS takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trust {
    /// Any certificate, or the client does not speak TLS.
    #[default]
    Anything,
    /// Those that an authority has signed which everybody knows.
    System,
    /// Those that an authority of this file has signed.
    Authority(Rc<str>),
}

/// Why a client does not take a server's certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistrust {
    /// It does not know the authority that has signed it.
    Issuer,
    /// It is for other names.
    Name,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Lookup { server, name, type_ } => write!(f, "{name} {} @{server}", type_.as_str()),
            Question::Connect { to, protocol } => write!(f, "{}/{to}", protocol.name()),
            Question::Echo { to, ttl, whole } => {
                write!(f, "ICMP/{to}")?;
                if *ttl != TTL {
                    write!(f, " ttl {ttl}")?;
                }
                whole.map_or(Ok(()), |bytes| write!(f, " {bytes} bytes in one piece"))
            }
            Question::Fetch { to, tls, host, method, path, headers, extras: _ } => {
                let scheme = if *tls { "https" } else { "http" };
                write!(f, "{method} {scheme}://{host}{path} @{to}")?;
                headers.iter().try_for_each(|(name, value)| write!(f, " {name}: {value}"))
            }
        }
    }
}

/// What a question is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// What the DNS server says; `None` if no server answers in time.
    Records(Option<Records>),
    /// What becomes of a connection. There are several replies if the address is a Service's with several endpoints; then
    /// [`Answer::pick`] says which of them the nth connection meets.
    Replies {
        /// The replies, at least one.
        replies: Rc<[Reply]>,
        /// Where the choice of replies begins.
        seed: u64,
    },
}

/// Who has not heard yet that an endpoint is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Behind {
    /// The rules of the node of who asks: kube-proxy has not written the newer ones.
    Rules,
    /// The proxy that a request came by ([`Reply::via`]): its controller has not told it the newer list.
    Proxy,
}

/// One of the things that can become of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Its share of all connections, relative to the shares of the other replies.
    pub share: u32,
    /// Who was reached, if the address was translated to another one.
    pub endpoint: Option<SocketAddr>,
    /// What became of it.
    pub outcome: Outcome,
    /// Why, if it was not accepted.
    pub because: Because,
    /// Who led to an endpoint that the EndpointSlices do not name any more; `None` if they name it.
    pub behind: Option<Behind>,
    /// The proxy that a request came by, if it came by one. The endpoint is then the one that the proxy asked.
    pub via: Option<Rc<Via>>,
    /// The address from which the request seems to come where it arrives, if a node that it was sent to from outside has led it there.
    pub source: Option<IpAddr>,
    /// The node that a load balancer in front of the cluster has sent it to, if one has, and the address to which.
    pub balanced_to: Option<(Rc<str>, SocketAddr)>,
}

/// A proxy that a request came by: a pod of an ingress controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Via {
    /// The proxy's pod.
    pub pod: Key,
    /// Where it was reached.
    pub at: SocketAddr,
    /// Where the request belongs by its configuration.
    pub place: Place,
    /// Why it had nobody to ask.
    pub lack: Option<Lack>,
    /// What it asked the endpoint that it asked last; `None` if it answers by itself.
    pub asked: Option<Question>,
    /// The endpoints that it had asked before, in vain.
    pub failed: Vec<SocketAddr>,
    /// The endpoint that it would ask next if the one that answers ended meanwhile.
    pub next: Option<SocketAddr>,
}

impl Reply {
    /// What another request meets that goes over the connection which has met this. A server that answers a part of the requests with
    /// errors draws for each of them: the seed is that of the client's connections, and the requests are counted from 0.
    pub fn anew(self, seed: u64, nth: u64) -> Reply {
        let Outcome::Answered(response) = &self.outcome else { return self };
        let Some(errors) = response.by.as_ref().and_then(|by| by.errors) else { return self };
        let status = errors.status(seed.wrapping_add(GOLDEN.wrapping_mul(nth.wrapping_add(1))));
        if status == response.status {
            return self;
        }
        let outcome = Outcome::Answered(Rc::new(Response { status, ..(**response).clone() }));
        Reply { outcome, ..self }
    }

    /// The pod of the proxy that the request came by.
    pub fn through(&self) -> Option<Key> {
        self.via.as_ref().map(|via| via.pod.clone())
    }

    /// What every connection meets.
    pub fn of_all(outcome: Outcome, because: Because) -> Reply {
        Reply {
            share: 1,
            endpoint: None,
            outcome,
            because,
            behind: None,
            via: None,
            source: None,
            balanced_to: None,
        }
    }
}

/// Why a connection was not accepted, or that somebody else answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Because {
    /// It was accepted, or nothing is known of it.
    #[default]
    Nothing,
    /// The Service has no endpoints.
    NoEndpoints,
    /// The Service has no such port.
    NoSuchPort,
    /// Nobody in the pod listens on the port.
    NotListening,
    /// The container that would listen does not run.
    NotRunning,
    /// The container that would listen has ended by itself, and its kubelet does not know that yet, or has not come to report it.
    NotNoticed,
    /// The container has got SIGTERM, and has closed its ports.
    Stopping,
    /// Nobody has the address any more.
    Gone,
    /// The node with the address is cut off.
    CutOff,
    /// NetworkPolicies do not allow it: those of the sender (`Egress`) or of the receiver (`Ingress`).
    Policy(Direction),
    /// The network plugin makes no routes to pods of other nodes.
    NoRoute,
    /// The endpoint is on another node than the one that was asked, which has not put its own address in the place of the sender's. So
    /// the answer goes straight to the sender, from an address that the sender has not asked.
    Astray,
    /// It was passed on as often as it may be. The endpoint of the reply is the machine that says so.
    Expired,
    /// It is larger than the sender's interface takes, which is so many bytes, and may not be cut into pieces.
    TooLarge(u16),
    /// It was accepted by a server whose configuration passes the request on. What comes of that, the network of the cluster says.
    PassedOn,
}

/// What becomes of one connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nobody listens on the port, or a rule rejects the packet.
    Refused,
    /// The packet is dropped on its way, and nothing comes back.
    TimedOut,
    /// No machine has the address.
    Unreachable,
    /// The connection was accepted and then closed without a response: the client reads the end of the data.
    Closed,
    /// The connection was accepted, and nothing is known of who speaks there.
    Connected,
    /// The connection was accepted, and the client has ended it because of the server's certificate.
    Untrusted(Mistrust),
    /// The HTTP server answers.
    Answered(Rc<Response>),
}

/// The answer of an HTTP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The name of the server's program, for the header `Server`; empty if it sends none.
    pub server: Rc<str>,
    /// The header `Content-Type`; empty if it sends none.
    pub content_type: Rc<str>,
    /// The body.
    pub body: Rc<str>,
    /// The header `Location`; empty if it sends none.
    pub location: Rc<str>,
    /// Other header fields.
    pub headers: HeaderFields,
    /// How long the server takes.
    pub takes: SignedDuration,
    /// For how long the body goes on when all of it is there that is known: a watch. Mostly no time.
    pub goes_on: SignedDuration,
    /// The process that answers; `None` if nothing is known of it.
    pub by: Option<Rc<Serving>>,
}

/// 2^64 divided by the golden ratio. Multiples of it, modulo 2^64, fall evenly over the whole range.
pub(super) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Answer {
    /// How many bytes the bodies have that it brings.
    pub fn bytes(&self) -> usize {
        let Answer::Replies { replies, .. } = self else { return 0 };
        let of = |reply: &Reply| match &reply.outcome {
            Outcome::Answered(response) => response.body.len(),
            _ => 0,
        };
        replies.iter().map(of).sum()
    }

    /// An answer that every connection gets.
    pub fn always(outcome: Outcome) -> Answer {
        Answer::Replies { replies: Rc::new([Reply::of_all(outcome, Because::Nothing)]), seed: 0 }
    }

    /// The same answer for somebody who has opened so many connections before.
    pub fn after(self, connections: u64) -> Answer {
        match self {
            Answer::Replies { replies, seed } => {
                Answer::Replies { replies, seed: seed.wrapping_add(GOLDEN.wrapping_mul(connections)) }
            }
            Answer::Records(_) => self,
        }
    }

    /// The reply that the nth connection meets, counted from 0. The replies come in proportion to their shares, in an order
    /// that depends on the answer's seed alone. `None` if the answer is the DNS'.
    pub fn pick(&self, nth: u64) -> Option<&Reply> {
        let Answer::Replies { replies, .. } = self else { return None };
        replies.get(self.spread()?.place(nth)?)
    }

    /// How connections are spread over the replies; `None` if the answer is the DNS'.
    pub fn spread(&self) -> Option<Spread> {
        let Answer::Replies { seed, replies } = self else { return None };
        let all: u128 = replies.iter().map(|r| u128::from(r.share)).sum();
        let mut shares = 0_u128;
        let bound = |r: &Reply| {
            shares += u128::from(r.share);
            (shares * WHOLE).checked_div(all).unwrap_or(WHOLE)
        };
        Some(Spread { seed: *seed, bounds: replies.iter().map(bound).collect() })
    }
}

/// How connections are spread over the replies of an answer: each reply has a part of the numbers from 0 to 2^64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    seed: u64,
    /// Where the part of each reply ends; it begins where that of the reply before ends.
    bounds: Vec<u128>,
}

impl Spread {
    /// The number that stands for the nth connection.
    fn number(&self, nth: u64) -> u64 {
        self.seed.wrapping_add(GOLDEN.wrapping_mul(nth.wrapping_add(1)))
    }

    /// The place of the reply that the nth connection meets.
    pub fn place(&self, nth: u64) -> Option<usize> {
        let at = u128::from(self.number(nth));
        let place = self.bounds.partition_point(|end| *end <= at);
        (place < self.bounds.len()).then_some(place)
    }

    /// How many of the connections with these numbers meet the reply in a place. It takes as long for a million of them as for
    /// ten.
    pub fn picks(&self, place: usize, range: std::ops::Range<u64>) -> u64 {
        let Some(to) = self.bounds.get(place).copied() else { return 0 };
        let from = place.checked_sub(1).and_then(|before| self.bounds.get(before).copied()).unwrap_or(0);
        let first = u128::from(self.number(range.start));
        let many = u128::from(range.end.saturating_sub(range.start));
        // Of the numbers first, first + GOLDEN, … modulo 2^64, those that are less than `to` but not less than `from`.
        let below = |bound: u128| match bound {
            0 => 0,
            bound if bound >= WHOLE => many,
            bound => {
                let wraps = floor_sum(many, u128::from(GOLDEN), first);
                let shifted = floor_sum(many, u128::from(GOLDEN), first + (WHOLE - bound));
                many - (shifted - wraps)
            }
        };
        u64::try_from(below(to) - below(from)).unwrap_or(0)
    }

    /// The part of the numbers that the reply in a place has, of 2^64.
    pub fn part(&self, place: usize) -> u128 {
        let before = place.checked_sub(1).and_then(|before| self.bounds.get(before).copied()).unwrap_or(0);
        self.bounds.get(place).map_or(0, |end| end - before)
    }

    /// How many of the connections with these numbers meet the reply in each place, those that none meets left out.
    pub fn counts(&self, range: &std::ops::Range<u64>) -> Vec<(usize, u64)> {
        let many = range.end.saturating_sub(range.start);
        if many >= self.bounds.len() as u64 {
            let all = (0..self.bounds.len()).map(|place| (place, self.picks(place, range.clone())));
            return all.filter(|(_, taken)| *taken > 0).collect();
        }
        let mut all = std::collections::BTreeMap::new();
        for place in range.clone().filter_map(|n| self.place(n)) {
            *all.entry(place).or_default() += 1;
        }
        all.into_iter().collect()
    }
}

/// The sum of ⌊(a·i + b) / 2^64⌋ for all i from 0 to n - 1, for a less than 2^64 and b less than 2^65, by Euclid's algorithm.
fn floor_sum(n: u128, a: u128, b: u128) -> u128 {
    let (mut n, mut m, mut a, mut b) = (n, WHOLE, a, b);
    let mut sum = 0_u128;
    loop {
        if a >= m {
            sum = sum.wrapping_add(n.wrapping_mul(n.wrapping_sub(1)) / 2 * (a / m));
            a %= m;
        }
        if b >= m {
            sum = sum.wrapping_add(n * (b / m));
            b %= m;
        }
        let top = a * n + b;
        if top < m {
            return sum;
        }
        (n, b) = (top / m, top % m);
        (m, a) = (a, m);
    }
}

/// The reason phrase of a status code, as servers send it.
pub fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        418 => "I'm a teapot",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn replies_come_in_proportion_to_their_shares() {
        let reply = |share, port| Reply {
            share,
            endpoint: Some(([10, 244, 0, 1], port).into()),
            ..Reply::of_all(Outcome::Connected, Because::Nothing)
        };
        for seed in [0, 7, u64::MAX / 3] {
            let answer = Answer::Replies { replies: Rc::new([reply(1, 1), reply(2, 2), reply(1, 3)]), seed };
            let mut counts = [0; 3];
            for n in 0..4000 {
                let port = answer.pick(n).unwrap().endpoint.unwrap().port();
                counts[usize::from(port) - 1] += 1;
            }
            for (count, share) in counts.iter().zip([1000_i32, 2000, 1000]) {
                assert!((count - share).abs() < 20, "{counts:?}");
            }
            // To count is the same as to go through all of them.
            let spread = answer.spread().unwrap();
            for range in [0..1, 0..4000, 17..1234, 3000..3001, 5..5, 7..9] {
                let mut counts = spread.counts(&range);
                for place in 0..3 {
                    let one_by_one = range.clone().filter(|n| spread.place(*n) == Some(place)).count();
                    assert_eq!(spread.picks(place, range.clone()), one_by_one as u64, "{range:?} {place}");
                    if one_by_one > 0 {
                        assert_eq!(counts.remove(0), (place, one_by_one as u64));
                    }
                }
                assert_eq!(counts, []);
            }
        }
    }
}
