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
