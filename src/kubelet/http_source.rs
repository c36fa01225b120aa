//! The pods that a kubelet has from a URL (`pkg/kubelet/config/http.go`): it asks there every 20 seconds, and runs the static pods
//! of the answer. A URL that does not answer, or answers with something else than pods, leaves the pods as they are; an empty answer
//! ends them.
//!
//! The request is a node's, over the simulated network. As long as its answer stays the same nothing can come of another request, so
//! the requests are planned in the background; the next one is a step when the network tells of another answer.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use super::manifest_url::ManifestUrl;
use super::pod_network::PodNetwork;
use super::state::State;
use super::task::{Cx, Kubelet, Task};
use super::timings::later;
use crate::api::types::Pod;
use crate::api::well_known::CONFIG_SOURCE_ANNOTATION;
use crate::api::{Key, MetaExt, Timestamp};
use crate::client::{Handler, Wait};
use crate::network::question::reason;
use crate::network::resolver::ResolvConf;
use crate::network::traffic::{Cause, Client, Names};
use crate::network::{Answer, Outcome, Question, Reply};
use crate::shell::Answers;

/// The name of the source in the annotation of its pods (`HTTPSource`).
pub(super) const SOURCE: &str = "http";
/// For how long the kubelet waits for an answer.
const TIMEOUT: SignedDuration = SignedDuration::from_secs(10);
/// The most that is read of an answer, in bytes (`maxConfigLength`).
const MAX_CONFIG_LENGTH: usize = 10 << 20;
/// The most questions that are remembered: a name that leads to another address again and again makes a new one each time.
const QUESTIONS_LIMIT: usize = 64;
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

/// Which pods the data are that a kubelet has read, for the kubelet, which cannot decode by itself. It is the data that
/// [`Component::fault`](crate::client::Component::fault) takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The data.
    pub data: Rc<str>,
    /// The pods, or why the kubelet takes none of them.
    pub pods: Result<Vec<Rc<Pod>>, Rc<str>>,
}

/// Whether a static pod comes from a URL.
pub fn is_from_url(pod: &Pod) -> bool {
    pod.metadata.annotation(CONFIG_SOURCE_ANNOTATION) == Some(SOURCE)
}

impl UrlSource {
    /// In how long it asks next, if there is a reason to.
    fn next(&self, now: Timestamp) -> SignedDuration {
        let (Ok(declared), Some(asked)) = (&self.declared, self.asked) else { return SignedDuration::ZERO };
        let frequency = declared.frequency.as_nanos().max(1);
        let late = now.duration_since(asked).as_nanos().max(0) % frequency;
        let left = if late == 0 { 0 } else { frequency - late };
        SignedDuration::from_nanos(i64::try_from(left).unwrap_or(i64::MAX))
    }

    /// When it asks or should have asked, if it asks at a moment: its requests are as far from each other as it was told.
    fn due(&self, declared: &ManifestUrl, now: Timestamp) -> Timestamp {
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

/// The kubelet hears of its Node: it may be told another URL than before, as if it had been started with that.
pub(super) fn node_seen(cx: &mut Handler<'_, State, Task>, node: &Rc<str>) {
    let told = cx.state.settings.manifest_url.clone();
    if cx.state.url.as_ref().map(|url| &url.declared) == told.as_ref() {
        return;
    }
    // Until the first answer the pods of before run on: a kubelet ends none before it has heard of each source.
    let pods = cx.state.url.as_ref().map(|url| url.pods.clone()).unwrap_or_default();
    forget_answers(cx.state, &Key::new("", node));
    cx.state.url = told.map(|declared| {
        let pods = if declared.is_ok() { pods } else { Rc::default() };
        Rc::new(UrlSource {
            declared,
            asked: None,
            waits: false,
            connections: 0,
            endpoint: None,
            data: None,
            undecoded: false,
            pods,
            error: None,
            refused: None,
        })
    });
    cx.enqueue(Task::Url(node.clone()));
}

/// Forgets the source and its pods, as a kubelet does that ends.
pub(super) fn forget(state: &mut State, node: &Key) {
    if state.url.take().is_none() {
        return;
    }
    let stay = state.static_pods.iter().filter(|(_, pod)| !is_from_url(pod));
    state.static_pods = stay.map(|(key, pod)| (key.clone(), pod.clone())).collect();
    forget_answers(state, node);
}

/// Forgets what was asked, and the answers.
fn forget_answers(state: &mut State, node: &Key) {
    if state.network.contains_key(node) {
        state.network.remove(node);
    }
}

/// The kubelet hears what the network answers, for the first time or because it is another answer now.
pub(super) fn heard(cx: &mut Handler<'_, State, Task>, node: &Rc<str>) {
    let Some(url) = cx.state.url.clone() else { return };
    let after = if url.waits { SignedDuration::ZERO } else { url.next(cx.now) };
    // What was planned in the background has to take place now.
    cx.cancel(Task::Url(node.clone()));
    cx.enqueue_after(Task::Url(node.clone()), after);
}

/// The kubelet hears which pods it has read.
pub(super) fn note(cx: &mut Handler<'_, State, Task>, node: &Rc<str>, decoded: &Decoded) -> bool {
    let Some(url) = cx.state.url.as_mut().filter(|url| url.data.as_ref() == Some(&decoded.data)) else {
        return false;
    };
    let url = Rc::make_mut(url);
    url.undecoded = false;
    match &decoded.pods {
        Ok(pods) => {
            let mut all = BTreeMap::new();
            for pod in pods {
                // Of two pods with the same name the first one counts (`filterInvalidPods`).
                all.entry(pod.metadata.key()).or_insert_with(|| pod.clone());
            }
            url.pods = Rc::new(all);
            url.refused = None;
        }
        Err(why) => url.refused = Some(why.clone()),
    }
    cx.enqueue(Task::Manifests(node.clone()));
    true
}

/// What one request comes to.
enum Found {
    /// This has to be asked first.
    Open(Question),
    /// It failed, and this is why.
    Failed(Rc<str>),
    /// It was answered with these data.
    Data(Rc<str>),
}

/// Whether a reply is one that pods can be in.
fn is_data(reply: &Reply) -> bool {
    matches!(&reply.outcome, Outcome::Answered(r) if r.status == 200 && r.takes <= TIMEOUT)
}

fn names() -> Names {
    let conf = ResolvConf::parse(&format!("nameserver {}\n", super::mounts::NODE_DNS));
    Names { conf, hosts: HOSTS.into() }
}

impl UrlSource {
    /// One request (`extractFromURL`).
    fn request(
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
            return failed(&format!(
                "dial tcp: lookup {} on {}:53: {why}",
                url.host,
                super::mounts::NODE_DNS
            ));
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
            Outcome::Reset => failed("read: connection reset by peer"),
            Outcome::Connected if url.tls => failed(UNTRUSTED),
            Outcome::Connected => failed("EOF"),
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
    fn read(&mut self, declared: &ManifestUrl, found: Found) {
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

impl Kubelet {
    /// Asks the URL of the static pods, and takes what it answers.
    pub(super) fn read_url(&self, cx: &Cx) {
        let Some(url) = cx.state(|s| s.url.clone()) else { return self.read_manifests(cx) };
        let declared = match &url.declared {
            Ok(declared) => declared.clone(),
            Err(why) => {
                self.node_event(cx, "Warning", "InvalidManifestURL", why.to_string());
                return self.read_manifests(cx);
            }
        };
        let now = cx.now();
        let key = self.key.clone();
        let known = cx.state(|s| s.network.get(&key).map(|n| n.answers.clone())).unwrap_or_default();
        let mut url = (*url).clone();
        if !url.waits {
            url.asked = Some(url.due(&declared, now));
        }
        let found = url.request(&declared, &known, now);
        if let Found::Open(question) = found {
            url.waits = true;
            let url = Rc::new(url);
            cx.update_state(move |s| {
                s.url = Some(url.clone());
                let known = s.network.get(&key).filter(|n| n.answers.len() < QUESTIONS_LIMIT).cloned();
                let mut noted = known.unwrap_or_else(|| Rc::new(PodNetwork::new(&"".into())));
                Rc::make_mut(&mut noted).ask(std::slice::from_ref(&question));
                s.network.insert(key.clone(), noted);
            });
            return cx.ask_network(false);
        }
        let emptied = !url.pods.is_empty();
        url.read(&declared, found);
        let emptied = emptied && url.pods.is_empty();
        // Another endpoint may have what this one does not.
        let tries = url.error.is_some() && url.endpoint.is_none() && some_data(&known);
        let next = Some(url.next(now)).filter(|after| !after.is_zero()).unwrap_or(declared.frequency);
        let url = Rc::new(url);
        cx.update_state(move |s| s.url = Some(url.clone()));
        // Whoever answers says whether the answer is still the same, and which pods new data are.
        cx.ask_network(false);
        let wait = if tries { Wait::Foreground } else { Wait::Background };
        cx.enqueue_waiting(Task::Url(self.node.clone()), next, wait);
        if emptied {
            self.read_manifests(cx);
        }
    }
}

/// Whether somebody answers with something that pods can be in.
fn some_data(known: &BTreeMap<Question, Answers>) -> bool {
    let last = known.values().filter_map(|all| all.last());
    last.into_iter().any(|(_, answer)| match answer {
        Answer::Replies { replies, .. } => replies.len() > 1 && replies.iter().any(is_data),
        Answer::Records(_) => false,
    })
}
