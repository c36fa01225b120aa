//! What kubelets may do (`plugin/pkg/auth/authorizer/node/node_authorizer.go`): what concerns their own node, and the objects
//! that the pods on it need. There a graph of all pods is kept; here the pods are looked through when a kubelet's user asks.
//! The kubelets of the cluster itself send typed requests and are not asked, so that happens for whoever impersonates one.

use super::access::{Access, Asked, Resource};
use super::{Decision, rules};
use crate::api::bootstrap_policy::objects;
use crate::api::quote::go_quote;
use crate::api::types::rbac::PolicyRule;
use crate::api::types::{ClusterRole, PersistentVolume, Pod, VolumeAttachment};
use crate::api::{ApiKind, Kind, MetaExt, ObjectRef, pod_references};
use crate::apimachinery::UserInfo;
use crate::apimachinery::user::{NODE_PREFIX, NODES};
use crate::apiserver::ApiServer;

/// The annotation of a pod that stands for one that its kubelet runs by itself.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// The node of a kubelet's user (`nodeidentifier`); `None` for any other user.
pub(super) fn name_of(user: &UserInfo) -> Option<&str> {
    user.name.strip_prefix(NODE_PREFIX).filter(|_| user.is_in(NODES))
}

/// Whether a kubelet may do what is asked for, as far as that follows from its node.
pub(super) fn authorize(api: &ApiServer, access: &Access) -> Decision {
    let Some(node) = name_of(&access.user) else { return Decision::default() };
    if node.is_empty() {
        return Decision::no(format!("unknown node for user {}", go_quote(&access.user.name)));
    }
    let Asked::Resource(of) = &access.of else { return by_node_rules(access) };
    let asks = Asks { api, node, verb: &access.verb, of };
    match (of.group.as_str(), of.resource.as_str()) {
        ("", "secrets" | "configmaps") => asks.read(),
        ("", "persistentvolumeclaims") if of.subresource == "status" => asks.status(),
        ("", "persistentvolumeclaims" | "persistentvolumes")
        | ("resource.k8s.io", "resourceclaims")
        | ("storage.k8s.io", "volumeattachments") => asks.get(),
        ("", "serviceaccounts") => asks.account(),
        ("coordination.k8s.io", "leases") => asks.lease(),
        ("storage.k8s.io", "csinodes") => asks.csi_node(),
        ("resource.k8s.io", "resourceslices") => asks.slices(),
        ("", "nodes") => asks.nodes(),
        ("", "pods") => asks.pods(),
        _ => by_node_rules(access),
    }
}

/// Everything else is as the default role `system:node` says, whether it is bound or not.
fn by_node_rules(access: &Access) -> Decision {
    let all = objects(false);
    let role = all.iter().filter_map(|o| o.get::<ClusterRole>()).find(|r| r.metadata.name() == "system:node");
    let rules: &[PolicyRule] = role.and_then(|r| r.rules.as_deref()).unwrap_or_default();
    Decision { allowed: rules.iter().any(|rule| rules::allows(rule, access)), reason: String::new() }
}

/// What a kubelet asks for.
struct Asks<'a> {
    api: &'a ApiServer,
    node: &'a str,
    verb: &'a str,
    of: &'a Resource,
}

impl Asks<'_> {
    fn read(&self) -> Decision {
        if !matches!(self.verb, "get" | "list" | "watch") {
            return Decision::no("can only read resources of this type");
        }
        if !self.of.subresource.is_empty() {
            return Decision::no("cannot read subresource");
        }
        if self.of.namespace.is_empty() {
            return Decision::no("can only read namespaced object of this type");
        }
        self.related()
    }

    fn status(&self) -> Decision {
        if matches!(self.verb, "update" | "patch") {
            return self.related();
        }
        Decision::no("can only get/update/patch this type")
    }

    fn get(&self) -> Decision {
        if self.verb != "get" {
            return Decision::no("can only get individual resources of this type");
        }
        if !self.of.subresource.is_empty() {
            return Decision::no("cannot get subresource");
        }
        self.related()
    }

    fn account(&self) -> Decision {
        if self.verb == "get" && self.of.subresource.is_empty() {
            return self.read();
        }
        if self.verb != "create" || self.of.name.is_empty() {
            return Decision::no("can only create tokens for individual service accounts");
        }
        if self.of.subresource != "token" {
            return Decision::no("can only create token subresource of serviceaccount");
        }
        self.related()
    }

    fn lease(&self) -> Decision {
        if !matches!(self.verb, "get" | "create" | "update" | "patch" | "delete") {
            return Decision::no("can only get, create, update, patch, or delete a node lease");
        }
        if self.of.namespace != "kube-node-lease" {
            return Decision::no("can only access leases in the \"kube-node-lease\" system namespace");
        }
        if self.verb != "create" && self.of.name != self.node {
            return Decision::no("can only access node lease with the same name as the requesting node");
        }
        Decision::yes("")
    }

    fn csi_node(&self) -> Decision {
        if !matches!(self.verb, "get" | "create" | "update" | "patch" | "delete") {
            return Decision::no("can only get, create, update, patch, or delete a CSINode");
        }
        if !self.of.subresource.is_empty() {
            return Decision::no("cannot authorize CSINode subresources");
        }
        if self.verb != "create" && self.of.name != self.node {
            return Decision::no("can only access CSINode with the same name as the requesting node");
        }
        Decision::yes("")
    }

    fn slices(&self) -> Decision {
        if !self.of.subresource.is_empty() {
            return Decision::no("cannot authorize ResourceSlice subresources");
        }
        match self.verb {
            "create" => Decision::yes(""),
            "get" | "update" | "patch" | "delete" => self.related(),
            "watch" | "list" | "deletecollection" if self.is_of_node() => Decision::yes(""),
            "watch" | "list" | "deletecollection" => Decision::no(
                "can only list/watch/deletecollection resourceslices with nodeName field selector",
            ),
            _ => Decision::no(
                "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
            ),
        }
    }

    fn nodes(&self) -> Decision {
        let node = self.node;
        match (self.of.subresource.as_str(), self.verb) {
            ("", "create" | "update" | "patch") | ("status", "update" | "patch") => Decision::yes(""),
            ("", "get" | "list" | "watch") => match self.of.name.as_str() {
                name if name == node => Decision::yes(""),
                "" => Decision::no(format!("node '{node}' cannot read all nodes, only its own Node object")),
                name => Decision::no(format!("node '{node}' cannot read '{name}', only its own Node object")),
            },
            _ => Decision::default(),
        }
    }

    fn pods(&self) -> Decision {
        match (self.of.subresource.as_str(), self.verb) {
            ("", "get") => self.get(),
            ("", "list" | "watch") if self.is_of_node() => Decision::yes(""),
            ("", "list" | "watch") if !self.of.name.is_empty() => self.related(),
            ("", "list" | "watch") => {
                Decision::no("can only list/watch pods with spec.nodeName field selector")
            }
            ("", "create" | "delete") | ("status", "update" | "patch") | ("eviction", "create") => {
                Decision::yes("")
            }
            _ => Decision::default(),
        }
    }

    /// Whether only objects of the node are asked for.
    fn is_of_node(&self) -> bool {
        matches!(&self.of.field, Some((field, value)) if field == "spec.nodeName" && value == self.node)
    }

    /// Whether the object belongs to the node, or to a pod on it.
    fn related(&self) -> Decision {
        if self.of.name.is_empty() {
            return Decision::no("No Object name found");
        }
        if self.is_related() {
            return Decision::yes("");
        }
        Decision::no(format!("no relationship found between node '{}' and this object", self.node))
    }

    fn pods_here(&self) -> impl Iterator<Item = &Pod> {
        let all = self.api.etcd.range(Kind::POD, None).filter_map(|(_, r)| Pod::from_object(&r.object));
        all.map(|pod| &**pod)
            .filter(|pod| pod.spec.as_ref().and_then(|s| s.node_name.as_deref()) == Some(self.node))
    }

    /// Whether a pod on the node needs an object of its namespace.
    fn is_needed(&self, namespace: &str, needs: impl Fn(&Pod) -> bool) -> bool {
        let real = |pod: &&Pod| pod.metadata.annotation(MIRROR).is_none();
        self.pods_here().filter(real).any(|pod| pod.metadata.namespace() == namespace && needs(pod))
    }

    fn needs_claim(&self, namespace: &str, name: &str) -> bool {
        self.is_needed(namespace, |pod| pod_references::claims(pod).iter().any(|claim| claim == name))
    }

    fn is_related(&self) -> bool {
        let Resource { resource, namespace, name, .. } = self.of;
        let of_spec = |pick: &dyn Fn(&crate::api::types::PodSpec) -> bool| {
            self.is_needed(namespace, |pod| pod.spec.as_ref().is_some_and(|spec| pick(spec)))
        };
        match resource.as_str() {
            "pods" => {
                self.pods_here().any(|p| p.metadata.namespace() == namespace && p.metadata.name() == name)
            }
            "secrets" => of_spec(&|s| pod_references::secrets(s).contains(name)),
            "configmaps" => of_spec(&|s| pod_references::config_maps(s).contains(name)),
            "serviceaccounts" => of_spec(&|s| s.service_account_name.as_deref() == Some(name)),
            "persistentvolumeclaims" => self.needs_claim(namespace, name),
            "persistentvolumes" => {
                let found = self.api.etcd.get(&ObjectRef::new(Kind::PERSISTENT_VOLUME, "", name));
                let volume = found.and_then(|r| PersistentVolume::from_object(&r.object));
                let claim = volume.and_then(|v| v.spec.as_ref()?.claim_ref.as_ref());
                claim.is_some_and(|c| {
                    let text = |t: &Option<String>| t.clone().unwrap_or_default();
                    self.needs_claim(&text(&c.namespace), &text(&c.name))
                })
            }
            "volumeattachments" => {
                let found = self.api.etcd.get(&ObjectRef::new(Kind::VOLUME_ATTACHMENT, "", name));
                let attachment = found.and_then(|r| VolumeAttachment::from_object(&r.object));
                attachment.is_some_and(|a| a.spec.node_name == self.node)
            }
            _ => false,
        }
    }
}
