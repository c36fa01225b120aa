//! The pods that a kubelet has from a URL (`pkg/kubelet/config/http.go`): it asks there every 20 seconds, and runs the static pods
//! of the answer. A URL that does not answer, or answers with something else than pods, leaves the pods as they are; an empty answer
//! ends them.
//!
//! The request is a node's, over the simulated network. As long as its answer stays the same nothing can come of another request, so
//! the requests are planned in the background; the next one is a step when the network tells of another answer.

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;

use super::pod_network::PodNetwork;
use super::state::State;
use super::task::{Cx, Kubelet, Task};
use super::url_source::{Found, UrlSource, is_data};
use crate::api::types::Pod;
use crate::api::well_known::CONFIG_SOURCE_ANNOTATION;
use crate::api::{Key, MetaExt};
use crate::client::{Handler, Wait};
use crate::network::{Answer, Question};
use crate::shell::Answers;

/// The name of the source in the annotation of its pods (`HTTPSource`).
pub(super) const SOURCE: &str = "http";
/// The most questions that are remembered: a name that leads to another address again and again makes a new one each time.
const QUESTIONS_LIMIT: usize = 64;

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
