//! The files that a container finds: those that the kubelet writes for it, and those of its volumes.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::environment::expand;
use super::payload::{DIRECTORY_MODE, STICKY, directory};
use super::projection::is_written;
use super::turn::Turn;
use crate::api::types::{Container, PodSpec, Volume, VolumeMount};
use crate::api::{MetaExt, Timestamp};
use crate::shell::{Change, Write, absolute};

/// The types of `hostPath` that are mounted as one file, of which nobody knows what is in it.
const NO_DIRECTORY: [&str; 5] = ["File", "FileOrCreate", "Socket", "CharDevice", "BlockDevice"];

/// The longest name of a host that Linux takes (`__NEW_UTS_LEN`).
const FQDN_LIMIT: usize = 64;

/// Whether a container has a volume whose content comes from outside of the cluster: a directory of the node, or one of a
/// file server.
pub(super) fn has_unknown_files(spec: &PodSpec, container: &Container) -> bool {
    let mounted = |v: &Volume| container.volume_mounts.iter().flatten().any(|m| m.name == v.name);
    let known = |v: &Volume| {
        v.empty_dir.is_some()
            || v.config_map.is_some()
            || v.secret.is_some()
            || v.downward_api.is_some()
            || v.projected.is_some()
            || v.persistent_volume_claim.is_some()
            || v.ephemeral.is_some()
    };
    spec.volumes.iter().flatten().any(|v| mounted(v) && !known(v))
}

impl Turn<'_> {
    /// The part of a volume that a container mounts; empty for all of it.
    fn part_of(&self, spec: &Container, mount: &VolumeMount) -> String {
        let part = match mount.sub_path_expr.as_deref().filter(|e| !e.is_empty()) {
            Some(expression) => expand(expression, &self.environment(spec)),
            None => mount.sub_path.clone().unwrap_or_default(),
        };
        part.trim_matches('/').to_owned()
    }

    /// What a container finds in its volumes: since when it runs, and how many versions of the pod's volumes there were then.
    pub(super) fn volume_files(&self, spec: &Container, since: (Timestamp, u64)) -> Vec<Write> {
        let mut all = Vec::new();
        for mount in spec.volume_mounts.iter().flatten() {
            let Some(volume) = self.spec.volumes.iter().flatten().find(|v| v.name == mount.name) else {
                continue;
            };
            let of_node = volume.host_path.as_ref().and_then(|h| h.type_.as_deref());
            if of_node.is_some_and(|t| NO_DIRECTORY.contains(&t)) {
                continue;
            }
            if is_written(volume) {
                all.extend(self.found_files(mount, &self.part_of(spec, mount), since.1));
                continue;
            }
            let path = absolute("/", &mount.mount_path);
            all.push(Write { at: since.0, path: path.clone(), change: Change::Directory });
            let whole = self.part_of(spec, mount).is_empty();
            if let Some(empty) = volume.empty_dir.as_ref().filter(|_| whole) {
                let in_memory = empty.medium.as_deref() == Some("Memory");
                let mode = if in_memory { DIRECTORY_MODE | STICKY } else { DIRECTORY_MODE };
                let group = self.spec.security_context.as_ref().and_then(|c| c.fs_group);
                all.push(Write { at: since.0, path, change: Change::Access(directory(mode, group)) });
            }
        }
        all
    }

    /// All that the kubelet has put into the file system of a container; `since` as for [`Self::volume_files`].
    pub(super) fn all_files(&self, spec: &Container, since: (Timestamp, u64)) -> Vec<Write> {
        let own = self.own_files(spec).into_iter();
        let own = own.map(|(path, text)| Write {
            at: since.0,
            path,
            change: text.map_or(Change::Directory, Change::Put),
        });
        own.chain(self.volume_files(spec, since)).collect()
    }

    /// Where file systems are mounted in a container, and whether for reading only.
    pub(super) fn file_systems(&self, spec: &Container) -> Vec<(String, bool)> {
        let root = spec.security_context.as_ref().and_then(|c| c.read_only_root_filesystem) == Some(true);
        let mut all = Vec::new();
        if root {
            all.extend([("/".to_owned(), true), ("/dev".to_owned(), false), ("/proc".to_owned(), false)]);
            all.push((termination_path(spec).to_owned(), false));
        }
        for mount in spec.volume_mounts.iter().flatten() {
            let volume = self.spec.volumes.iter().flatten().find(|v| v.name == mount.name);
            let of_source = |v: &Volume| {
                is_written(v)
                    || v.image.is_some()
                    || v.nfs.as_ref().and_then(|n| n.read_only) == Some(true)
                    || v.persistent_volume_claim.as_ref().and_then(|c| c.read_only) == Some(true)
            };
            let read_only = mount.read_only == Some(true) || volume.is_some_and(of_source);
            if root || read_only {
                all.push((absolute("/", &mount.mount_path), read_only));
            }
        }
        all
    }

    /// The files that the kubelet writes for every container.
    pub(super) fn own_files(&self, spec: &Container) -> BTreeMap<String, Option<Rc<str>>> {
        let host = self.host_name();
        let kernel = self.kernel_host_name().unwrap_or_else(|_| host.clone());
        // A pod with a subdomain has its full name before the short one (`managedHostsFileContent`).
        let full = self.domain().map(|domain| format!("{host}.{domain}\t")).unwrap_or_default();
        let own: Vec<String> = self.rt.addresses.iter().map(|ip| format!("{ip}\t{full}{host}\n")).collect();
        let own = own.concat();
        let mut hosts = format!(
            "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\nfe00::\tip6-localnet\nfe00::\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n{own}"
        );
        let aliases = self.spec.host_aliases.iter().flatten();
        let aliases: Vec<String> = aliases
            .map(|a| format!("{}\t{}\n", a.ip, a.hostnames.as_deref().unwrap_or_default().join("\t")))
            .collect();
        if !aliases.is_empty() {
            hosts.push_str("\n# Entries added by HostAliases.\n");
            hosts.extend(aliases);
        }
        let text = |t: String| Some(Rc::from(t));
        BTreeMap::from([
            ("/etc/hostname".to_owned(), text(format!("{kernel}\n"))),
            ("/etc/hosts".to_owned(), text(hosts)),
            ("/etc/resolv.conf".to_owned(), text(self.resolv_conf())),
            (termination_path(spec).to_owned(), text(String::new())),
        ])
    }

    /// The name of the pod's host.
    pub(super) fn host_name(&self) -> String {
        let name = MetaExt::name(&self.pod.metadata);
        if self.spec.host_network == Some(true) {
            return self.node_key.name.to_string();
        }
        if let Some(name) = self.hostname_override() {
            return name.to_owned();
        }
        let name = self.spec.hostname.as_deref().filter(|h| !h.is_empty()).unwrap_or(name);
        // A host's name has at most 63 characters (`truncatePodHostnameIfNeeded`).
        name.chars().take(63).collect::<String>().trim_end_matches(['-', '.']).to_owned()
    }

    /// The name that stands for everything else which decides the host's name (`hostnameOverride`, KEP-4762); there is no domain then.
    fn hostname_override(&self) -> Option<&str> {
        self.spec.hostname_override.as_deref().filter(|name| !name.is_empty())
    }

    /// The domain of the pod's host: that of its subdomain (`GeneratePodHostNameAndDomain`).
    fn domain(&self) -> Option<String> {
        let subdomain = self.spec.subdomain.as_deref().filter(|s| !s.is_empty())?;
        let ns = MetaExt::namespace(&self.pod.metadata);
        self.hostname_override().is_none().then(|| format!("{subdomain}.{ns}.svc.cluster.local"))
    }

    /// The name of the pod's host as the kernel has it (`GetNodenameForKernel`), which is what `hostname` prints. `Err` is the message
    /// about a name with its domain that is longer than the kernel's limit.
    pub(super) fn kernel_host_name(&self) -> Result<String, String> {
        let host = self.host_name();
        let Some(domain) = self.domain().filter(|_| self.spec.set_hostname_as_fqdn == Some(true)) else {
            return Ok(host);
        };
        let full = format!("{host}.{domain}");
        if full.len() > FQDN_LIMIT {
            let long = full.len();
            return Err(format!(
                "failed to construct FQDN from pod hostname and cluster domain, FQDN {full} is too long ({FQDN_LIMIT} characters is the max, {long} characters requested)"
            ));
        }
        Ok(full)
    }

    /// The writable volumes of a container: the path of the mount, and the volume with the part that is mounted.
    pub(super) fn shared_mounts(&self, spec: &Container) -> Vec<(String, String)> {
        let writable =
            |name: &str| self.spec.volumes.iter().flatten().any(|v| v.name == name && !is_written(v));
        let mounts = spec.volume_mounts.iter().flatten().filter(|m| writable(&m.name));
        mounts
            .map(|m| {
                let part = self.part_of(spec, m);
                (absolute("/", &m.mount_path), absolute("/", &format!("{}/{part}", m.name)))
            })
            .collect()
    }
}

/// Where a container can write a last message.
pub(super) fn termination_path(spec: &Container) -> &str {
    spec.termination_message_path.as_deref().filter(|p| !p.is_empty()).unwrap_or("/dev/termination-log")
}
