//! A client as it is declared: how often it asks for what, and what it does when it is not answered.

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::{Timestamp, later};
use crate::network::question::{Extras, HeaderFields};
use crate::network::url::Url;

/// The most requests a second of one client.
pub const RATE_LIMIT: u32 = 10_000;

/// The most clients of one pod.
pub const CLIENTS_LIMIT: usize = 8;

/// How long a client waits for a response if it does not say: long, as most do.
const TIMEOUT: SignedDuration = SignedDuration::from_secs(30);

/// What the transport of Go's `net/http` calls itself (`defaultUserAgent` in `request.go`).
const GO: &str = "Go-http-client/1.1";

/// How many connections on which nothing is asked a client keeps, if it does not say: `DefaultMaxIdleConnsPerHost` of Go's
/// `net/http/transport.go`.
const IDLE_CONNECTIONS: u32 = 2;
/// For how long a client keeps a connection on which nothing is asked, if it does not say: `IdleConnTimeout` of Go's default transport.
const IDLE: SignedDuration = SignedDuration::from_secs(90);
/// The most connections that a client can be told to have.
const CONNECTIONS_LIMIT: u32 = 1000;

/// How a client keeps its connections, as the transport of Go's `net/http` does over HTTP/1.1: a request takes the connection that was
/// given back last, or else opens one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// How many connections it has at most (`MaxConnsPerHost`); a request waits if all of them are in use. `None` if any number.
    pub most: Option<u32>,
    /// How many connections on which nothing is asked it keeps (`MaxIdleConnsPerHost`).
    pub idle_most: u32,
    /// How long it keeps these (`IdleConnTimeout`).
    pub idle: SignedDuration,
}

/// A client that sends requests at regular intervals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// How many requests it sends in so much time.
    pub requests: u32,
    /// The time.
    pub per: SignedDuration,
    /// What it asks for.
    pub url: Url,
    /// How long it waits for a connection; `None` if as long as the system does.
    pub connect: Option<SignedDuration>,
    /// How long it waits for a response.
    pub timeout: SignedDuration,
    /// How often it sends a request again that has failed.
    pub retries: u32,
    /// Whether it sends nothing while it waits for an answer: a request that would be sent meanwhile is not.
    pub one_at_a_time: bool,
    /// How it keeps connections; `None` if each request has one of its own.
    pub keep: Option<Keep>,
    /// The header `Host`, if it is not the URL's.
    pub host: Option<Rc<str>>,
    /// The method.
    pub method: Rc<str>,
    /// The other header fields.
    pub headers: HeaderFields,
    /// What else belongs to each of its requests. A client that is declared takes any certificate.
    pub extras: Rc<Extras>,
}

/// Why the declaration of a client cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAClient(pub String);

impl std::fmt::Display for NotAClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotAClient {}

impl Client {
    /// How many requests it sends in a second.
    pub fn rate(&self) -> f64 {
        f64::from(self.requests) / self.per.as_secs_f64()
    }

    /// Reads clients: `20/s http://web/ timeout=1s retries=2 keep-alive`, several of them with `;` in between.
    ///
    /// # Errors
    /// What cannot be read, and what was expected.
    pub fn parse(text: &str) -> Result<Vec<Client>, NotAClient> {
        let all = text.split(';').map(str::trim).filter(|t| !t.is_empty());
        all.take(CLIENTS_LIMIT).map(Client::parse_one).collect()
    }

    /// A client that sends one request.
    pub fn once(url: &Url) -> Client {
        Client::regular(1, SignedDuration::from_secs(1), url.clone())
    }

    /// A client of Go's `net/http` that sends so many requests in so much time.
    pub fn regular(requests: u32, per: SignedDuration, url: Url) -> Client {
        Client {
            requests,
            per,
            url,
            connect: None,
            timeout: TIMEOUT,
            retries: 0,
            one_at_a_time: false,
            keep: None,
            host: None,
            method: "GET".into(),
            headers: HeaderFields::default(),
            extras: Rc::new(Extras { agent: GO.into(), ..Extras::default() }),
        }
    }

    fn parse_one(text: &str) -> Result<Client, NotAClient> {
        let mut words = text.split_whitespace();
        let rate = words.next().unwrap_or_default();
        let (number, unit) = rate.split_once('/').unwrap_or((rate, ""));
        let per = match unit {
            "s" => SignedDuration::from_secs(1),
            "m" => SignedDuration::from_mins(1),
            _ => return Err(NotAClient(format!("{rate:?} is no rate: expected for example 20/s or 30/m"))),
        };
        let requests = number.parse::<u32>().ok().filter(|n| (1..=RATE_LIMIT).contains(n));
        let Some(requests) = requests else {
            return Err(NotAClient(format!(
                "{number:?} is no number of requests between 1 and {RATE_LIMIT}"
            )));
        };
        let address = words.next().unwrap_or_default();
        let url = Url::parse(address).map_err(|_| NotAClient(format!("{address:?} is no URL of HTTP")))?;
        let mut client = Client::regular(requests, per, url);
        for word in words {
            client.option(word)?;
        }
        Ok(client)
    }

    /// Reads what stands behind the URL.
    fn option(&mut self, word: &str) -> Result<(), NotAClient> {
        let bad = || {
            let options = "timeout=DURATION, retries=NUMBER, host=NAME, keep-alive, connections=NUMBER or idle=DURATION";
            NotAClient(format!("{word:?} is none of {options}"))
        };
        let duration = |value: &str| {
            let nanos = crate::api::duration::parse(value).ok().filter(|n| *n > 0);
            nanos.map(SignedDuration::from_nanos).ok_or_else(bad)
        };
        let keep = self.keep.unwrap_or(Keep { most: None, idle_most: IDLE_CONNECTIONS, idle: IDLE });
        match word.split_once('=') {
            None if word == "keep-alive" => self.keep = Some(keep),
            Some(("timeout", value)) => self.timeout = duration(value)?,
            Some(("retries", value)) => {
                self.retries = value.parse::<u32>().ok().filter(|n| *n <= 10).ok_or_else(bad)?;
            }
            Some(("connections", value)) => {
                let number = value.parse::<u32>().ok().filter(|n| (1..=CONNECTIONS_LIMIT).contains(n));
                let number = number.ok_or_else(bad)?;
                self.keep = Some(Keep { most: Some(number), idle_most: number, ..keep });
            }
            Some(("host", value)) if !value.is_empty() => self.host = Some(value.into()),
            Some(("idle", value)) => self.keep = Some(Keep { idle: duration(value)?, ..keep }),
            _ => return Err(bad()),
        }
        Ok(())
    }

    /// When the nth request is sent, counted from 0, by a client that begins at a moment. The first one is sent after one period.
    pub fn sent(&self, start: Timestamp, nth: u64) -> Timestamp {
        let periods = (i128::from(nth) + 1).saturating_mul(self.per.as_nanos());
        let nanos = periods / i128::from(self.requests.max(1));
        later(start, SignedDuration::from_nanos(i64::try_from(nanos).unwrap_or(i64::MAX)))
    }

    /// How many requests were sent before a moment.
    pub fn before(&self, start: Timestamp, moment: Timestamp) -> u64 {
        self.until(start, later(moment, SignedDuration::from_nanos(-1)))
    }

    /// How many requests have been sent until a moment, which is included.
    pub fn until(&self, start: Timestamp, moment: Timestamp) -> u64 {
        let nanos = moment.duration_since(start).as_nanos().max(0);
        let per = self.per.as_nanos().max(1);
        // The nth request, counted from 0, is sent at ⌊(n + 1) · per / requests⌋.
        let sent = ((nanos + 1).saturating_mul(i128::from(self.requests)) - 1) / per;
        u64::try_from(sent.max(0)).unwrap_or(u64::MAX)
    }
}
