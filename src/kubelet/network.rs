//! What the processes of pods ask the network, and what they are told.
//!
//! A process that asks a question stops at it. Its pod notes the question ([`State::network`]), the sync says so
//! ([`Context::ask_network`](crate::client::Context::ask_network)), and whoever knows the whole cluster answers with a [`NetworkNews`]. The pod
//! takes a turn then, in which its processes go on. An answer that becomes another one later is told in the same way.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use super::http_source;
use super::pod_network::PodNetwork;
use super::servers;
use super::state::{PodRuntime, State};
use super::task::Task;
use super::turn::Turn;
use crate::api::pod::Spec;
use crate::api::types::{ContainerPort, Pod, PodSpec};
use crate::api::{Key, Timestamp};
use crate::client::{Caches, Handler};
use crate::network::coredns::Configuration;
use crate::network::nginx::Passing;
use crate::network::serving::{Life, Serving};
use crate::network::{Answer, Because, Outcome, Protocol, Question};
use crate::shell::Outside;

/// What the network tells the processes of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkNews {
    /// The pod, or the node if its kubelet has asked.
    pub pod: Key,
    /// Its uid; empty for a node.
    pub uid: Rc<str>,
    /// The answers that are new, or other than before.
    pub answers: Vec<(Question, Answer)>,
}

/// A program in a pod was told by another one which ports to open: the nginx of a Gateway has none of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The pod.
    pub pod: Key,
    /// Its uid.
    pub uid: Rc<str>,
    /// The ports.
    pub ports: Rc<[u16]>,
}

/// Notes which ports a program has opened. `false` if the pod is not there any more.
pub(super) fn open(cx: &mut Handler<'_, State, Task>, opened: &Opened) -> bool {
    if cx.state.pods.get(&opened.pod).is_none_or(|rt| rt.uid != opened.uid) {
        return false;
    }
    cx.state.opened.insert(opened.pod.clone(), (opened.uid.clone(), opened.ports.clone()));
    cx.enqueue(Task::Pod(opened.pod.clone()));
    true
}

impl State {
    /// The ports that a program in a pod was told to open.
    pub fn opened(&self, pod: &Key, uid: &str) -> &[u16] {
        self.opened.get(pod).filter(|(of, _)| **of == *uid).map(|(_, ports)| &**ports).unwrap_or_default()
    }

    /// The questions of the pods of the node, and of its kubelet: the pod or the Node, its uid, the question, and its last answer.
    pub fn questions(&self) -> impl Iterator<Item = (&Key, &Rc<str>, &Question, Option<&Answer>)> {
        self.network.iter().flat_map(|(key, of_pod)| {
            let answers = of_pod.answers.iter();
            answers.map(move |(q, all)| (key, &of_pod.uid, q, all.last().map(|(_, a)| a)))
        })
    }

    /// What a process of a pod of the node does with the requests that it gets; `None` if it has ended.
    pub fn life(&self, serving: &Serving, now: Timestamp) -> Option<Life> {
        let rt = self.pods.get(&serving.process.pod)?;
        let mut containers = rt.containers.iter().filter(|c| c.name == serving.process.container);
        let running = containers.find_map(|c| c.running()).filter(|r| r.since == serving.process.since)?;
        Some(match running.signal.filter(|signal| *signal <= now) {
            None => Life::Serves,
            Some(_) if serving.drains => Life::Drains,
            Some(_) => Life::Stops,
        })
    }

    /// Notes questions of a pod.
    pub(super) fn note_questions(&mut self, pod: &Key, uid: &Rc<str>, questions: &[Question]) {
        let known = self.network.get(pod).filter(|n| n.uid == *uid).cloned();
        let mut of_pod = known.unwrap_or_else(|| Rc::new(PodNetwork::new(uid)));
        Rc::make_mut(&mut of_pod).ask(questions);
        self.network.insert(pod.clone(), of_pod);
    }

    /// Notes what the processes of a pod have just asked, with the answers, of which the last one is valid from now on.
    pub(super) fn note_answers(
        &mut self,
        pod: &Key,
        uid: &Rc<str>,
        answers: &BTreeMap<Question, Vec<Answer>>,
        now: Timestamp,
    ) {
        if answers.is_empty() {
            return;
        }
        let questions: Vec<Question> = answers.keys().cloned().collect();
        self.note_questions(pod, uid, &questions);
        let last = answers.iter().filter_map(|(question, all)| Some((question.clone(), all.last()?.clone())));
        let news: Vec<(Question, Answer)> = last.collect();
        if let Some(of_pod) = self.network.get_mut(pod) {
            Rc::make_mut(of_pod).tell(now, &news);
        }
    }

    /// The addresses that pods have for themselves.
    pub fn addresses(&self) -> impl Iterator<Item = IpAddr> {
        self.node.addresses.keys().copied()
    }

    /// The pod that has an address, among those that have one of their own.
    pub fn pod_of(&self, address: IpAddr) -> Option<&Key> {
        self.node.addresses.get(&address)
    }
}

/// Notes answers. `false` if the pod is not there any more.
pub(super) fn note(cx: &mut Handler<'_, State, Task>, news: &NetworkNews) -> bool {
    let now = cx.now;
    let Some(of_pod) = cx.state.network.get_mut(&news.pod).filter(|n| n.uid == news.uid) else {
        return false;
    };
    let of_pod = Rc::make_mut(of_pod);
    of_pod.tell(now, &news.answers);
    if news.pod.namespace.is_empty() {
        http_source::heard(cx, &news.pod.name.to_string().into());
    } else {
        cx.enqueue(Task::Pod(news.pod.clone()));
    }
    true
}

/// What becomes of a question that has reached a pod of a node. [`Outcome::Unreachable`] if the pod is not there.
pub fn reached(
    state: &State,
    caches: &Caches,
    node: &Key,
    pod: &Key,
    question: &Question,
    now: Timestamp,
) -> (Outcome, Because) {
    let gone = (Outcome::Unreachable, Because::Gone);
    let worker = state.pods.get(pod);
    let Some((rt, object)) = worker.and_then(|rt| Some((rt, rt.pod(pod, caches)?))) else { return gone };
    let Some(spec) = object.spec.as_ref().filter(|_| rt.sandbox) else { return gone };
    Turn::new(object, spec, (**rt).clone(), state, node, caches, now).reply(question, now)
}

/// Whom the nginx of a pod asks for a request that has reached it; `None` if the pod has none whose configuration passes it on.
pub fn passing(
    state: &State,
    caches: &Caches,
    node: &Key,
    pod: &Key,
    question: &Question,
    now: Timestamp,
) -> Option<Passing> {
    let rt = state.pods.get(pod)?;
    let object = rt.pod(pod, caches)?;
    let spec = object.spec.as_ref().filter(|spec| spec.containers.iter().any(servers::may_pass_on))?;
    Turn::new(object, spec, (**rt).clone(), state, node, caches, now).passing(question, now)
}

/// What becomes of a question that reaches a pod follows from these alone, as long as they are there; `None` if something else makes it
/// another one: a command runs in the pod, a port opens or closes at a moment that has come, the server answers in another way after
/// some time or asks others, or others write to its volumes. Whether a program of a spec may do that ([`may_change`]) is asked of `changes`.
pub fn lasting(
    state: &State,
    caches: &Caches,
    pod: &Key,
    now: Timestamp,
    changes: impl FnOnce(&Spec) -> bool,
) -> Option<(Rc<PodRuntime>, Rc<Pod>)> {
    let rt = state.pods.get(pod)?;
    let object = rt.pod(pod, caches)?;
    let mut running = rt.containers.iter().filter_map(|c| c.running());
    let lasts = rt.listens_until.is_none_or(|t| t > now) && running.all(|r| r.process.is_none());
    let alone = rt.lasting.as_ref().is_none_or(|l| l.volumes.is_empty());
    let spec = object.spec.as_ref()?;
    // On a busy node it depends on what the other containers want, too.
    let lasts = lasts && alone && !state.node.short_of_cpu && !changes(spec);
    lasts.then(|| (rt.clone(), object.clone()))
}

/// Whether a program of a pod may answer in another way after some time, or ask others.
pub fn may_change(spec: &PodSpec) -> bool {
    let mut containers = spec.init_containers.iter().flatten().chain(&spec.containers);
    containers.any(|c| servers::changes_with_time(c) || servers::may_pass_on(c))
}

/// CoreDNS in a pod.
#[derive(Clone, Debug)]
pub struct Dns {
    /// With what it answers.
    pub configuration: Rc<Configuration>,
    /// Since when it answers with that.
    pub configured: Timestamp,
    /// When its process started.
    pub since: Timestamp,
}

/// The CoreDNS in a pod of a node that gets its DNS queries.
pub fn coredns(state: &State, caches: &Caches, node: &Key, pod: &Key, now: Timestamp) -> Option<Dns> {
    let rt = state.pods.get(pod)?;
    let object = rt.pod(pod, caches)?;
    let spec = object.spec.as_ref()?;
    Turn::new(object, spec, (**rt).clone(), state, node, caches, now).coredns(now)
}

/// Whether a pod of a node is in the network of the node; `None` if the pod is not there.
pub fn is_on_host_network(state: &State, caches: &Caches, pod: &Key) -> Option<bool> {
    let spec = state.pods.get(pod)?.pod(pod, caches)?.spec.as_ref()?;
    Some(spec.host_network == Some(true))
}

/// Whether a pod listens on a port of its node.
pub fn listens_on_host(
    state: &State,
    caches: &Caches,
    node: &Key,
    question: &Question,
    now: Timestamp,
) -> Option<Key> {
    state.pods.iter().find_map(|(key, rt)| {
        let hosted = rt.pod(key, caches)?.spec.as_ref()?.host_network == Some(true);
        (hosted && reached(state, caches, node, key, question, now).0 != Outcome::Refused)
            .then(|| key.clone())
    })
}

/// Where the plugin `portmap` leads a connection to a port of a node (`hostPort`): the address and the port of a pod. `None` if no
/// pod of the node has the port.
pub fn mapped(state: &State, caches: &Caches, to: SocketAddr, protocol: Protocol) -> Option<SocketAddr> {
    let is_asked = |p: &ContainerPort| {
        let any = |ip: &str| {
            ip.is_empty() || ip.parse::<IpAddr>().is_ok_and(|ip| ip.is_unspecified() || ip == to.ip())
        };
        p.host_port == Some(i32::from(to.port()))
            && Protocol::of(p.protocol.as_deref()) == protocol
            && p.host_ip.as_deref().is_none_or(any)
    };
    state.pods.iter().find_map(|(key, rt)| {
        let spec = rt.pod(key, caches)?.spec.as_ref()?;
        if spec.host_network == Some(true) || !rt.sandbox {
            return None;
        }
        let containers = spec.init_containers.iter().flatten().chain(&spec.containers);
        let port = containers.flat_map(|c| c.ports.iter().flatten()).find(|p| is_asked(p))?;
        let addresses = rt.addresses.iter().filter_map(|a| a.parse::<IpAddr>().ok());
        let address = addresses.into_iter().find(|a| a.is_ipv4() == to.is_ipv4())?;
        Some(SocketAddr::new(address, u16::try_from(port.container_port).ok()?))
    })
}

impl Turn<'_> {
    /// Notes a question of one of the pod's processes.
    pub(super) fn ask(&mut self, question: &Question) {
        if !self.answers.contains_key(question) && !self.asks.contains(question) {
            self.asks.push(question.clone());
        }
    }
}

/// The network as hooks and probes of a pod find it: what is asked of the pod itself is answered at once, and all else as it was
/// answered last.
pub(super) struct Inside<'a, 'b>(pub(super) &'a Turn<'b>, pub(super) Timestamp);

impl Outside for Inside<'_, '_> {
    fn answer(&self, question: &Question) -> Option<Answer> {
        let Inside(turn, at) = self;
        let address = match question {
            Question::Connect { to, .. } | Question::Fetch { to, .. } => Some(to.ip()),
            Question::Echo { to, .. } => Some(*to),
            Question::Lookup { .. } => None,
        };
        let own = |ip: &IpAddr| {
            ip.is_loopback() || turn.rt.addresses.iter().any(|a| a.parse::<IpAddr>().is_ok_and(|a| a == *ip))
        };
        if address.is_some_and(|ip| own(&ip)) {
            return Some(Answer::always(turn.reply(question, *at).0));
        }
        turn.answers.get(question).and_then(|all| all.last()).map(|(_, answer)| answer.clone())
    }
}
