//! The files that a container finds: those that the kubelet writes for it, and those of its volumes.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::turn::Turn;
use crate::api::types::{Container, DownwardAPIVolumeFile, KeyToPath, PodSpec, Service, Volume};
use crate::api::{Key, MetaExt};
use crate::shell::absolute;

/// The address of the cluster's DNS where there is no Service for it, as kubeadm sets it.
const DNS: &str = "10.96.0.10";

/// The address of the DNS that a node itself asks: in a machine of kind's that is the gateway of its network.
const NODE_DNS: &str = "172.18.0.1";

/// The first of each of several alike.
fn unique(all: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(all.len());
    for one in all {
        if !out.contains(&one) {
            out.push(one);
        }
    }
    out
}

/// The types of `hostPath` that are mounted as one file, of which nobody knows what is in it.
const NO_DIRECTORY: [&str; 5] = ["File", "FileOrCreate", "Socket", "CharDevice", "BlockDevice"];

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

/// What a volume has in it.
enum Content {
    /// Files that the kubelet writes.
    Files(BTreeMap<String, String>),
    /// A directory that containers write to.
    Directory,
}

/// The files of a ConfigMap or Secret, at the paths of `items` if there are any.
fn chosen(all: BTreeMap<String, String>, items: Option<&[KeyToPath]>) -> BTreeMap<String, String> {
    match items {
        Some(items) if !items.is_empty() => {
            items.iter().filter_map(|i| Some((i.path.clone(), all.get(&i.key)?.clone()))).collect()
        }
        _ => all,
    }
}

impl Turn<'_> {
    fn downward(&self, items: Option<&[DownwardAPIVolumeFile]>) -> BTreeMap<String, String> {
        let file = |i: &DownwardAPIVolumeFile| {
            let text = match (&i.field_ref, &i.resource_field_ref) {
                (Some(field), _) => self.field(field),
                (None, Some(resource)) => self.resource(resource, None),
                (None, None) => String::new(),
            };
            (i.path.clone(), text)
        };
        items.unwrap_or_default().iter().map(file).collect()
    }

    fn content(&self, volume: &Volume) -> Content {
        if let Some(c) = &volume.config_map {
            return Content::Files(chosen(self.config_map(&c.name), c.items.as_deref()));
        }
        if let Some(s) = &volume.secret {
            let name = s.secret_name.as_deref().unwrap_or_default();
            return Content::Files(chosen(self.secret(name), s.items.as_deref()));
        }
        if let Some(d) = &volume.downward_api {
            return Content::Files(self.downward(d.items.as_deref()));
        }
        let Some(projected) = &volume.projected else { return Content::Directory };
        let mut files = BTreeMap::new();
        for source in projected.sources.iter().flatten() {
            if let Some(c) = &source.config_map {
                files.extend(chosen(self.config_map(&c.name), c.items.as_deref()));
            }
            if let Some(s) = &source.secret {
                files.extend(chosen(self.secret(&s.name), s.items.as_deref()));
            }
            if let Some(d) = &source.downward_api {
                files.extend(self.downward(d.items.as_deref()));
            }
            if let Some(t) = &source.service_account_token {
                // Nobody checks tokens here, so a file that is there is all that a program can find out.
                let account = self.spec.service_account_name.as_deref().unwrap_or("default");
                files.insert(t.path.clone(), format!("{}/{account}", MetaExt::namespace(&self.pod.metadata)));
            }
        }
        Content::Files(files)
    }

    /// The files of a container's volumes with their content; `None` is a directory.
    pub(super) fn mounted_files(&self, spec: &Container) -> BTreeMap<String, Option<Rc<str>>> {
        let mut all = BTreeMap::new();
        for mount in spec.volume_mounts.iter().flatten() {
            let Some(volume) = self.spec.volumes.iter().flatten().find(|v| v.name == mount.name) else {
                continue;
            };
            let of_node = volume.host_path.as_ref().and_then(|h| h.type_.as_deref());
            if of_node.is_some_and(|t| NO_DIRECTORY.contains(&t)) {
                continue;
            }
            let path = absolute("/", &mount.mount_path);
            let part = mount.sub_path.as_deref().unwrap_or_default().trim_matches('/');
            match self.content(volume) {
                Content::Directory => {
                    all.insert(path, None);
                }
                Content::Files(files) => {
                    let whole = files.get(part).map(|text| (path.clone(), Some(text.as_str().into())));
                    if whole.is_none() {
                        all.insert(path.clone(), None);
                    }
                    all.extend(whole);
                    for (file, text) in files {
                        let below = match part {
                            "" => Some(file.as_str()),
                            _ => file.strip_prefix(part).and_then(|f| f.strip_prefix('/')),
                        };
                        if let Some(below) = below {
                            all.insert(absolute(&path, below), Some(text.as_str().into()));
                        }
                    }
                }
            }
        }
        all
    }

    /// The files that the kubelet writes for every container.
    pub(super) fn own_files(&self, spec: &Container) -> BTreeMap<String, Option<Rc<str>>> {
        let ns = MetaExt::namespace(&self.pod.metadata);
        let host = self.host_name();
        // A pod with a subdomain has its full name before the short one (`GeneratePodHostNameAndDomain`).
        let subdomain = self.spec.subdomain.as_deref().filter(|s| !s.is_empty());
        let full = subdomain.map(|s| format!("{host}.{s}.{ns}.svc.cluster.local\t")).unwrap_or_default();
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
            ("/etc/hostname".to_owned(), text(format!("{host}\n"))),
            ("/etc/hosts".to_owned(), text(hosts)),
            ("/etc/resolv.conf".to_owned(), text(self.resolv_conf())),
            (termination_path(spec).to_owned(), text(String::new())),
        ])
    }

    /// What the pod's resolver is told (`pkg/kubelet/network/dns`).
    fn resolv_conf(&self) -> String {
        let ns = MetaExt::namespace(&self.pod.metadata);
        let config = self.spec.dns_config.as_ref();
        let policy = self.spec.dns_policy.as_deref().unwrap_or("ClusterFirst");
        let (mut servers, mut searches, mut options) =
            (Vec::new(), Vec::new(), Vec::<(String, String)>::new());
        match policy {
            "None" => {}
            "Default" => {
                servers.push(NODE_DNS.to_owned());
                options.push(("ndots".to_owned(), "0".to_owned()));
            }
            "ClusterFirst" if self.spec.host_network == Some(true) => {
                servers.push(NODE_DNS.to_owned());
                options.push(("ndots".to_owned(), "0".to_owned()));
            }
            _ => {
                let service = self.caches.get::<Service>(&Key::new("kube-system", "kube-dns"));
                let server = service.and_then(|s| s.spec.as_ref()?.cluster_ip.clone());
                servers.push(server.unwrap_or_else(|| DNS.into()));
                searches.extend([
                    format!("{ns}.svc.cluster.local"),
                    "svc.cluster.local".into(),
                    "cluster.local".into(),
                ]);
                options.push(("ndots".to_owned(), "5".to_owned()));
            }
        }
        servers.extend(config.iter().flat_map(|c| c.nameservers.iter().flatten().cloned()));
        searches.extend(config.iter().flat_map(|c| c.searches.iter().flatten().cloned()));
        for option in config.iter().flat_map(|c| c.options.iter().flatten()) {
            let (name, value) =
                (option.name.clone().unwrap_or_default(), option.value.clone().unwrap_or_default());
            options.retain(|(before, _)| *before != name);
            options.push((name, value));
        }
        let mut text = String::new();
        let searches = unique(searches);
        if !searches.is_empty() {
            text.push_str(&format!("search {}\n", searches.join(" ")));
        }
        for server in unique(servers) {
            text.push_str(&format!("nameserver {server}\n"));
        }
        if !options.is_empty() {
            let word = |(name, value): &(String, String)| {
                if value.is_empty() { name.clone() } else { format!("{name}:{value}") }
            };
            text.push_str(&format!("options {}\n", options.iter().map(word).collect::<Vec<_>>().join(" ")));
        }
        text
    }

    /// The name of the pod's host.
    pub(super) fn host_name(&self) -> String {
        let name = MetaExt::name(&self.pod.metadata);
        if self.spec.host_network == Some(true) {
            return self.node_key.name.to_string();
        }
        let name = self.spec.hostname.as_deref().filter(|h| !h.is_empty()).unwrap_or(name);
        // A host's name has at most 63 characters (`truncatePodHostnameIfNeeded`).
        name.chars().take(63).collect::<String>().trim_end_matches(['-', '.']).to_owned()
    }

    /// The writable volumes of a container: the path of the mount, and the volume with the part that is mounted.
    pub(super) fn shared_mounts(&self, spec: &Container) -> Vec<(String, String)> {
        let writable = |name: &str| {
            self.spec.volumes.iter().flatten().any(|v| {
                v.name == name
                    && v.config_map.is_none()
                    && v.secret.is_none()
                    && v.downward_api.is_none()
                    && v.projected.is_none()
            })
        };
        let mounts = spec.volume_mounts.iter().flatten().filter(|m| writable(&m.name));
        mounts
            .map(|m| {
                let part = m.sub_path.as_deref().unwrap_or_default();
                (absolute("/", &m.mount_path), absolute("/", &format!("{}/{part}", m.name)))
            })
            .collect()
    }
}

/// Where a container can write a last message.
pub(super) fn termination_path(spec: &Container) -> &str {
    spec.termination_message_path.as_deref().filter(|p| !p.is_empty()).unwrap_or("/dev/termination-log")
}
