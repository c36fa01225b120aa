//! What containerd 2.2 does for a call (`internal/cri/server`): images and snapshots itself, processes through a shim and an
//! OCI runtime, the network through CNI plugins.
//!
//! Which runtime that is follows from the handler of the pod's RuntimeClass: `runc` is what a node has from the start, and
//! `runsc` is gVisor, whose shim runs the program on a kernel of its own in user space.

use super::{Call, Course, Request};
use crate::network::cni::Plugin;

/// The image of the container that holds a sandbox, as containerd is configured.
pub const SANDBOX_IMAGE: &str = "registry.k8s.io/pause:3.10.1";

/// How many digits of an id are shown in a command.
const SHORT: usize = 13;

/// Who does a part of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doer {
    /// containerd itself.
    Containerd,
    /// A plugin of the Container Network Interface, which containerd executes.
    Cni,
    /// The shim: the process beside each sandbox that its containers are children of.
    Shim,
    /// The OCI runtime, which the shim executes.
    Oci,
    /// The registry of an image.
    Registry,
}

impl Doer {
    /// Its name, as data has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Doer::Containerd => "containerd",
            Doer::Cni => "cni",
            Doer::Shim => "shim",
            Doer::Oci => "oci",
            Doer::Registry => "registry",
        }
    }
}

/// A part of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Who does it.
    pub by: Doer,
    /// What it is: a name for the page's sentences.
    pub what: &'static str,
    /// What it does, as a command, a path or a name.
    pub text: String,
}

/// The OCI runtime of a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oci<'a> {
    /// runc: namespaces and cgroups of the node's own kernel.
    Runc,
    /// runsc (gVisor): the Sentry answers the system calls of the program, and the Gofer reaches files for it.
    Runsc,
    /// A handler that a node names, of which nothing more is known.
    Other(&'a str),
}

impl<'a> Oci<'a> {
    /// The runtime of a handler; the empty one is the default.
    pub fn of(handler: &'a str) -> Oci<'a> {
        match handler {
            "" | "runc" => Oci::Runc,
            "runsc" | "gvisor" => Oci::Runsc,
            other => Oci::Other(other),
        }
    }

    /// The program.
    pub fn program(self) -> &'a str {
        match self {
            Oci::Runc => "runc",
            Oci::Runsc => "runsc",
            Oci::Other(name) => name,
        }
    }

    /// The shim; `None` if nobody knows it.
    pub fn shim(self) -> Option<&'static str> {
        match self {
            Oci::Runc => Some("containerd-shim-runc-v2"),
            Oci::Runsc => Some("containerd-shim-runsc-v1"),
            Oci::Other(_) => None,
        }
    }
}

/// The chain of CNI plugins of a network, as its configuration in `/etc/cni/net.d` has it.
fn chain(plugin: Plugin) -> &'static str {
    match plugin {
        Plugin::Kindnet => "10-kindnet.conflist: ptp (ipam host-local), portmap",
        Plugin::FlannelHostGw | Plugin::FlannelVxlan | Plugin::FlannelUdp => {
            "10-flannel.conflist: flannel → bridge cni0 (ipam host-local), portmap"
        }
        Plugin::Bridge => "10-bridge.conflist: bridge cni0 (ipam host-local)",
        Plugin::None => "/etc/cni/net.d: no configuration",
    }
}

/// Collects the parts of a call.
struct Parts<'a> {
    all: Vec<Part>,
    oci: Oci<'a>,
}

impl Parts<'_> {
    fn add(&mut self, by: Doer, what: &'static str, text: impl Into<String>) {
        self.all.push(Part { by, what, text: text.into() });
    }

    /// The OCI runtime does something. Of a runtime that nobody knows it is not known how.
    fn oci(&mut self, what: &'static str, command: &str) {
        if matches!(self.oci, Oci::Other(_)) {
            return;
        }
        let text = format!("{} {command}", self.oci.program());
        self.add(Doer::Oci, what, text);
    }

    /// The shim hands something to the OCI runtime.
    fn shim(&mut self, what: &'static str, command: &str) {
        match self.oci.shim() {
            Some(shim) => self.add(Doer::Shim, what, format!("{shim} {command}").trim_end().to_owned()),
            None => self.add(Doer::Shim, "shim-unknown", self.oci.program().to_owned()),
        }
    }
}

fn short(id: &str) -> String {
    id.chars().take(SHORT).collect()
}

impl Call {
    /// What containerd does for the call, in order. `plugin` is the network of the cluster. A call that is refused ends with the
    /// part that refused it.
    pub fn parts(&self, plugin: Plugin) -> Vec<Part> {
        let mut p = Parts { all: Vec::new(), oci: Oci::of(&self.handler) };
        let returns = self.course == Course::Returns;
        match &self.request {
            Request::Version | Request::PodSandboxStatus { .. } => p.add(Doer::Containerd, "memory", ""),
            Request::RunPodSandbox { .. } => self.sandbox(&mut p, plugin),
            Request::StopPodSandbox { id } => {
                let id = short(id);
                p.oci("kill-pause", &format!("kill {id} KILL"));
                p.oci("delete", &format!("delete {id}"));
                if !self.host_network {
                    let command = format!("CNI_COMMAND=DEL CNI_CONTAINERID={id} ({})", chain(plugin));
                    p.add(Doer::Cni, "cni-del", command);
                    p.add(Doer::Containerd, "netns-removed", format!("/var/run/netns/cni-{id}"));
                }
            }
            Request::RemovePodSandbox { id } => {
                p.add(Doer::Containerd, "removed", short(id));
            }
            Request::CreateContainer { .. } => self.created(&mut p),
            Request::StartContainer { id } if !returns => {
                let id = short(id);
                p.shim("shim-create", "");
                p.oci("create", &format!("create {id}"));
                if self.answer.is_ok() {
                    p.oci("start", &format!("start {id}"));
                }
            }
            Request::StopContainer { id, timeout, signal } => {
                let id = short(id);
                if returns {
                    p.shim("exited", "");
                    p.oci("delete", &format!("delete {id}"));
                } else if *timeout > 0 {
                    p.oci("term", &format!("kill {id} {signal}"));
                    p.add(Doer::Containerd, "grace", format!("{timeout} s"));
                } else {
                    p.oci("kill", &format!("kill {id} KILL"));
                }
            }
            Request::RemoveContainer { id } => p.add(Doer::Containerd, "removed", short(id)),
            Request::ExecSync { id, cmd, .. } => {
                p.shim("shim-exec", "");
                p.oci("exec", &format!("exec {} {}", short(id), cmd.join(" ")));
            }
            Request::UpdateContainerResources { id, .. } => {
                p.shim("shim-update", "");
                p.oci("update", &format!("update {}", short(id)));
            }
            Request::ImageStatus { image } => p.add(Doer::Containerd, "image-store", image.clone()),
            Request::PullImage { image } => {
                if !returns || self.answer.is_err() {
                    p.add(Doer::Registry, "resolve", image.clone());
                }
                if !returns && self.answer.is_ok() {
                    p.add(Doer::Registry, "layers", "");
                }
                if self.answer.is_ok() && returns {
                    p.add(Doer::Containerd, "unpacked", "overlayfs");
                }
            }
            Request::RemoveImage { image } => p.add(Doer::Containerd, "image-removed", image.clone()),
            Request::StartContainer { .. } => {}
        }
        p.all
    }

    /// `RunPodSandbox`: the network comes before the pause container that is to be in it.
    fn sandbox(&self, p: &mut Parts<'_>, plugin: Plugin) {
        if self.course == Course::Returns {
            let ips = self.answer.iter().flatten().filter(|(path, _)| *path == "ip");
            let ips: Vec<&str> = ips.map(|(_, ip)| ip.as_str()).collect();
            if !self.host_network {
                p.add(Doer::Cni, "cni-result", ips.join(", "));
            }
            return;
        }
        let handler = if self.handler.is_empty() { "runc (default)" } else { &self.handler };
        p.add(Doer::Containerd, "handler", handler);
        if self.answer.is_err() {
            return;
        }
        let id = self.answer.iter().flatten().find(|(path, _)| *path == "pod_sandbox_id");
        let id = id.map(|(_, id)| short(id)).unwrap_or_default();
        p.add(Doer::Containerd, "pause-image", SANDBOX_IMAGE);
        if self.host_network {
            p.add(Doer::Containerd, "host-network", "");
        } else {
            p.add(Doer::Containerd, "netns", format!("/var/run/netns/cni-{id}"));
            let command = format!("CNI_COMMAND=ADD CNI_CONTAINERID={id} CNI_IFNAME=eth0 ({})", chain(plugin));
            p.add(Doer::Cni, "cni-add", command);
        }
        p.add(Doer::Containerd, "snapshot", format!("overlayfs: {id}"));
        p.shim("shim-start", &format!("-namespace k8s.io -id {id} start"));
        p.oci("create-pause", &format!("create {id}"));
        if p.oci == Oci::Runsc {
            p.add(Doer::Oci, "sentry", "runsc-sandbox, runsc-gofer");
        }
        p.oci("start-pause", &format!("start {id}"));
    }

    fn created(&self, p: &mut Parts<'_>) {
        let id = self.answer.iter().flatten().find(|(path, _)| *path == "container_id");
        let id = id.map(|(_, id)| short(id)).unwrap_or_default();
        p.add(Doer::Containerd, "snapshot", format!("overlayfs: {id}"));
        p.add(Doer::Containerd, "spec", "config.json");
        p.add(Doer::Containerd, "sandbox-files", "/etc/hostname, /etc/resolv.conf, /dev/shm");
    }
}
