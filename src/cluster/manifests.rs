//! The manifests of static pods: files on the nodes, and what kubelets have read from URLs. What a kubelet makes of one stands in [`kubelet::manifest`]; decoding,
//! defaults and validation are the API server's, whose code a real kubelet shares.

use std::rc::Rc;

use super::Cluster;
use super::action::Actor;
use super::fault::NoSuchFault;
use crate::api::types::Pod;
use crate::api::{Kind, Object};
use crate::apiserver::static_pod::{self, Undecoded};
use crate::kubelet::manifest::Source;
use crate::kubelet::{self, Decoded, Manifest, ManifestChange, manifest};

/// The most bytes of a manifest (`maxConfigLength` in `pkg/kubelet/config/common.go`).
const MAX_CONFIG_LENGTH: usize = 10 << 20;

/// The pod of a manifest.
fn pod_of(text: &str, file: &str, node: &str) -> Result<Pod, String> {
    if text.len() > MAX_CONFIG_LENGTH {
        return Err(format!("the file is longer than {MAX_CONFIG_LENGTH} bytes"));
    }
    let pod = static_pod::decode_pod(text).map_err(|e| e.of_file())?;
    taken(pod, Source::File(file), node)
}

/// A pod as a kubelet takes it from a source.
fn taken(mut pod: Pod, source: Source<'_>, node: &str) -> Result<Pod, String> {
    manifest::apply_defaults(&mut pod, source, node);
    static_pod::validate_pod(&pod)?;
    manifest::refers_to_nothing(&pod)?;
    Ok(pod)
}

/// The pods of what a kubelet has read from a URL: one pod, or a list of them (`extractFromURL`).
fn pods_of(data: &str, url: &str, node: &str) -> Result<Vec<Rc<Pod>>, String> {
    let pods = match static_pod::decode_pod(data) {
        Ok(pod) => vec![pod],
        Err(Undecoded::Unusable(why)) => return Err(why),
        Err(Undecoded::Unparsed(single)) => match static_pod::decode_pod_list(data) {
            Ok(pods) => pods,
            Err(Undecoded::Unusable(why)) => return Err(why),
            Err(Undecoded::Unparsed(multi)) => {
                return Err(format!(
                    "{url}: received '{data}', but couldn't parse as single ({single}) or multiple pods ({multi})"
                ));
            }
        },
    };
    pods.into_iter().map(|pod| taken(pod, Source::Url(url), node).map(Rc::new)).collect()
}

impl Cluster {
    /// The manifests on the nodes: each with the node's name and the file's name.
    pub fn manifests(&self) -> impl Iterator<Item = (&str, &str, &Manifest)> {
        self.processes().filter_map(|p| Some((p.node.as_deref()?, p))).flat_map(|(node, p)| {
            let states = p.components.iter().filter_map(|c| c.state().downcast_ref::<kubelet::State>());
            states.flat_map(move |s| s.manifests.iter().map(move |(file, m)| (node, &**file, &**m)))
        })
    }

    /// The kubelet of a node, whether it runs or not.
    fn kubelet_on(&self, node: &str) -> Option<(Actor, &kubelet::State)> {
        let process = self.find_process("kubelet", Some(node)).ok()?;
        let components = (0..).zip(&self.processes.get(process as usize)?.components);
        let mut states = components.filter_map(|(component, c)| {
            Some((Actor { process, component }, c.state().downcast_ref::<kubelet::State>()?))
        });
        states.next()
    }

    /// Puts a file into a node's directory of manifests, changes it or takes it away.
    pub(super) fn set_manifest(
        &mut self,
        node: &str,
        file: &str,
        text: Option<&str>,
    ) -> Result<(), NoSuchFault> {
        let (kubelet, state) = self.kubelet_on(node).ok_or(NoSuchFault)?;
        let there = state.manifests.get(file).map(|m| &*m.text);
        if there == text || file.is_empty() || file.contains('/') {
            return Err(NoSuchFault);
        }
        let manifest = text.map(|text| Manifest {
            text: text.into(),
            pod: pod_of(text, file, node).map(Rc::new).map_err(Rc::from),
        });
        let change = ManifestChange { file: file.into(), manifest };
        if !self.happen_to(kubelet, &change) {
            return Err(NoSuchFault);
        }
        self.tell_etcd();
        Ok(())
    }

    /// Works out for a kubelet which pods it has read from a URL, if it has read something new.
    pub(super) fn decode_read(&mut self, kubelet: Actor) {
        let process = self.processes.get(kubelet.process as usize);
        let component = process.and_then(|p| p.components.get(usize::from(kubelet.component)));
        let Some(state) = component.and_then(|c| c.state().downcast_ref::<kubelet::State>()) else { return };
        let Some(url) = state.url.as_ref().filter(|url| url.undecoded) else { return };
        let node = process.and_then(|p| p.node.as_deref()).unwrap_or_default();
        let (Some(data), Ok(declared)) = (&url.data, &url.declared) else { return };
        let pods = pods_of(data, &declared.text, node).map_err(Rc::from);
        let decoded = Decoded { data: data.clone(), pods };
        self.component_fault(kubelet, &decoded);
    }

    /// Gives the nodes the manifests of the mirror pods that the cluster began with.
    pub(super) fn adopt_mirror_pods(&mut self) {
        let of = |object: &Object| {
            let pod = object.get::<Pod>()?;
            let node = pod.spec.as_ref()?.node_name.clone()?;
            Some((node, manifest::adopt(pod)?))
        };
        let found: Vec<_> = self.api().cached_list(Kind::POD, None).filter_map(|(_, o)| of(o)).collect();
        for (node, change) in found {
            if let Some((kubelet, _)) = self.kubelet_on(&node) {
                self.happen_to(kubelet, &change);
            }
        }
    }
}
