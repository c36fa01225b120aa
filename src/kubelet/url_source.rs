//! What a kubelet remembers of the URL of its static pods, and what one request there comes to ([`http_source`](super::http_source) says
//! when it asks).

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use super::manifest_url::ManifestUrl;
use super::timings::later;
use crate::api::types::Pod;
use crate::api::{Key, MetaExt, Timestamp};
use crate::network::question::reason;
use crate::network::resolver::{NODE_DNS, ResolvConf};
use crate::network::traffic::{Cause, Client, Names};
use crate::network::{Answer, Outcome, Question, Reply};
use crate::shell::Answers;

/// For how long the kubelet waits for an answer.
const TIMEOUT: SignedDuration = SignedDuration::from_secs(10);
/// The most that is read of an answer, in bytes (`maxConfigLength`).
const MAX_CONFIG_LENGTH: usize = 10 << 20;
/// What a machine knows of names by itself.
const HOSTS: &str = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n";

/// What a kubelet remembers of the URL of its static pods.
#[derive(Clone, Debug, PartialEq)]
pub struct UrlSource {
    /// What it was told; the error of a flag with which it would not start, so that it has no such source.
    pub declared: Result<Rc<ManifestUrl>, Rc<str>>,
    /// When it asked last, or was to ask last, as what is planned in the background can come late; `None` before the first time.
    pub asked: Option<Timestamp>,
    /// Whether it waits for an answer.
    pub waits: bool,
    /// How often one of several endpoints was drawn for a new connection.
    pub connections: u64,
    /// The endpoint that it has a connection with.
    pub endpoint: Option<SocketAddr>,
    /// What it read last that was not empty; nothing is done with the same once more.
    pub data: Option<Rc<str>>,
    /// Whether it is not worked out yet which pods these data are.
    pub undecoded: bool,
    /// Its pods.
    pub pods: Rc<BTreeMap<Key, Rc<Pod>>>,
    /// Why the last request brought nothing; `None` if it did.
    pub error: Option<Rc<str>>,
    /// Why the kubelet takes no pods of the data. It says so once.
    pub refused: Option<Rc<str>>,
}

impl UrlSource {
    /// In how long it asks next, if there is a reason to.
    pub(super) fn next(&self, now: Timestamp) -> SignedDuration {
        let (Ok(declared), Some(asked)) = (&self.declared, self.asked) else { return SignedDuration::ZERO };
        let frequency = declared.frequency.as_nanos().max(1);
        let late = now.duration_since(asked).as_nanos().max(0) % frequency;
        let left = if late == 0 { 0 } else { frequency - late };
        SignedDuration::from_nanos(i64::try_from(left).unwrap_or(i64::MAX))
    }

    /// When it asks or should have asked, if it asks at a moment: its requests are as far from each other as it was told.
    pub(super) fn due(&self, declared: &ManifestUrl, now: Timestamp) -> Timestamp {
        let Some(asked) = self.asked else { return now };
        let late = now.duration_since(asked).as_nanos().max(0) % declared.frequency.as_nanos().max(1);
        later(now, SignedDuration::from_nanos(i64::try_from(late).unwrap_or(0).saturating_neg()))
    }

    /// Why it has no pods, or others than the URL answers with; `None` if there is no reason.
    pub fn failure(&self) -> Option<&Rc<str>> {
        self.declared.as_ref().err().or(self.error.as_ref()).or(self.refused.as_ref())
    }

    /// What decides what it does next, for the kubelet's memory.
    pub fn line(&self, now: Timestamp) -> String {
        let declared = match &self.declared {
            Ok(declared) => format!("{} {:?} every {:?}", declared.text, declared.header, declared.frequency),
            Err(why) => why.to_string(),
        };
        let pods: Vec<String> =
            self.pods.iter().map(|(key, p)| format!("{key} {}", p.metadata.uid())).collect();
        let UrlSource { waits, connections, endpoint, error, refused, .. } = self;
        format!(
            "reads static pods from {declared}: {pods:?} {error:?} {refused:?} waits {waits} connection {connections} with {endpoint:?} next in {:?}",
            self.next(now)
        )
    }
}

/// What one request comes to.
pub(super) enum Found {
    /// This has to be asked first.
    Open(Question),
    /// It failed, and this is why.
    Failed(Rc<str>),
    /// It was answered with these data.
    Data(Rc<str>),
}

/// Whether a reply is one that pods can be in.
pub(super) fn is_data(reply: &Reply) -> bool {
    matches!(&reply.outcome, Outcome::Answered(r) if r.status == 200 && r.takes <= TIMEOUT)
}

fn names() -> Names {
    let conf = ResolvConf::parse(&format!("nameserver {}\n", NODE_DNS));
    Names { conf, hosts: HOSTS.into() }
}

impl UrlSource {
    /// One request (`extractFromURL`).
    pub(super) fn request(
        &mut self,
        declared: &ManifestUrl,
        answers: &BTreeMap<Question, Answers>,
        now: Timestamp,
    ) -> Found {
        let url = match &declared.url {
            Ok(url) => url,
            Err(why) => return Found::Failed(why.clone()),
        };
        let (client, names) = (Client::once(url), names());
        if let Some(open) = client.open(&names, answers, now) {
            return Found::Open(open);
        }
        let failed = |why: &str| Found::Failed(declared.failed(why));
        if let Some(cause) = client.nowhere(&names, answers, now) {
            let why = if cause == Cause::NoSuchName { "no such host" } else { "server misbehaving" };
            return failed(&format!("dial tcp: lookup {} on {}:53: {why}", url.host, NODE_DNS));
        }
        let Some((question, answer)) = client.fetched(&names, answers, now) else { return failed("EOF") };
        let Answer::Replies { replies, .. } = answer else { return failed("EOF") };
        // Go's client keeps its connection, so the same endpoint answers as long as it does.
        let kept = self.endpoint.and_then(|e| replies.iter().find(|r| r.endpoint == Some(e) && is_data(r)));
        let drawn = || {
            let Some(reply) = answer.pick(self.connections) else { return replies.first() };
            // Where there is one endpoint only, nothing is drawn.
            self.connections = self.connections.saturating_add(u64::from(replies.len() > 1));
            Some(reply)
        };
        let Some(reply) = kept.or_else(drawn) else { return failed("EOF") };
        self.endpoint = reply.endpoint.filter(|_| is_data(reply));
        let to = match question {
            Question::Fetch { to, .. } => to.to_string(),
            _ => String::new(),
        };
        match &reply.outcome {
            Outcome::Refused => failed(&format!("dial tcp {to}: connect: connection refused")),
            Outcome::Unreachable => failed(&format!("dial tcp {to}: connect: no route to host")),
            Outcome::TimedOut => failed(GAVE_UP),
            Outcome::Untrusted(_) => failed(UNTRUSTED),
            Outcome::Connected if url.tls => failed(UNTRUSTED),
            Outcome::Closed | Outcome::Connected => failed("EOF"),
            Outcome::Answered(response) if response.takes > TIMEOUT => failed(GAVE_UP),
            // No server of a pod has a certificate that a machine trusts.
            Outcome::Answered(response) if url.tls && response.by.is_some() => failed(UNTRUSTED),
            Outcome::Answered(response) if response.status != 200 => {
                let status = format!("{} {}", response.status, reason(response.status));
                Found::Failed(format!("{}: {}", declared.text, status.trim_end()).into())
            }
            Outcome::Answered(response) if response.body.len() >= MAX_CONFIG_LENGTH => {
                Found::Failed("the read limit is reached".into())
            }
            Outcome::Answered(response) => Found::Data(response.body.clone()),
        }
    }

    /// Takes what was read.
    pub(super) fn read(&mut self, declared: &ManifestUrl, found: Found) {
        self.waits = false;
        match found {
            Found::Open(_) => {}
            Found::Failed(why) => self.error = Some(why),
            Found::Data(data) if data.is_empty() => {
                self.pods = Rc::default();
                self.error = Some(format!("zero-length data received from {}", declared.text).into());
            }
            // The same data are not looked at again, also if they were refused, or if the pods were ended meanwhile.
            Found::Data(data) if self.data.as_ref() == Some(&data) => self.error = None,
            Found::Data(data) => {
                self.error = None;
                self.data = Some(data);
                self.undecoded = true;
            }
        }
    }
}

const GAVE_UP: &str = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
const UNTRUSTED: &str = "tls: failed to verify certificate: x509: certificate signed by unknown authority";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::network::url::Url;

    /// `extractFromURL` in `pkg/kubelet/config/http.go`: data like those of last time are not decoded again. An empty answer ends the
    /// pods and is not remembered as the last data, so the pods do not come back with the data of before.
    #[test]
    fn the_same_data_are_not_read_again() {
        let declared = ManifestUrl {
            text: "http://pods.example/".into(),
            url: Url::parse("http://pods.example/").map_err(|_| "".into()),
            header: Vec::new(),
            frequency: SignedDuration::from_secs(20),
        };
        let pods = BTreeMap::from([(Key::new("default", "web-node-1"), Rc::new(Pod::default()))]);
        let mut source = UrlSource {
            declared: Ok(Rc::new(declared.clone())),
            asked: None,
            waits: true,
            connections: 0,
            endpoint: None,
            data: None,
            undecoded: false,
            pods: Rc::default(),
            error: None,
            refused: None,
        };
        let read = |source: &mut UrlSource, text: &str| {
            source.read(&declared, Found::Data(text.into()));
            std::mem::take(&mut source.undecoded)
        };
        assert!(read(&mut source, "kind: Pod"), "new data are decoded");
        source.pods = Rc::new(pods);
        source.error = Some("EOF".into());
        assert!(!read(&mut source, "kind: Pod"));
        assert_eq!((source.error.clone(), source.pods.len()), (None, 1));
        assert!(!read(&mut source, ""));
        assert!(source.pods.is_empty() && source.error.is_some());
        assert!(!read(&mut source, "kind: Pod"));
        assert!(source.pods.is_empty(), "they are the data of last time");
        assert!(read(&mut source, "kind: PodList"));
    }
}
