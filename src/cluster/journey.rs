//! The journey of one connection: which names are asked, what rules make of the address, and every place that the first packet
//! and the answer to it come by. It is made when somebody looks, from what is there at that moment, and changes nothing.

use std::cell::OnceCell;
use std::fmt;
use std::net::{IpAddr, SocketAddr};

use super::Cluster;
use super::api_door::Door;
use super::lookup::LookedUp;
use super::network::{Network, SOURCE_PORT, own_machine, protocol_of, sent_by};
use crate::api::{Key, MetaExt};
use crate::network::cni::{self, Barrier, Headers, Rules, Translation, Way};
use crate::network::policy::Denied;
use crate::network::proxy::{Chance, Origin, Packet, Verdict, Walk};
use crate::network::traffic::{Cause, Client};
use crate::network::url::Url;
use crate::network::{Answer, Because, Outcome, Question, Reply};

/// What became of one connection, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journey {
    /// The pod that asks; without a name if it is the person's own machine, which is outside of the cluster.
    pub from: Key,
    /// The names that it asked for, with what it was answered.
    pub names: Vec<(Question, Answer)>,
    /// What it asked then; `None` if the name leads nowhere.
    pub question: Option<Question>,
    /// The way of the first packet. `None` for what stays within the pod, and for the cluster's DNS where there is no Service of
    /// it.
    pub way: Option<Way>,
    /// The way of the answer to it; `None` if there is none.
    pub back: Option<Way>,
    /// The Service that the asked address is of, if it is one's.
    pub service: Option<Key>,
    /// What became of it: the endpoint that the rules chose, the outcome, and why.
    pub reply: Option<Reply>,
    /// Why a request is lost; `None` if it is answered, and where nothing was asked but a connection.
    pub cause: Option<Cause>,
    /// The journey of the request with which a proxy has passed it on, if one has.
    pub onward: Option<Box<Journey>>,
}

impl fmt::Display for Journey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (question, answer) in &self.names {
            match answer {
                Answer::Records(None) => writeln!(f, "{question}: no answer")?,
                Answer::Records(Some(r)) if r.status() != "NOERROR" => {
                    writeln!(f, "{question}: {}", r.status())?
                }
                Answer::Records(Some(r)) => {
                    let all: Vec<String> = r.addresses.iter().map(IpAddr::to_string).collect();
                    writeln!(f, "{question}: {}", all.join(" "))?;
                }
                // The port of the DNS server is closed.
                Answer::Replies { .. } => writeln!(f, "{question}: refused")?,
            }
        }
        if let Some(question) = &self.question {
            writeln!(f, "{question}")?;
        }
        if let Some(way) = &self.way {
            writeln!(f, "{way}")?;
        }
        if let Some(back) = &self.back {
            writeln!(f, "the answer:\n{back}")?;
        }
        if let Some(onward) = &self.onward {
            return write!(f, "passed on by {}\n{onward}", onward.from);
        }
        match &self.reply {
            Some(Reply { because: Because::Nothing, outcome, .. }) => f.write_str(&word(outcome)),
            Some(reply) => write!(f, "{}: {:?}", word(&reply.outcome), reply.because),
            None => f.write_str("no address"),
        }
    }
}

fn word(outcome: &Outcome) -> String {
    let word = match outcome {
        Outcome::Refused => "refused",
        Outcome::TimedOut => "timed out",
        Outcome::Unreachable => "unreachable",
        Outcome::Closed => "closed",
        Outcome::Connected => "connected",
        Outcome::Untrusted(_) => "untrusted",
        Outcome::Answered(response) => return format!("answered with {}", response.status),
    };
    word.to_owned()
}

/// What the nodes of a cluster make of the packet of one connection.
struct Nodes<'a> {
    network: Network<'a>,
    from: &'a Key,
    /// The endpoint that the connection is given.
    endpoint: Option<SocketAddr>,
    /// How many endpoints it could have been given.
    replies: usize,
}

impl Rules for Nodes<'_> {
    fn translate(&mut self, node: &str, headers: &Headers, origin: Origin, interface: &str) -> Translation {
        let nothing = Translation { lines: Vec::new(), verdict: Verdict::Unchanged };
        let Some(protocol) = headers.protocol else { return nothing };
        let rules = self.network.rules_of(&Key::new("", node), headers.destination);
        let packet = Packet {
            source: headers.source,
            destination: headers.destination,
            protocol,
            origin,
            interface: interface.to_owned(),
        };
        // The dice fall so that the packet comes to the endpoint that the connection is given.
        let kernel = self.network.affinity.kernel(node, headers.source.ip()).unwrap_or_default();
        let mut first: Option<Walk> = None;
        let all = u32::try_from(self.replies.max(1)).unwrap_or(u32::MAX);
        let falls = (0..all).flat_map(|n| {
            let n = f64::from(n);
            [1.0 / (n + 1.5), (n + 0.5) / f64::from(all)]
        });
        for fall in falls {
            // A walk that ends elsewhere is not remembered: it is not taken.
            let mut kernel = kernel.clone();
            let walk = rules.walk(&packet, self.network.now, &mut kernel, &mut || Chance::new(fall));
            let meant = match walk.verdict {
                Verdict::Endpoint { address, .. } => self.endpoint == Some(address),
                _ => true,
            };
            if meant {
                return translation(walk);
            }
            first.get_or_insert(walk);
        }
        first.map_or(nothing, translation)
    }

    fn deny(&mut self, at: Barrier<'_>) -> Option<Denied> {
        self.network.denied_at(self.from, &at)
    }
}

fn translation(walk: Walk) -> Translation {
    Translation { lines: walk.steps.into_iter().map(|s| s.text).collect(), verdict: walk.verdict }
}

/// Whether the packet is answered: by a server, or by the kernel of whoever has the address, which refuses the connection. An
/// answer that goes astray is sent, too.
fn comes_back(reply: &Reply) -> bool {
    match reply.outcome {
        Outcome::Answered(_)
        | Outcome::Untrusted(_)
        | Outcome::Connected
        | Outcome::Closed
        | Outcome::Refused => true,
        Outcome::TimedOut => reply.because == Because::Astray,
        Outcome::Unreachable => false,
    }
}

impl Cluster {
    /// The network as it is now. What is asked of it is noted nowhere.
    pub(super) fn network(&self) -> Network<'_> {
        Network {
            api: &self.api,
            processes: &self.processes,
            now: self.now(),
            plugin: self.plugin,
            core_dns: self.core_dns,
            noting: None,
            affinity: &self.affinity,
            remembering: None,
            memo: &self.memo,
            door: Door::reading(&self.traffic),
            controllers: OnceCell::new(),
            topology: OnceCell::new(),
            led_by: None,
            places: OnceCell::new(),
        }
    }

    /// What can become of a connection of a pod now, each with its share.
    #[cfg(test)]
    pub(crate) fn ask(&self, from: &Key, question: &Question) -> Vec<Reply> {
        match self.network().answer(from, question) {
            Answer::Replies { replies, .. } => replies.to_vec(),
            Answer::Records(_) => Vec::new(),
        }
    }

    /// The journey of a question of a pod; `None` if no node has the pod.
    pub fn journey(&self, from: &Key, question: &Question) -> Option<Journey> {
        self.journey_by(from, question, 0, 0)
    }

    /// The journey of the nth of several connections, counted from 0, with a question that `hops` proxies have passed on.
    fn journey_by(&self, from: &Key, question: &Question, nth: u64, hops: usize) -> Option<Journey> {
        let network = self.network();
        let to = match question {
            Question::Connect { to, .. } | Question::Fetch { to, .. } => *to,
            Question::Lookup { server, .. } => SocketAddr::new(*server, 53),
            Question::Echo { to, .. } => SocketAddr::new(*to, 0),
        };
        // A pod without an address of this family sends no packet.
        let sender = network.sender(from, to.ip());
        if sender.is_none() && network.names_of(from).is_none() {
            return None;
        }
        let answer = network.answer_by(from, question, hops);
        let asked = match question {
            // What became of the packet to the DNS server.
            Question::Lookup { server, .. } if network.is_sent_to(*server) => {
                network.packets(from, *server, super::network::seed_of(from, question))
            }
            _ => answer.clone(),
        };
        let reply = asked.pick(nth).cloned().map(|reply| network.meets_now(reply));
        let replies = match &asked {
            Answer::Replies { replies, .. } => replies.len(),
            Answer::Records(_) => 0,
        };
        let within = to.ip().is_loopback() || reply.is_none();
        let ways = sender.filter(|_| !within).map(|sender| {
            let headers = Headers {
                source: SocketAddr::new(sender.address, SOURCE_PORT),
                destination: to,
                protocol: protocol_of(question),
            };
            let by = sent_by(from, &sender, reply.as_ref().and_then(|r| r.balanced_to.clone()));
            // The rules lead to the proxy, which chooses the endpoint.
            let endpoint = reply.as_ref().and_then(|r| r.via.as_ref().map_or(r.endpoint, |via| Some(via.at)));
            let mut nodes = Nodes { network: self.network(), from, endpoint, replies };
            let topology = network.topology();
            let way = cni::way(topology, &by, headers, &mut nodes);
            let answers = reply.as_ref().is_some_and(comes_back);
            let back = answers.then(|| cni::back(topology, &by, &way)).flatten();
            (way, back)
        });
        let (way, back) = ways.map_or((None, None), |(way, back)| (Some(way), back));
        let names = match question {
            Question::Lookup { .. } => vec![(question.clone(), answer)],
            _ => Vec::new(),
        };
        let service = network.services_at(to).first().map(|s| s.metadata.key());
        // A proxy that may not pass the request on any more has asked nobody, so that a request that goes in circles ends.
        let via = reply.as_ref().and_then(|r| r.via.as_ref());
        let onward =
            via.and_then(|via| self.journey_by(&via.pod, via.asked.as_ref()?, nth, hops + 1)).map(Box::new);
        let question = Some(question.clone());
        Some(Journey { from: from.clone(), names, question, service, way, back, reply, cause: None, onward })
    }

    /// The journey of a request of a pod for a URL: the names first, as the C library asks them, then the request. `None` if no
    /// node has the pod.
    pub fn journey_to(&self, from: &Key, url: &Url) -> Option<Journey> {
        self.journey_of(from, &Client::once(url), 0)
    }

    /// The journey of the nth request of a client outside of the cluster, counted from 0: on the person's own machine.
    pub fn journey_from_outside(&self, client: &Client, nth: u64) -> Option<Journey> {
        self.journey_of(&own_machine(), client, nth)
    }

    /// The journey of the nth request of a client, counted from 0. `None` if no node has the pod.
    pub fn journey_of(&self, from: &Key, client: &Client, nth: u64) -> Option<Journey> {
        let network = self.network();
        let known = network.names_of(from)?;
        let LookedUp { names, answers, then } = network.look_up(from, &known, client);
        if let Some(question) = then {
            let journey = self.journey_by(from, &question, nth, 0)?;
            let cause = journey.reply.as_ref().and_then(|r| client.cause(r));
            return Some(Journey { names, cause, ..journey });
        }
        let cause = client.nowhere(&known, &answers, network.now);
        let from = from.clone();
        Some(Journey {
            from,
            names,
            question: None,
            service: None,
            way: None,
            back: None,
            reply: None,
            cause,
            onward: None,
        })
    }
}
