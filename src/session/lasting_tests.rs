//! What volumes hold after their pods: which data a new pod finds.
#![allow(clippy::unwrap_used)]

use super::{Depth, Session, Start};
use crate::cluster::Fault;

/// A cluster of two nodes with these objects, at rest.
fn session(manifest: &str) -> Session {
    let mut s = Session::new(Start { nodes: 2, ..Start::default() });
    apply(&mut s, manifest);
    s
}

fn rest(s: &mut Session) {
    let mut steps = 0;
    while s.step(Depth::Command, None) {
        steps += 1;
        assert!(steps < 3000, "it comes to rest");
    }
}

fn apply(s: &mut Session, manifest: &str) {
    let applied = s.apply(manifest);
    assert_eq!(applied.exit, 0, "{}", applied.stderr);
    rest(s);
}

fn kubectl(s: &mut Session, line: &str) -> String {
    let out = s.kubectl(line, &[]);
    assert_eq!(out.exit, 0, "{line}: {}", out.stderr);
    out.stdout
}

fn delete(s: &mut Session, what: &str) {
    kubectl(s, &format!("delete {what} --wait=false"));
    rest(s);
}

/// Lets time pass: a pod sleeps, and the cluster waits for its end.
fn pass(s: &mut Session, seconds: i64) {
    apply(
        s,
        &format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: timer-{seconds}}}\nspec: {{nodeName: node-2, restartPolicy: Never, \
             containers: [{{name: c, image: 'busybox:1.36', command: [sleep, '{seconds}']}}]}}\n"
        ),
    );
}

/// A pod on a node that mounts one volume at `/data` and sleeps.
fn pod(name: &str, node: &str, volume: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  nodeName: {node}\n  terminationGracePeriodSeconds: 1\n  \
         containers: [{{name: c, image: 'busybox:1.36', command: [sleep, infinity], volumeMounts: [{{name: v, mountPath: /data}}]}}]\n  \
         volumes: [{{name: v, {volume}}}]\n---\n"
    )
}

const OF_CLAIM: &str = "persistentVolumeClaim: {claimName: data}";

fn claim(class: &str) -> String {
    format!(
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: data}}\nspec: {{accessModes: [ReadWriteOnce], \
         storageClassName: {class}, resources: {{requests: {{storage: 1Gi}}}}}}\n---\n"
    )
}

fn class(provisioner: &str, policy: &str) -> String {
    format!(
        "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {{name: disk}}\nprovisioner: {provisioner}\n\
         reclaimPolicy: {policy}\n---\napiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {{name: csi.sim.steady}}\nspec: {{}}\n---\n"
    )
}

/// `kubernetes.io/docs/concepts/storage/persistent-volumes`, "Lifecycle of a volume and claim" and "Delete".
#[test]
fn what_a_claim_holds_survives_its_pod_and_goes_with_the_claim() {
    for provisioner in ["sim.steady/disk", "csi.sim.steady"] {
        let base = class(provisioner, "Delete") + &claim("disk");
        let mut s = session(&(base + &pod("a", "node-1", OF_CLAIM)));
        kubectl(
            &mut s,
            "exec a -- sh -c 'mkdir /data/d; echo one > /data/d/f; echo two >> /data/d/f; chmod 600 /data/d/f'",
        );
        delete(&mut s, "pod a");
        apply(&mut s, &pod("b", "node-2", OF_CLAIM));
        assert_eq!(kubectl(&mut s, "exec b -- cat /data/d/f"), "one\ntwo\n", "{provisioner}");
        assert!(kubectl(&mut s, "exec b -- ls -l /data/d").contains("-rw-------"), "{provisioner}");
        delete(&mut s, "pod b");
        delete(&mut s, "pvc data");
        apply(&mut s, &(claim("disk") + &pod("c", "node-1", OF_CLAIM)));
        assert_eq!(kubectl(&mut s, "exec c -- ls /data"), "", "{provisioner}");
    }
}

/// The same page, "Retain" and "Reserving a PersistentVolume": without its `claimRef` a released volume is available again, with its data.
#[test]
fn what_is_retained_can_be_claimed_again() {
    let base = class("csi.sim.steady", "Retain") + &claim("disk");
    let mut s = session(&(base + &pod("a", "node-1", OF_CLAIM)));
    kubectl(&mut s, "exec a -- sh -c 'echo kept > /data/f'");
    delete(&mut s, "pod a");
    delete(&mut s, "pvc data");
    let name = kubectl(&mut s, "get pv -o name");
    let name = name.trim().trim_start_matches("persistentvolume/").to_owned();
    kubectl(&mut s, &format!("patch pv {name} --type merge -p '{{\"spec\":{{\"claimRef\":null}}}}'"));
    rest(&mut s);
    apply(
        &mut s,
        &(claim("disk").replace("spec: {", &format!("spec: {{volumeName: {name}, "))
            + &pod("b", "node-2", OF_CLAIM)),
    );
    assert_eq!(kubectl(&mut s, "exec b -- cat /data/f"), "kept\n");
}

/// `kubernetes.io/docs/concepts/storage/volumes`, "hostPath" (a directory of the node) and "emptyDir" (gone with its pod).
#[test]
fn pods_of_a_node_share_its_directories() {
    let of = |path: &str| format!("hostPath: {{path: {path}}}");
    let all = pod("a", "node-1", &of("/srv/shop"))
        + &pod("b", "node-1", &of("/srv"))
        + &pod("c", "node-2", &of("/srv/shop"));
    let mut s = session(&all);
    kubectl(&mut s, "exec a -- sh -c 'echo x > /data/f'");
    // Before anybody has taken a turn.
    assert_eq!(kubectl(&mut s, "exec b -- cat /data/shop/f"), "x\n");
    assert_eq!(kubectl(&mut s, "exec c -- ls /data"), "");
    rest(&mut s);
    delete(&mut s, "pod a");
    assert_eq!(kubectl(&mut s, "exec b -- cat /data/shop/f"), "x\n");
    delete(&mut s, "pod b --force --grace-period=0");
    apply(&mut s, &pod("d", "node-1", &of("/srv/shop/")));
    assert_eq!(kubectl(&mut s, "exec d -- cat /data/f"), "x\n");
    let empty = pod("e", "node-1", "emptyDir: {}");
    apply(&mut s, &empty);
    kubectl(&mut s, "exec e -- touch /data/f");
    delete(&mut s, "pod e");
    apply(&mut s, &empty);
    assert_eq!(kubectl(&mut s, "exec e -- ls /data"), "");
}

/// The same page, "nfs": many pods mount it at once to write.
#[test]
fn pods_of_several_nodes_see_each_other_write_to_a_file_server() {
    let nfs = "nfs: {server: files.example.com, path: /exports}";
    let script = |name: &str, node: &str, script: &str| {
        pod(name, node, nfs).replace("[sleep, infinity]", &format!("[sh, -c, \"{script}\"]"))
    };
    let reader = script("reader", "node-2", "until [ -f /data/ready ]; do sleep 1; done; tail -f /data/log");
    let mut s = session(&reader);
    let writer = "touch /data/ready; echo 1 >> /data/log; sleep 7; echo 2 >> /data/log; sleep infinity";
    apply(&mut s, &script("writer", "node-1", writer));
    pass(&mut s, 20);
    assert_eq!(kubectl(&mut s, "logs reader"), "1\n2\n");
    assert_eq!(kubectl(&mut s, "exec reader -- cat /data/log"), "1\n2\n");
}

/// A StatefulSet's pod that is force-deleted from a node that is cut off goes on writing there until its volume is detached.
/// `kubernetes.io/docs/concepts/cluster-administration/node-shutdown`, "Non-graceful node shutdown handling": the taint `out-of-service` has it detached.
#[test]
fn a_node_that_is_lost_does_not_write_to_a_volume_that_is_detached() {
    let base = class("csi.sim.steady", "Delete") + &claim("disk");
    let script = "while true; do echo tick >> /data/log; sleep 60; done";
    let a = pod("a", "node-1", OF_CLAIM).replace("[sleep, infinity]", &format!("[sh, -c, \"{script}\"]"));
    let mut s = session(&(base + &a));
    pass(&mut s, 100);
    s.fault(&Fault::NodeDown { node: "node-1".into() }).unwrap();
    kubectl(&mut s, "delete pod a --force --grace-period=0");
    kubectl(&mut s, "taint node node-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute");
    apply(&mut s, &pod("b", "node-2", OF_CLAIM));
    let ticks = |s: &mut Session| kubectl(s, "exec b -- cat /data/log").lines().count();
    let before = ticks(&mut s);
    assert!(before >= 2, "{before}");
    pass(&mut s, 500);
    assert_eq!(ticks(&mut s), before);
}

/// `GenerateMountVolumeFunc`: a volume with the mode `ReadWriteOncePod` is for one pod. The scheduler sees to that, but not for a
/// pod that was created with a `nodeName`.
#[test]
fn a_volume_for_one_pod_waits_until_the_other_pod_is_gone() {
    let claim = claim("disk").replace("ReadWriteOnce]", "ReadWriteOncePod]");
    let mut s = session(&(class("sim.steady/disk", "Delete") + &claim + &pod("a", "node-1", OF_CLAIM)));
    apply(&mut s, &pod("b", "node-1", OF_CLAIM));
    let told = "volume uses the ReadWriteOncePod access mode and is already in use by another pod";
    assert!(kubectl(&mut s, "describe pod b").contains(told));
    assert!(kubectl(&mut s, "get pod b").contains("ContainerCreating"));
    delete(&mut s, "pod a");
    assert!(kubectl(&mut s, "get pod b").contains("Running"));
}
