//! The requests of the Container Runtime Interface, with the fields that decide what comes of them.

use super::Field;

/// Which of the runtime's two services a call belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Sandboxes and containers.
    Runtime,
    /// Images.
    Image,
}

impl Service {
    /// The name of the service.
    pub fn as_str(self) -> &'static str {
        match self {
            Service::Runtime => "RuntimeService",
            Service::Image => "ImageService",
        }
    }
}

/// `DNSConfig`: what becomes the file `/etc/resolv.conf`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DnsConfig {
    /// `servers`
    pub servers: Vec<String>,
    /// `searches`
    pub searches: Vec<String>,
    /// `options`
    pub options: Vec<String>,
}

/// `PodSandboxConfig`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodSandboxConfig {
    /// `metadata`: name, namespace and uid of the pod.
    pub metadata: [String; 3],
    /// `metadata.attempt`
    pub attempt: u32,
    /// `hostname`; empty on the network of the host.
    pub hostname: String,
    /// `log_directory`
    pub log_directory: String,
    /// `dns_config`
    pub dns_config: DnsConfig,
    /// `port_mappings`: protocol, port of the container and port of the host.
    pub port_mappings: Vec<String>,
    /// `linux.cgroup_parent`
    pub cgroup_parent: String,
    /// `linux.security_context.namespace_options`: network, pid and ipc, each `POD`, `CONTAINER` or `NODE`.
    pub namespaces: [&'static str; 3],
    /// `linux.sysctls`
    pub sysctls: Vec<String>,
}

/// `LinuxContainerResources`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinuxContainerResources {
    /// `cpu_shares`
    pub cpu_shares: i64,
    /// `cpu_period`, in microseconds.
    pub cpu_period: i64,
    /// `cpu_quota`: microseconds in a period; 0 or -1 without a limit.
    pub cpu_quota: i64,
    /// `memory_limit_in_bytes`; 0 without a limit.
    pub memory_limit: i64,
    /// `oom_score_adj`
    pub oom_score_adj: i64,
    /// `cpuset_cpus`; empty for all processors.
    pub cpuset_cpus: String,
}

/// `Mount`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mount {
    /// `container_path`
    pub container_path: String,
    /// `host_path`
    pub host_path: String,
    /// `readonly`
    pub readonly: bool,
}

/// `ContainerConfig`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainerConfig {
    /// `metadata.name`
    pub name: String,
    /// `metadata.attempt`
    pub attempt: i32,
    /// `image.user_specified_image`
    pub image: String,
    /// `image.image`: the id that the runtime has given it.
    pub image_ref: String,
    /// `command`
    pub command: Vec<String>,
    /// `args`
    pub args: Vec<String>,
    /// `working_dir`
    pub working_dir: String,
    /// How many `envs` there are.
    pub envs: usize,
    /// `mounts`
    pub mounts: Vec<Mount>,
    /// `log_path`, below the log directory of the sandbox.
    pub log_path: String,
    /// `linux.resources`
    pub resources: LinuxContainerResources,
    /// `linux.security_context.run_as_user`; `None` where the image decides.
    pub run_as_user: Option<i64>,
    /// `linux.security_context.privileged`
    pub privileged: bool,
    /// `linux.security_context.readonly_rootfs`
    pub readonly_rootfs: bool,
}

/// What is asked of the runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Which version of the interface, and of the runtime, this is.
    Version,
    /// Creates and starts a sandbox: the namespaces and the cgroup of a pod, held by the pause container, with its network.
    RunPodSandbox {
        /// What it is like.
        config: Box<PodSandboxConfig>,
        /// The handler of the pod's RuntimeClass; empty for the default one.
        runtime_handler: String,
    },
    /// The state of a sandbox, with its addresses.
    PodSandboxStatus {
        /// The sandbox.
        id: String,
    },
    /// Stops what runs in a sandbox, and gives its network back.
    StopPodSandbox {
        /// The sandbox.
        id: String,
    },
    /// Removes a sandbox with its containers.
    RemovePodSandbox {
        /// The sandbox.
        id: String,
    },
    /// Creates a container in a sandbox.
    CreateContainer {
        /// The sandbox.
        sandbox: String,
        /// What the container is like.
        config: Box<ContainerConfig>,
    },
    /// Starts a container.
    StartContainer {
        /// The container.
        id: String,
    },
    /// Stops a container: its stop signal, and SIGKILL after the timeout.
    StopContainer {
        /// The container.
        id: String,
        /// The timeout in seconds.
        timeout: i64,
        /// The stop signal of its image, which is no field of the request: containerd has it from the image's configuration.
        signal: &'static str,
    },
    /// Removes a container.
    RemoveContainer {
        /// The container.
        id: String,
    },
    /// Runs a command in a container and waits for it: probes and hooks.
    ExecSync {
        /// The container.
        id: String,
        /// The command.
        cmd: Vec<String>,
        /// The timeout in seconds; 0 for none.
        timeout: i64,
    },
    /// Changes the cgroup of a running container.
    UpdateContainerResources {
        /// The container.
        id: String,
        /// The resources.
        linux: LinuxContainerResources,
    },
    /// Whether the runtime has an image, and what it is like.
    ImageStatus {
        /// The image.
        image: String,
    },
    /// Pulls an image.
    PullImage {
        /// The image.
        image: String,
    },
    /// Removes an image.
    RemoveImage {
        /// The image.
        image: String,
    },
}

fn list(words: &[String]) -> String {
    format!("[{}]", words.iter().map(crate::api::quote::go_quote).collect::<Vec<_>>().join(" "))
}

/// Adds a field unless it has its zero value, which protobuf does not send either.
fn add(fields: &mut Vec<Field>, path: &'static str, value: impl Into<String>) {
    let value = value.into();
    if !value.is_empty() {
        fields.push((path, value));
    }
}

fn add_number(fields: &mut Vec<Field>, path: &'static str, number: i64) {
    if number != 0 {
        fields.push((path, number.to_string()));
    }
}

fn add_list(fields: &mut Vec<Field>, path: &'static str, words: &[String]) {
    if !words.is_empty() {
        fields.push((path, list(words)));
    }
}

impl PodSandboxConfig {
    fn add_to(&self, f: &mut Vec<Field>) {
        let [name, namespace, uid] = &self.metadata;
        add(f, "config.metadata.name", name);
        add(f, "config.metadata.namespace", namespace);
        add(f, "config.metadata.uid", uid);
        add_number(f, "config.metadata.attempt", i64::from(self.attempt));
        add(f, "config.hostname", &self.hostname);
        add(f, "config.log_directory", &self.log_directory);
        add_list(f, "config.dns_config.servers", &self.dns_config.servers);
        add_list(f, "config.dns_config.searches", &self.dns_config.searches);
        add_list(f, "config.dns_config.options", &self.dns_config.options);
        add_list(f, "config.port_mappings", &self.port_mappings);
        add(f, "config.linux.cgroup_parent", &self.cgroup_parent);
        let [network, pid, ipc] = self.namespaces;
        add(f, "config.linux.security_context.namespace_options.network", network);
        add(f, "config.linux.security_context.namespace_options.pid", pid);
        add(f, "config.linux.security_context.namespace_options.ipc", ipc);
        add_list(f, "config.linux.sysctls", &self.sysctls);
    }
}

impl LinuxContainerResources {
    fn add_to(&self, f: &mut Vec<Field>, of_config: bool) {
        let paths: [&'static str; 5] = if of_config {
            [
                "config.linux.resources.cpu_period",
                "config.linux.resources.cpu_quota",
                "config.linux.resources.cpu_shares",
                "config.linux.resources.memory_limit_in_bytes",
                "config.linux.resources.oom_score_adj",
            ]
        } else {
            [
                "linux.cpu_period",
                "linux.cpu_quota",
                "linux.cpu_shares",
                "linux.memory_limit_in_bytes",
                "linux.oom_score_adj",
            ]
        };
        let values =
            [self.cpu_period, self.cpu_quota, self.cpu_shares, self.memory_limit, self.oom_score_adj];
        paths.into_iter().zip(values).for_each(|(path, value)| add_number(f, path, value));
        let path = if of_config { "config.linux.resources.cpuset_cpus" } else { "linux.cpuset_cpus" };
        add(f, path, &self.cpuset_cpus);
    }
}

impl ContainerConfig {
    fn add_to(&self, f: &mut Vec<Field>) {
        add(f, "config.metadata.name", &self.name);
        add_number(f, "config.metadata.attempt", i64::from(self.attempt));
        add(f, "config.image.image", &self.image_ref);
        add(f, "config.image.user_specified_image", &self.image);
        add_list(f, "config.command", &self.command);
        add_list(f, "config.args", &self.args);
        add(f, "config.working_dir", &self.working_dir);
        if self.envs > 0 {
            add(f, "config.envs", format!("({})", self.envs));
        }
        for m in &self.mounts {
            let access = if m.readonly { " (ro)" } else { "" };
            add(f, "config.mounts", format!("{} ← {}{access}", m.container_path, m.host_path));
        }
        add(f, "config.log_path", &self.log_path);
        self.resources.add_to(f, true);
        if let Some(user) = self.run_as_user {
            add(f, "config.linux.security_context.run_as_user", user.to_string());
        }
        for (path, is) in [
            ("config.linux.security_context.privileged", self.privileged),
            ("config.linux.security_context.readonly_rootfs", self.readonly_rootfs),
        ] {
            add(f, path, if is { "true" } else { "" });
        }
    }
}

impl Request {
    /// The name of the method.
    pub fn method(&self) -> &'static str {
        match self {
            Request::Version => "Version",
            Request::RunPodSandbox { .. } => "RunPodSandbox",
            Request::PodSandboxStatus { .. } => "PodSandboxStatus",
            Request::StopPodSandbox { .. } => "StopPodSandbox",
            Request::RemovePodSandbox { .. } => "RemovePodSandbox",
            Request::CreateContainer { .. } => "CreateContainer",
            Request::StartContainer { .. } => "StartContainer",
            Request::StopContainer { .. } => "StopContainer",
            Request::RemoveContainer { .. } => "RemoveContainer",
            Request::ExecSync { .. } => "ExecSync",
            Request::UpdateContainerResources { .. } => "UpdateContainerResources",
            Request::ImageStatus { .. } => "ImageStatus",
            Request::PullImage { .. } => "PullImage",
            Request::RemoveImage { .. } => "RemoveImage",
        }
    }

    /// The service that has the method.
    pub fn service(&self) -> Service {
        match self {
            Request::ImageStatus { .. } | Request::PullImage { .. } | Request::RemoveImage { .. } => {
                Service::Image
            }
            _ => Service::Runtime,
        }
    }

    /// The fields of the request, in the order of the messages. Fields with a zero value are left out.
    pub fn fields(&self) -> Vec<Field> {
        let mut f = Vec::new();
        match self {
            Request::Version => add(&mut f, "version", "0.1.0"),
            Request::RunPodSandbox { config, runtime_handler } => {
                config.add_to(&mut f);
                add(&mut f, "runtime_handler", runtime_handler);
            }
            Request::PodSandboxStatus { id }
            | Request::StopPodSandbox { id }
            | Request::RemovePodSandbox { id } => add(&mut f, "pod_sandbox_id", id),
            Request::CreateContainer { sandbox, config } => {
                add(&mut f, "pod_sandbox_id", sandbox);
                config.add_to(&mut f);
            }
            Request::StartContainer { id } | Request::RemoveContainer { id } => {
                add(&mut f, "container_id", id);
            }
            Request::StopContainer { id, timeout, .. } => {
                add(&mut f, "container_id", id);
                add_number(&mut f, "timeout", *timeout);
            }
            Request::ExecSync { id, cmd, timeout } => {
                add(&mut f, "container_id", id);
                add_list(&mut f, "cmd", cmd);
                add_number(&mut f, "timeout", *timeout);
            }
            Request::UpdateContainerResources { id, linux } => {
                add(&mut f, "container_id", id);
                linux.add_to(&mut f, false);
            }
            Request::ImageStatus { image }
            | Request::RemoveImage { image }
            | Request::PullImage { image } => {
                add(&mut f, "image.image", image);
            }
        }
        f
    }
}
