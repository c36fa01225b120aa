//! What a kubelet tells its runtime of a pod and of a container (`kuberuntime_sandbox.go`, `generatePodSandboxConfig`;
//! `kuberuntime_container.go`, `generateContainerConfig`; `kuberuntime_container_linux.go`; `kubelet_pods.go`, `makeMounts`).

use super::cri::{ContainerConfig, DnsConfig, LinuxContainerResources, Mount, PodSandboxConfig};
use super::dns_config::Resolver;
use super::environment::expand;
use super::images;
use super::limits;
use super::mounts::termination_path;
use super::qos::oom_score_adj;
use super::turn::Turn;
use crate::api::MetaExt;
use crate::api::quantity::amount_of;
use crate::api::resource::qos_class;
use crate::api::types::{Container, Node, PodSpec, Volume};

/// The period over which the CPU of a container is limited, in microseconds (`quotaPeriod`).
const CPU_PERIOD: i64 = 100_000;
/// The bounds of CPU shares (`MinShares`, `MaxShares` of `pkg/kubelet/cm`), and the least quota (`MinQuotaPeriod`).
pub(super) const MIN_SHARES: i64 = 2;
const MAX_SHARES: i64 = 262_144;
const MIN_QUOTA: i64 = 1000;

/// For which call resources are worked out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CgroupOf {
    /// A container that is created.
    New,
    /// A container that runs: what is not limited has to be said.
    Running,
}

/// The CPU shares of thousandths of a core (`MilliCPUToShares`).
pub(super) fn shares(milli: i64) -> i64 {
    if milli == 0 { MIN_SHARES } else { (milli.saturating_mul(1024) / 1000).clamp(MIN_SHARES, MAX_SHARES) }
}

/// The weight of so many CPU shares in a cgroup of version 2, from 1 to 10,000: a curve by which 1024 shares, which are one CPU, are 100
/// (`ConvertCPUSharesToCgroupV2Value` of github.com/opencontainers/cgroups).
pub(super) fn weight(shares: i64) -> i64 {
    if shares <= MIN_SHARES {
        return 1;
    }
    if shares >= MAX_SHARES {
        return 10_000;
    }
    let bits = libm::log2(shares as f64);
    let exponent = (bits * bits + 125.0 * bits) / 612.0 - 7.0 / 34.0;
    libm::ceil(libm::pow(10.0, exponent)) as i64
}

/// The CPU shares of a container: of its request or, if that is not there, of its limit.
pub(super) fn shares_of(pod: &PodSpec, spec: &Container) -> i64 {
    let requests = spec.resources.as_ref().and_then(|r| r.requests.as_ref());
    let request = amount_of(requests.and_then(|m| m.get("cpu"))).milli_value();
    let limit = || amount_of(limits::of_container(Some(pod), spec.resources.as_ref(), "cpu")).milli_value();
    shares(if request == 0 { limit() } else { request })
}

/// The quota of thousandths of a core in a period (`MilliCPUToQuota`); 0 without a limit.
fn quota(milli: i64) -> i64 {
    if milli == 0 { 0 } else { (milli.saturating_mul(CPU_PERIOD) / 1000).max(MIN_QUOTA) }
}

/// The cgroup of a container (`calculateLinuxResources`).
fn resources(pod: &PodSpec, spec: &Container, capacity: i64, of: CgroupOf) -> LinuxContainerResources {
    let limited = |name: &str| amount_of(limits::of_container(Some(pod), spec.resources.as_ref(), name));
    let cpu_quota = match quota(limited("cpu").milli_value()) {
        0 if of == CgroupOf::Running => -1,
        quota => quota,
    };
    LinuxContainerResources {
        cpu_shares: shares_of(pod, spec),
        cpu_period: CPU_PERIOD,
        cpu_quota,
        memory_limit: limited("memory").value(),
        oom_score_adj: oom_score_adj(pod, spec, capacity),
        cpuset_cpus: String::new(),
    }
}

impl Turn<'_> {
    /// The cgroup of a container, with what the CPU manager has assigned (`PreCreateContainer`,
    /// `DisableCPUQuotaWithExclusiveCPUs`).
    pub(super) fn linux_resources(&self, spec: &Container, of: CgroupOf) -> LinuxContainerResources {
        let linux = resources(self.spec, spec, self.memory_capacity(), of);
        let Some((cpuset_cpus, has_own)) = self.cpuset(&spec.name) else { return linux };
        let unlimited = if of == CgroupOf::Running { -1 } else { 0 };
        let cpu_quota = if has_own { unlimited } else { linux.cpu_quota };
        LinuxContainerResources { cpuset_cpus, cpu_quota, ..linux }
    }
}

/// Where the files of a volume are on the node; `None` for an image, which the runtime mounts by itself.
fn directory(volume: &Volume, name: &str, pod: &str, csi: Option<&str>) -> Option<String> {
    if let Some(host) = &volume.host_path {
        return Some(host.path.clone());
    }
    if let Some(volume) = csi {
        return Some(format!("{pod}/volumes/kubernetes.io~csi/{volume}/mount"));
    }
    let plugin = [
        ("configmap", volume.config_map.is_some()),
        ("secret", volume.secret.is_some()),
        ("downward-api", volume.downward_api.is_some()),
        ("projected", volume.projected.is_some()),
        ("empty-dir", volume.empty_dir.is_some()),
        ("nfs", volume.nfs.is_some()),
        ("iscsi", volume.iscsi.is_some()),
    ];
    let plugin = plugin.into_iter().find(|(_, is)| *is)?.0;
    Some(format!("{pod}/volumes/kubernetes.io~{plugin}/{name}"))
}

impl Turn<'_> {
    /// The memory of the node, in bytes.
    pub(super) fn memory_capacity(&self) -> i64 {
        let node = self.caches.get::<Node>(self.node_key);
        let capacity = node.and_then(|n| n.status.as_ref()?.capacity.as_ref()?.get("memory"));
        amount_of(capacity).value()
    }

    /// The cgroup of the pod, by its class (`GetPodContainerName`, `ToSystemd`), on a node of kind.
    fn cgroup_parent(&self) -> String {
        let class = match qos_class(self.spec) {
            "Burstable" => "-burstable",
            "BestEffort" => "-besteffort",
            _ => "",
        };
        let uid = self.rt.uid.replace('-', "_");
        let root = "/kubelet.slice/kubelet-kubepods.slice";
        let of_class =
            if class.is_empty() { String::new() } else { format!("/kubelet-kubepods{class}.slice") };
        format!("{root}{of_class}/kubelet-kubepods{class}-pod{uid}.slice")
    }

    /// The configuration of the pod's sandbox.
    pub(super) fn sandbox_config(&self) -> PodSandboxConfig {
        let m = &self.pod.metadata;
        let (name, namespace) = (MetaExt::name(m).to_owned(), MetaExt::namespace(m).to_owned());
        let on_host = self.spec.host_network == Some(true);
        let Resolver { servers, searches, options, .. } = self.resolver();
        let ports = self.spec.containers.iter().flat_map(|c| c.ports.iter().flatten());
        let port_mappings = ports.filter(|_| !on_host).filter_map(|p| {
            let host = p.host_port.filter(|p| *p > 0)?;
            Some(format!("{} {}:{host}", p.protocol.as_deref().unwrap_or("TCP"), p.container_port))
        });
        let shares_pids = self.spec.share_process_namespace == Some(true);
        let namespaces = [
            if on_host { "NODE" } else { "POD" },
            match (self.spec.host_pid == Some(true), shares_pids) {
                (true, _) => "NODE",
                (false, true) => "POD",
                (false, false) => "CONTAINER",
            },
            if self.spec.host_ipc == Some(true) { "NODE" } else { "POD" },
        ];
        let sysctls = self.spec.security_context.iter().flat_map(|c| c.sysctls.iter().flatten());
        PodSandboxConfig {
            log_directory: format!("/var/log/pods/{namespace}_{name}_{}", self.rt.uid),
            metadata: [name, namespace, self.rt.uid.to_string()],
            attempt: 0,
            hostname: if on_host { String::new() } else { self.kernel_host_name().unwrap_or_default() },
            dns_config: DnsConfig { servers, searches, options },
            port_mappings: port_mappings.collect(),
            cgroup_parent: self.cgroup_parent(),
            namespaces,
            sysctls: sysctls.map(|s| format!("{}={}", s.name, s.value)).collect(),
        }
    }

    /// The configuration of a container.
    pub(super) fn container_config(&self, i: usize, spec: &Container) -> ContainerConfig {
        let image = spec.image.clone().unwrap_or_default();
        let env = self.environment(spec);
        let words = |list: &Option<Vec<String>>| list.iter().flatten().map(|w| expand(w, &env)).collect();
        let attempt = self.rt.containers.get(i).map_or(0, |c| c.restarts);
        let own = spec.security_context.as_ref();
        let of_pod = self.spec.security_context.as_ref();
        ContainerConfig {
            name: spec.name.clone(),
            attempt,
            image_ref: format!("sha256:{}", images::config_digest(&image)),
            image,
            command: words(&spec.command),
            args: words(&spec.args),
            working_dir: spec.working_dir.clone().unwrap_or_default(),
            envs: env.len(),
            mounts: self.cri_mounts(spec, attempt),
            log_path: format!("{}/{attempt}.log", spec.name),
            resources: self.linux_resources(spec, CgroupOf::New),
            run_as_user: own.and_then(|c| c.run_as_user).or_else(|| of_pod?.run_as_user),
            privileged: own.and_then(|c| c.privileged) == Some(true),
            readonly_rootfs: own.and_then(|c| c.read_only_root_filesystem) == Some(true),
        }
    }

    /// The mounts of a container: its volumes, the file of hosts, and the file for its last message.
    fn cri_mounts(&self, spec: &Container, attempt: i32) -> Vec<Mount> {
        let pod = format!("/var/lib/kubelet/pods/{}", self.rt.uid);
        let volumes = || self.spec.volumes.iter().flatten();
        let mut mounts: Vec<Mount> = Vec::new();
        for (n, mount) in spec.volume_mounts.iter().flatten().enumerate() {
            let Some(volume) = volumes().find(|v| v.name == mount.name) else { continue };
            let claim = volume.persistent_volume_claim.as_ref().map(|c| c.claim_name.as_str());
            let bound = self.rt.volumes.iter().find(|v| match (v.inline, claim) {
                (true, _) => *v.volume == *volume.name,
                (false, Some(claim)) => *v.claim.name == *claim,
                (false, None) => volume.ephemeral.is_some(),
            });
            let part = mount.sub_path.as_deref().or(mount.sub_path_expr.as_deref());
            let host_path = match part.filter(|p| !p.is_empty()) {
                Some(_) => Some(format!(
                    "{pod}/volume-subpaths/{}/{}/{n}",
                    self.spec.volume_name(&volume.name),
                    spec.name
                )),
                None => {
                    directory(volume, self.spec.volume_name(&volume.name), &pod, bound.map(|v| &*v.volume))
                }
            };
            let Some(host_path) = host_path else { continue };
            let readonly = mount.read_only == Some(true);
            mounts.push(Mount { container_path: mount.mount_path.clone(), host_path, readonly });
        }
        let hosts = spec.volume_mounts.iter().flatten().any(|m| m.mount_path == "/etc/hosts");
        if !self.rt.addresses.is_empty() && !hosts {
            let host_path = format!("{pod}/etc-hosts");
            mounts.push(Mount { container_path: "/etc/hosts".into(), host_path, readonly: false });
        }
        // A real kubelet takes eight digits by chance.
        let digits = images::number(&[&self.rt.uid, &spec.name, &attempt.to_string()]);
        mounts.push(Mount {
            container_path: termination_path(spec).to_owned(),
            host_path: format!("{pod}/containers/{}/{digits:08x}", spec.name),
            readonly: false,
        });
        mounts
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    /// `kuberuntime_container_linux_test.go`, `TestGenerateLinuxContainerConfigResources`; `helpers_linux.go`.
    #[test]
    fn the_cgroup_of_a_container() {
        let of = |own: serde_json::Value, call| {
            let spec = json!({"containers": [{"name": "c", "resources": own}]});
            let spec: PodSpec = serde_json::from_value(spec).unwrap();
            resources(&spec, spec.containers.first().unwrap(), 8_000_000_000, call)
        };
        let none = of(json!({}), CgroupOf::New);
        assert_eq!((none.cpu_shares, none.cpu_quota, none.memory_limit), (2, 0, 0));
        assert_eq!((none.cpu_period, none.oom_score_adj), (100_000, 1000));
        assert_eq!(of(json!({}), CgroupOf::Running).cpu_quota, -1);
        let some = json!({"requests": {"cpu": "1"}, "limits": {"cpu": "2", "memory": "128Mi"}});
        let some = of(some, CgroupOf::New);
        assert_eq!((some.cpu_shares, some.cpu_quota, some.memory_limit), (1024, 200_000, 134_217_728));
        let limit = of(json!({"limits": {"cpu": "5m"}}), CgroupOf::New);
        assert_eq!((limit.cpu_shares, limit.cpu_quota), (5, 1000));
        let pod =
            json!({"resources": {"limits": {"cpu": "1", "memory": "64Mi"}}, "containers": [{"name": "c"}]});
        let pod: PodSpec = serde_json::from_value(pod).unwrap();
        let of_pod = resources(&pod, pod.containers.first().unwrap(), 8_000_000_000, CgroupOf::New);
        assert_eq!((of_pod.cpu_quota, of_pod.memory_limit), (100_000, 67_108_864));
    }

    /// The examples of github.com/opencontainers/cgroups: the least, one CPU, and the most.
    #[test]
    fn shares_are_weights_in_a_cgroup_of_version_2() {
        let all = [(0, 1), (2, 1), (1024, 100), (262_144, 10_000), (256, 35), (512, 59)];
        assert_eq!(all.map(|(shares, _)| weight(shares)), all.map(|(_, is)| is));
        assert!((3..3000).all(|shares| weight(shares) >= weight(shares - 1)));
    }
}
