//! Pods whose claims or volumes keep them from a node.

use super::*;

/// `volume_restrictions.go`: such a claim is looked for on all nodes, and its pod has to go before another one gets it.
#[test]
fn a_claim_for_one_pod_is_refused_on_every_node() {
    let mut claim = PersistentVolumeClaim::default();
    claim.metadata.name = Some("one".into());
    claim.metadata.namespace = Some("ns".into());
    claim.metadata.annotations =
        Some([("pv.kubernetes.io/bind-completed".to_owned(), "yes".to_owned())].into());
    let spec = claim.spec.get_or_insert_default();
    spec.access_modes = Some(vec!["ReadWriteOncePod".into()]);
    spec.volume_name = Some("pv".into());
    let mut volume = PersistentVolume::default();
    volume.metadata.name = Some("pv".into());
    let rich = Rich(vec![claim], vec![volume]);
    let user = |name: &str| {
        let volume = json!({"name": "v", "persistentVolumeClaim": {"claimName": "one"}});
        pod(name, json!({}), json!({"containers": [{"name": "c"}], "volumes": [volume]}))
    };
    let mut nodes = vec![node("n1", json!({}), json!({})), node("n2", json!({}), json!({}))];
    let refused_by = |nodes: &[NodeInfo], delta: i64| {
        let nodes = shared(nodes);
        let h = Handle { workloads: &rich, volumes: &rich, ..Handle::of_nodes(&nodes) };
        let (p, other) = (user("p"), user("other"));
        let mut state = pre_filter(&h, &p).state;
        if delta != 0 {
            state.update_with_pod(&h, &other, &nodes[0], delta);
        }
        nodes.iter().map(|n| filter_node(&h, &state, n).status.message()).collect::<Vec<_>>()
    };
    assert_eq!(refused_by(&nodes, 0), ["", ""]);
    nodes[0].add_pod(Rc::new(user("other")));
    let why = "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode";
    assert_eq!(refused_by(&nodes, 0), [why, why]);
    assert_eq!(refused_by(&nodes, -1), ["", ""], "it fits where the other pod is evicted");
}

/// `PreFilter` of `nodevolumelimits/csi.go` and of `volume_restrictions.go`: a pod without claims and without disks is skipped.
/// Nearly every pod has the volume with its token, so for nearly no pod anything is read of each node's volumes.
#[test]
fn the_volume_with_a_token_concerns_no_plugin() {
    let with = |volume: Value| {
        let volumes = json!([{"name": "empty", "emptyDir": {}}, volume]);
        pod("p", json!({}), json!({"containers": [{"name": "c"}], "volumes": volumes})).has_volumes
    };
    assert!(!with(json!({"name": "kube-api-access-x", "projected": {"sources": []}})));
    assert!(!with(json!({"name": "v", "configMap": {"name": "c"}})));
    assert!(with(json!({"name": "v", "persistentVolumeClaim": {"claimName": "c"}})));
    assert!(with(json!({"name": "v", "ephemeral": {}})));
    assert!(with(json!({"name": "v", "gcePersistentDisk": {"pdName": "d"}})));
    assert!(with(json!({"name": "v", "iscsi": {"targetPortal": "p", "iqn": "i", "lun": 0}})));
}

/// A cluster with a node that takes three volumes of a CSI driver, on which the volume of claim `c` is still attached.
struct Attached;

fn of<T: serde::de::DeserializeOwned>(value: Value) -> Option<Rc<T>> {
    Some(Rc::new(serde_json::from_value(value).unwrap()))
}

impl VolumeLister for Attached {
    fn claim(&self, namespace: &str, name: &str) -> Option<Rc<PersistentVolumeClaim>> {
        of(json!({"metadata": {"name": name, "namespace": namespace}, "spec": {"volumeName": name}}))
    }
    fn volume(&self, name: &str) -> Option<Rc<PersistentVolume>> {
        of(json!({"metadata": {"name": name}, "spec": {"csi": {"driver": "d", "volumeHandle": name}}}))
    }
    fn class(&self, _: &str) -> Option<Rc<StorageClass>> {
        None
    }
    fn csi_node(&self, node: &str) -> Option<Rc<CSINode>> {
        let drivers = json!([{"name": "d", "nodeID": "n", "allocatable": {"count": 3}}]);
        of(json!({"metadata": {"name": node}, "spec": {"drivers": drivers}}))
    }
    fn csi_driver(&self, _: &str) -> Option<Rc<CSIDriver>> {
        None
    }
    fn capacities_of_class(&self, _: &str) -> Vec<Rc<CSIStorageCapacity>> {
        Vec::new()
    }
    fn attachments_on(&self, node: &str) -> Vec<Rc<VolumeAttachment>> {
        let spec = json!({"attacher": "d", "nodeName": node, "source": {"persistentVolumeName": "c"}});
        of(json!({"metadata": {"name": "a"}, "spec": spec})).into_iter().collect()
    }
    fn volumes_of_class(&self, _: &str) -> Vec<Rc<PersistentVolume>> {
        Vec::new()
    }
}

/// `Filter` of `plugins/nodevolumelimits/csi.go`: the volumes of a node's pods are no new ones for another pod, but a volume that
/// is only attached counts once for its VolumeAttachment and once for the new pod.
#[test]
fn a_volume_that_is_only_attached_counts_twice() {
    let user = |name: &str, claims: &[&str]| {
        let volumes = claims.iter().map(|c| json!({"name": c, "persistentVolumeClaim": {"claimName": c}}));
        let volumes: Vec<Value> = volumes.collect();
        pod(name, json!({}), json!({"containers": [{"name": "c"}], "volumes": volumes}))
    };
    let fits = |there: &[&str], new: &[&str]| {
        let mut n = node("n", json!({}), json!({}));
        n.add_pod(Rc::new(user("there", there)));
        let nodes = shared(&[n]);
        let h = Handle { volumes: &Attached, ..Handle::of_nodes(&nodes) };
        crate::scheduler::plugins::volume::limits::filter(&h, &user("new", new), &nodes[0]).is_success()
    };
    assert!(fits(&["a"], &["b"]));
    assert!(!fits(&["a", "b"], &["e"]));
    assert!(!fits(&["a"], &["c", "e"]), "c is attached, and new");
    assert!(fits(&["c"], &["c", "a", "b"]), "c is used on the node already");
}
