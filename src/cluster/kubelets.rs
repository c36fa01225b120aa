//! The kubelets of a cluster, as its API server reaches them.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::Cluster;
use super::action::Actor;
use super::affinity::{Affinity, Remembered, Remembering};
use super::api_door::{Door, Writing};
use super::memo::Memo;
use super::network::{From, Network};
use super::noting::{Noted, Noting};
use super::process::Process;
use crate::api::persistent::Vector;
use crate::api::{Key, Timestamp};
use crate::apimachinery::{
    AttachOptions, Attached, ContainerLog, ExecOptions, Executed, KubeletError, LogOptions, LogPlace,
};
use crate::apiserver::{ApiServer, Kubelets};
use crate::kubelet::neighbours::{CpuPart, cpu_parts};
use crate::kubelet::{self, Attachment, Execution, LogReader};
use crate::network::cni::Plugin;
use crate::network::serving;
use crate::network::traffic::History;

/// The nodes of a cluster: those of its processes that are kubelets and run.
pub(super) struct Nodes<'a> {
    processes: &'a Vector<Rc<Process>>,
    plugin: Plugin,
    core_dns: bool,
    memo: &'a Memo,
    /// What clients have sent.
    traffic: &'a History,
    /// What nodes remember of clients with session affinity.
    affinity: &'a Affinity,
    /// The commands that were executed and have written files, and what was written to processes. Whoever answers the request lets the
    /// kubelets note them.
    done: RefCell<Vec<(Actor, Done)>>,
    /// What has come to CoreDNS and to servers from commands, and what nodes remember of these.
    noted: RefCell<Noted>,
}

impl<'a> Nodes<'a> {
    pub(super) fn new(
        processes: &'a Vector<Rc<Process>>,
        plugin: Plugin,
        core_dns: bool,
        memo: &'a Memo,
        traffic: &'a History,
        affinity: &'a Affinity,
    ) -> Nodes<'a> {
        Nodes {
            processes,
            plugin,
            core_dns,
            memo,
            traffic,
            affinity,
            done: RefCell::default(),
            noted: RefCell::default(),
        }
    }

    /// What a client has done in containers, each with its kubelet, and what has come from there to CoreDNS and to servers.
    pub(super) fn into_done(self) -> (Vec<(Actor, Done)>, Noted) {
        (self.done.into_inner(), self.noted.into_inner())
    }

    /// The network as a process of a pod finds it that a client has to do with.
    fn network<'n>(
        &'n self,
        api: &'n ApiServer,
        now: Timestamp,
        noted: &'n RefCell<Noted>,
        remembered: &'n RefCell<Vec<Remembered>>,
        door: Door<'n>,
    ) -> Network<'n> {
        Network {
            api,
            processes: self.processes,
            now,
            plugin: self.plugin,
            core_dns: self.core_dns,
            noting: Some(Noting { noted, caches: true }),
            affinity: self.affinity,
            remembering: Some(Remembering { noted: remembered, opens: true }),
            memo: self.memo,
            door,
            controllers: OnceCell::new(),
            topology: OnceCell::new(),
            led_by: None,
            places: OnceCell::new(),
        }
    }

    /// Adds what has come from a process to CoreDNS, to servers and to nodes that remember clients. Returns whether something has.
    fn note(&self, noted: Noted, clients: Vec<Remembered>) -> bool {
        let any = !noted.queries.is_empty() || !noted.visits.is_empty() || !clients.is_empty();
        let mut all = self.noted.borrow_mut();
        all.queries.extend(noted.queries);
        all.visits.extend(noted.visits);
        all.clients.extend(clients);
        any
    }
}

/// What a client has done in a container, for the kubelet to note.
pub(super) enum Done {
    /// It has executed a command.
    Executed(Execution),
    /// It has written to the process.
    Attached(Attachment),
}

/// The kubelet of a node: its place, its process and its memory.
fn kubelet_of<'a>(
    processes: &'a Vector<Rc<Process>>,
    node: &str,
) -> Result<(Actor, &'a Process, &'a kubelet::State), KubeletError> {
    let mut all = (0..).zip(processes);
    let found = all.find(|(_, p)| p.node.as_deref() == Some(node) && p.running);
    let found = found.and_then(|(process, p)| {
        let mut states = (0..).zip(&p.components);
        states.find_map(|(component, c)| {
            let state = c.state().downcast_ref::<kubelet::State>()?;
            Some((Actor { process, component }, &**p, state))
        })
    });
    found.ok_or(KubeletError::Unreachable)
}

/// Whether a part of the control plane with this name runs, so that it answers.
pub(super) fn answers(processes: &Vector<Rc<Process>>, name: &str) -> bool {
    processes.iter().any(|p| p.running && p.node.is_none() && p.program.as_deref() == Some(name))
}

/// What the kubelet of a node answers about the log of a container.
///
/// # Errors
/// The kubelet refuses, or it cannot be reached.
pub(super) fn container_log(
    (processes, traffic): (&Vector<Rc<Process>>, &History),
    node: &str,
    pod: &Key,
    options: &LogOptions,
    from: Option<&LogPlace>,
    now: Timestamp,
) -> Result<ContainerLog, KubeletError> {
    let (_, process, state) = kubelet_of(processes, node)?;
    let visits = |process: &serving::Process, after, until| traffic.visits(process, after, until);
    let node = &Key::new("", node);
    let reader = LogReader { state, caches: &process.caches, node, visits: &visits };
    kubelet::container_log(&reader, pod, options, from, now)
}

impl Cluster {
    /// What the containers of a pod get of the CPU of their node, if more is wanted there than there is.
    pub fn cpu_parts(&self, pod: &Key) -> Vec<CpuPart> {
        let network = self.network();
        let host = network.hosts().find(|h| h.state.pods.contains_key(pod));
        let parts =
            |h: super::network::Host<'_>| cpu_parts(h.state, &h.process.caches, &h.node, pod, self.now());
        host.map(parts).unwrap_or_default()
    }

    /// The id of the instance of a container that runs, as its kubelet has it, whether that kubelet runs or not; `None` if the
    /// container does not run.
    pub fn container_id(&self, pod: &Key, container: &str) -> Option<Rc<str>> {
        self.running_container(pod, container).map(|running| running.instance.id.clone())
    }

    /// The process of a container that runs, if it is one whose doings are known.
    pub fn process_of(&self, pod: &Key, container: &str) -> Option<Rc<kubelet::process::Process>> {
        self.running_container(pod, container)?.process.clone()
    }

    fn running_container(&self, pod: &Key, container: &str) -> Option<&kubelet::container_state::Running> {
        let states = self.processes.iter().filter(|p| p.node.is_some()).flat_map(|p| &p.components);
        let mut runtimes = states
            .filter_map(|c| c.state().downcast_ref::<kubelet::State>()?.pods.get(pod))
            .flat_map(|runtime| &runtime.containers);
        runtimes.find_map(|c| c.running().filter(|_| *c.name == *container))
    }
}

impl Kubelets for Nodes<'_> {
    fn answers(&self, process: &str) -> bool {
        answers(self.processes, process)
    }

    fn log(
        &self,
        node: &str,
        pod: &Key,
        options: &LogOptions,
        from: Option<&LogPlace>,
        now: Timestamp,
    ) -> Result<ContainerLog, KubeletError> {
        container_log((self.processes, self.traffic), node, pod, options, from, now)
    }

    fn exec(
        &self,
        node: &str,
        pod: &Key,
        options: &ExecOptions,
        api: &mut ApiServer,
        now: Timestamp,
    ) -> Result<Executed, KubeletError> {
        let (actor, process, state) = kubelet_of(self.processes, node)?;
        let (noted, remembered) = (RefCell::default(), RefCell::default());
        let mut execution =
            Execution { pod: pod.clone(), options: options.clone(), answers: BTreeMap::new() };
        let writing = RefCell::new(Writing::on(api));
        let door = Door::writing(self.traffic, &writing);
        let from = From::asking_now(self.network(&*api, now, &noted, &remembered, door), pod);
        let mut done =
            kubelet::exec(state, &process.caches, &Key::new("", node), &mut execution, &from, now)?;
        drop(from);
        if let Some((after, exchanges)) = writing.into_inner().into_written() {
            *api = after;
            done.exchanges = exchanges;
        }
        if done.writes {
            self.done.borrow_mut().push((actor, Done::Executed(execution)));
        }
        done.writes |= self.note(noted.take(), remembered.take());
        Ok(done)
    }

    fn attach(
        &self,
        node: &str,
        pod: &Key,
        options: &AttachOptions,
        api: &ApiServer,
        now: Timestamp,
    ) -> Result<Attached, KubeletError> {
        let (actor, process, state) = kubelet_of(self.processes, node)?;
        let (noted, remembered) = (RefCell::default(), RefCell::default());
        let mut attachment =
            Attachment { pod: pod.clone(), options: options.clone(), answers: BTreeMap::new() };
        let door = Door::reading(self.traffic);
        let from = From::new(self.network(api, now, &noted, &remembered, door), pod);
        let visits = |process: &serving::Process, after, until| self.traffic.visits(process, after, until);
        let key = Key::new("", node);
        let reader = LogReader { state, caches: &process.caches, node: &key, visits: &visits };
        let mut done = kubelet::attach(&reader, &mut attachment, &from, now)?;
        drop(from);
        if done.took {
            self.done.borrow_mut().push((actor, Done::Attached(attachment)));
        }
        done.took |= self.note(noted.take(), remembered.take());
        Ok(done)
    }
}
