//! What a turn notes of its calls to the container runtime ([`Call`]), while somebody looks. Each function stands where the
//! kubelet acts, and does nothing in a turn that nobody looks at.

use std::rc::Rc;

use super::cri::{Call, Course, Field, Request};
use super::execution::Executed;
use super::images;
use super::known_images::stop_signal;
use super::sandbox_config::CgroupOf;
use super::state::{NodeRuntime, PodRuntime, State};
use super::timings;
use super::turn::Turn;
use crate::api::types::{Container, RuntimeClass};
use crate::api::{Key, MetaExt, Timestamp};

/// How much of what a command prints is shown.
const OUTPUT: usize = 200;

/// A container's id as the runtime itself has it.
fn bare(id: &str) -> String {
    id.rsplit_once("://").map_or(id, |(_, id)| id).to_owned()
}

/// The reference by which the runtime knows an image.
fn image_ref(image: &str) -> String {
    format!("sha256:{}", images::config_digest(image))
}

impl Turn<'_> {
    /// Notes a call, if somebody looks.
    fn call(
        &mut self,
        container: Option<usize>,
        at: Timestamp,
        course: Course,
        of: impl FnOnce(&Self) -> Option<(Request, Result<Vec<Field>, String>)>,
    ) {
        if self.calls.is_none() {
            return;
        }
        let Some((request, answer)) = of(self) else { return };
        let pod = Some(MetaExt::key(&self.pod.metadata));
        let container = container.and_then(|i| self.rt.containers.get(i)).map(|c| c.name.clone());
        let (handler, host_network) = (self.runtime_handler(), self.spec.host_network == Some(true));
        if let Some(calls) = self.calls.as_mut() {
            calls.push(Call { at, pod, container, handler, host_network, request, course, answer });
        }
    }

    /// The id of the pod's sandbox.
    fn sandbox_name(&self) -> String {
        images::sandbox_id(&self.rt.uid, 0)
    }

    /// The handler of the pod's RuntimeClass; empty for the default one.
    pub(super) fn runtime_handler(&self) -> String {
        let name = self.spec.runtime_class_name.as_deref().filter(|n| !n.is_empty());
        let class = name.and_then(|n| self.caches.get::<RuntimeClass>(&Key::new("", n)));
        class.map(|c| c.handler.clone()).unwrap_or_default()
    }

    fn container_id(&self, i: usize) -> Option<String> {
        use super::container_state::ContainerState as S;
        match &self.rt.containers.get(i)?.state {
            S::None => None,
            S::Created(instance) => Some(bare(&instance.id)),
            S::Running(r) => Some(bare(&r.instance.id)),
            S::Exited(e) => Some(bare(&e.instance.id)),
        }
    }

    /// The sandbox is being created: until when, or why not.
    pub(super) fn note_run_sandbox(&mut self, until: Result<Timestamp, &str>) {
        let course = until.map_or(Course::AtOnce, |at| Course::Until(Some(at)));
        self.call(None, self.now, course, |turn| {
            let (config, runtime_handler) = (Box::new(turn.sandbox_config()), turn.runtime_handler());
            let answer = match until {
                Ok(_) => Ok(vec![("pod_sandbox_id", turn.sandbox_name())]),
                Err(why) => Err(why.to_owned()),
            };
            Some((Request::RunPodSandbox { config, runtime_handler }, answer))
        });
    }

    /// The sandbox is there; the kubelet asks for its addresses.
    pub(super) fn note_sandbox(&mut self) {
        let ips = |turn: &Self| -> Vec<Field> {
            let own = turn.rt.addresses.iter().filter(|_| turn.spec.host_network != Some(true));
            own.map(|ip| ("ip", ip.to_string())).collect()
        };
        self.call(None, self.now, Course::Returns, |turn| {
            let (config, runtime_handler) = (Box::new(turn.sandbox_config()), turn.runtime_handler());
            let mut answer = vec![("pod_sandbox_id", turn.sandbox_name())];
            answer.extend(ips(turn));
            Some((Request::RunPodSandbox { config, runtime_handler }, Ok(answer)))
        });
        self.call(None, self.now, Course::AtOnce, |turn| {
            let mut answer = vec![("status.state", "SANDBOX_READY".to_owned())];
            answer.extend(ips(turn).into_iter().map(|(_, ip)| ("status.network.ip", ip)));
            Some((Request::PodSandboxStatus { id: turn.sandbox_name() }, Ok(answer)))
        });
    }

    /// What runs in the sandbox is stopped, and its network is given back.
    pub(super) fn note_stop_sandbox(&mut self) {
        if self.rt.sandbox {
            self.call(None, self.now, Course::AtOnce, |turn| {
                Some((Request::StopPodSandbox { id: turn.sandbox_name() }, Ok(Vec::new())))
            });
        }
    }

    /// The kubelet asks whether the runtime has an image.
    pub(super) fn note_image_status(&mut self, i: impl Into<Option<usize>>, image: &str, present: bool) {
        self.call(i.into(), self.now, Course::AtOnce, |_| {
            let answer = if present {
                vec![("image.id", image_ref(image)), ("image.size", images::size(image).to_string())]
            } else {
                Vec::new()
            };
            Some((Request::ImageStatus { image: image.to_owned() }, Ok(answer)))
        });
    }

    /// An image is being pulled.
    pub(super) fn note_pull(&mut self, i: impl Into<Option<usize>>, image: &str, until: Timestamp) {
        self.call(i.into(), self.now, Course::Until(Some(until)), |_| {
            Some((Request::PullImage { image: image.to_owned() }, Ok(Vec::new())))
        });
    }

    /// A pull has ended. The kubelet asks for the size of what was pulled.
    pub(super) fn note_pulled(&mut self, i: impl Into<Option<usize>>, image: &str, refusal: Option<&str>) {
        let i = i.into();
        self.call(i, self.now, Course::Returns, |_| {
            let answer = match refusal {
                Some(why) => Err(why.to_owned()),
                None => Ok(vec![("image_ref", image_ref(image))]),
            };
            Some((Request::PullImage { image: image.to_owned() }, answer))
        });
        if refusal.is_none() {
            self.note_image_status(i, image, true);
        }
    }

    /// A container was created.
    pub(super) fn note_created(&mut self, i: usize, spec: &Container) {
        self.call(Some(i), self.now, Course::AtOnce, |turn| {
            let (sandbox, config) = (turn.sandbox_name(), Box::new(turn.container_config(i, spec)));
            let answer = vec![("container_id", turn.container_id(i)?)];
            Some((Request::CreateContainer { sandbox, config }, Ok(answer)))
        });
    }

    /// A container is being started, which takes a while.
    pub(super) fn note_start(&mut self, i: usize, until: Timestamp) {
        self.call(Some(i), self.now, Course::Until(Some(until)), |turn| {
            Some((Request::StartContainer { id: turn.container_id(i)? }, Ok(Vec::new())))
        });
    }

    /// A container was started, or could not be. `later` if its start has taken a while.
    pub(super) fn note_started(&mut self, i: usize, later: bool, error: Option<&str>) {
        let course = if later { Course::Returns } else { Course::AtOnce };
        self.call(Some(i), self.now, course, |turn| {
            let answer = error.map_or_else(|| Ok(Vec::new()), |why| Err(why.to_owned()));
            Some((Request::StartContainer { id: turn.container_id(i)? }, answer))
        });
    }

    /// A command is executed in a container: a hook's, which has no timeout, or a probe's. `told` is whether it succeeds, where
    /// what it does is not known, or why it could not be started.
    pub(super) fn note_exec(
        &mut self,
        i: usize,
        (cmd, timeout, at): (&[String], i64, Timestamp),
        executed: Option<&Executed>,
        told: Result<bool, &str>,
    ) {
        let limit = jiff::SignedDuration::from_secs(timeout);
        let executed = executed.filter(|_| told.is_ok());
        let takes = executed.filter(|e| e.certain).map(|e| e.takes);
        // `None` where the command does not end, or not in time.
        let ends = takes.map(|t| t.filter(|t| timeout == 0 || *t <= limit));
        let course = match ends {
            None => Course::AtOnce,
            Some(Some(t)) if t.is_zero() => Course::AtOnce,
            Some(Some(t)) => Course::Until(Some(timings::later(at, t))),
            // The runtime ends it at the timeout.
            Some(None) if timeout > 0 => Course::Until(Some(timings::later(at, limit))),
            Some(None) => Course::Until(None),
        };
        self.call(Some(i), at, course, |turn| {
            let known = executed.filter(|e| e.certain);
            let code = known.map_or_else(|| i32::from(told != Ok(true)), |e| e.code);
            let mut answer = vec![("exit_code", code.to_string())];
            for (path, stderr) in [("stdout", false), ("stderr", true)] {
                let printed = known.into_iter().flat_map(|e| &e.printed).filter(|o| o.stderr == stderr);
                let text: String = printed.flat_map(|o| o.text.chars()).take(OUTPUT).collect();
                answer.extend((!text.is_empty()).then(|| (path, text.trim_end().to_owned())));
            }
            let id = turn.container_id(i)?;
            let answer = match (told, ends) {
                (Err(why), _) => Err(why.to_owned()),
                (_, Some(None)) if timeout > 0 => {
                    Err("rpc error: code = DeadlineExceeded desc = context deadline exceeded".to_owned())
                }
                (_, Some(None)) => Ok(Vec::new()),
                _ => Ok(answer),
            };
            Some((Request::ExecSync { id, cmd: cmd.to_vec(), timeout }, answer))
        });
    }

    /// A container is being stopped: from when, with which timeout, and when it ends.
    pub(super) fn note_stop(&mut self, i: usize, at: Timestamp, timeout: i64, until: Option<Timestamp>) {
        self.call(Some(i), at, Course::Until(until), |turn| Some((turn.stop(i, timeout)?, Ok(Vec::new()))));
    }

    fn stop(&self, i: usize, timeout: i64) -> Option<Request> {
        let image = self.container_spec(i).and_then(|spec| spec.image.as_deref()).unwrap_or_default();
        Some(Request::StopContainer { id: self.container_id(i)?, timeout, signal: stop_signal(image) })
    }

    /// A container that was being stopped has ended.
    pub(super) fn note_stopped(&mut self, i: usize, at: Timestamp) {
        self.call(Some(i), at, Course::Returns, |turn| {
            // The timeout was in the call.
            Some((turn.stop(i, 0)?, Ok(Vec::new())))
        });
    }

    /// A container is stopped without a grace period, if it runs, and removed, because all containers of the pod begin anew.
    pub(super) fn note_reset(&mut self, i: usize) {
        if self.rt.containers.get(i).is_some_and(|c| c.running().is_some()) {
            self.call(Some(i), self.now, Course::AtOnce, |turn| Some((turn.stop(i, 0)?, Ok(Vec::new()))));
        }
        self.call(Some(i), self.now, Course::AtOnce, |turn| {
            Some((Request::RemoveContainer { id: turn.container_id(i)? }, Ok(Vec::new())))
        });
    }

    /// A running container gets other resources.
    pub(super) fn note_resources(&mut self, i: usize, spec: &Container) {
        self.call(Some(i), self.now, Course::AtOnce, |turn| {
            let linux = turn.linux_resources(spec, CgroupOf::Running);
            Some((Request::UpdateContainerResources { id: turn.container_id(i)?, linux }, Ok(Vec::new())))
        });
    }
}

/// The call with which a kubelet finds out what its Node's status says of the runtime (`nodestatus`, `VersionInfo`).
pub(super) fn of_status(now: Timestamp) -> Vec<Call> {
    let answer =
        [("runtime_name", "containerd"), ("runtime_version", "v2.2.0"), ("runtime_api_version", "v1")];
    vec![Call {
        at: now,
        pod: None,
        container: None,
        handler: String::new(),
        host_network: false,
        request: Request::Version,
        course: Course::AtOnce,
        answer: Ok(answer.map(|(path, value)| (path, value.to_owned())).to_vec()),
    }]
}

/// The calls with which a node is cleared of what no pod needs: containers and sandboxes of these pods, and the images that
/// `after` does not have.
pub(super) fn of_clearing(state: &State, after: &NodeRuntime, pods: &[Key], now: Timestamp) -> Vec<Call> {
    let at_once = |pod: Option<&Key>, container: Option<&Rc<str>>, request| Call {
        at: now,
        pod: pod.cloned(),
        container: container.cloned(),
        handler: String::new(),
        host_network: false,
        request,
        course: Course::AtOnce,
        answer: Ok(Vec::new()),
    };
    let mut calls = Vec::new();
    for (pod, rt) in pods.iter().filter_map(|pod| state.pods.get_key_value(pod)) {
        let ended = rt.containers.iter().filter_map(|c| Some((&c.name, c.exited()?)));
        calls.extend(ended.map(|(name, e)| {
            at_once(Some(pod), Some(name), Request::RemoveContainer { id: bare(&e.instance.id) })
        }));
        let id = sandbox_of(rt);
        calls.push(at_once(Some(pod), None, Request::RemovePodSandbox { id }));
    }
    let gone = state.node.images.keys().filter(|image| !after.images.contains_key(*image));
    calls.extend(gone.map(|image| at_once(None, None, Request::RemoveImage { image: image.to_string() })));
    calls
}

/// The id of a pod's sandbox.
pub(super) fn sandbox_of(rt: &PodRuntime) -> String {
    images::sandbox_id(&rt.uid, 0)
}
