//! Whole objects, and what timelines do not show.

use serde_json::json;

use super::{Lab, one};
use crate::api::Kind;
use crate::apimachinery::{Body, Request, Verb};
use crate::client::{Controller, TimerOp, Wait};
use crate::cluster::{Cluster, Config};

/// `kubelet_pods.go`, `generateAPIPodStatus` and `convertToAPIContainerStatuses`: the conditions, the addresses, and what a
/// container has got.
#[test]
fn the_status_of_a_running_pod() {
    let mut lab = Lab::new();
    let mut pod = one(json!({
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "64Mi"}},
        "volumeMounts": [{"name": "d", "mountPath": "/d", "readOnly": true}],
    }));
    pod["spec"]["volumes"] = json!([{"name": "d", "emptyDir": {}}]);
    lab.pod(pod).steady();
    let value = crate::api::Object::from(lab.get()).to_value();
    let text = serde_json::to_string_pretty(&value["status"]).unwrap();
    insta::assert_snapshot!(text);
}

/// `kubelet.go`, `nodeLeaseRenewIntervalFraction`; `component-helpers/apimachinery/lease/controller.go`, `sync`.
#[test]
fn a_node_has_a_lease_that_is_renewed_when_time_passes() {
    let mut lab = Lab::new();
    let lease = |c: &Cluster| {
        let (_, r) = c.api().etcd().range(Kind::LEASE, Some("kube-node-lease")).next().unwrap();
        r.object.to_value()["spec"]["renewTime"].clone()
    };
    let before = lease(&lab.cluster);
    assert!(lab.cluster.is_steady());
    lab.wait(60).steady();
    assert_ne!(lease(&lab.cluster), before);
}

/// `kubelet_node_status.go`, `isUpdateStatusPeriodExpired`; `apis/config/v1beta1/defaults.go`: `NodeStatusReportFrequency`. The
/// delay by chance after a change (`calculateDelay`) is absent here.
#[test]
fn a_node_reports_its_status_every_five_minutes_when_time_passes() {
    let mut lab = Lab::new();
    let heartbeat = |c: &Cluster| {
        let (_, r) = c.api().etcd().range(Kind::NODE, None).next().unwrap();
        let conditions = r.object.to_value()["status"]["conditions"].clone();
        let times: Vec<_> =
            conditions.as_array().unwrap().iter().map(|c| c["lastHeartbeatTime"].clone()).collect();
        assert!(times.windows(2).all(|t| t[0] == t[1]), "{times:?}");
        times[0].as_str().unwrap().parse::<crate::api::Timestamp>().unwrap()
    };
    let start = heartbeat(&lab.cluster);
    assert!(lab.cluster.is_steady());
    let since = |lab: &Lab| heartbeat(&lab.cluster).duration_since(start).as_secs();
    lab.wait(299).steady();
    assert_eq!(since(&lab), 0);
    lab.wait(1).steady();
    assert_eq!(since(&lab), 300);
    lab.wait(299).steady();
    assert_eq!(since(&lab), 300);
    lab.wait(1).steady();
    assert_eq!(since(&lab), 600);
}

#[test]
fn every_command_says_why() {
    let mut lab = Lab::new();
    lab.pod(one(json!({}))).steady().delete(None);
    while let Ok(command) = lab.cluster.next_command(None) {
        assert!(command.key.is_none() || command.why.is_some(), "{:?}", command.request);
    }
}

/// `images/image_manager.go`, `imagePullPrecheck`: an image that is there is not pulled. CNI's plugin `host-local`,
/// `backend/allocator/allocator.go`, `Next`: one address after the other, without that of the gateway.
#[test]
fn many_pods_share_a_pull_and_have_addresses_of_their_own() {
    let mut config = Config::nodes(2);
    // Kubelets take addresses from the ranges that this controller gives to their nodes.
    config.controllers = std::rc::Rc::new(|| {
        vec![Controller::boxed(crate::controllers::nodeipam::NodeIpamController {
            ip_family: Default::default(),
        })]
    });
    config.scheduler = std::rc::Rc::new(Vec::new);
    config.addons = std::rc::Rc::new(Vec::new);
    config.addon_objects = Vec::new();
    let mut cluster = Cluster::new(&config);
    super::unit::create_many(&mut cluster, 2, 40);
    assert!(cluster.run_to_steady(10_000, |_, _| {}));
    let mut addresses = std::collections::BTreeSet::new();
    for (_, r) in cluster.api().etcd().range(Kind::POD, None) {
        let status = &r.object.to_value()["status"];
        assert_eq!(status["phase"], "Running");
        addresses.insert(status["podIP"].as_str().unwrap().to_owned());
    }
    assert_eq!(addresses.len(), 40);
    assert!(addresses.contains("10.244.1.2") && addresses.contains("10.244.0.2"), "{addresses:?}");
}

/// Creates `pods` equal pods on `nodes` nodes.
pub(super) fn create_many(cluster: &mut Cluster, nodes: usize, pods: usize) {
    use crate::api::Object;
    for i in 0..pods {
        let object = Object::from_value(
            Kind::POD,
            json!({
                "metadata": {"name": format!("p-{i}"), "namespace": "default"},
                "spec": {
                    "nodeName": format!("node-{}", i % nodes + 1), "restartPolicy": "Always",
                    "containers": [{"name": "app", "image": "team/app:1", "imagePullPolicy": "IfNotPresent"}],
                },
            }),
        )
        .unwrap();
        let request = Request::new(&"me".into(), Verb::Create, Kind::POD, object.key());
        assert_eq!(cluster.request(&request.body(Body::Object(object))).0.code(), 201);
    }
}

/// A kubelet without a cluster: each request is answered with the object it sends.
struct Alone {
    component: Box<dyn crate::client::Component>,
    caches: std::rc::Rc<crate::client::Caches>,
    now: crate::api::Timestamp,
    said: Vec<String>,
}

impl Alone {
    fn see(&mut self, object: &crate::api::Object) {
        let (key, caches) = (object.key(), std::rc::Rc::make_mut(&mut self.caches));
        let old = caches.of_mut(object.kind()).upsert(key.clone(), object.clone());
        let seen = crate::client::Notification { key, old, new: Some(object.clone()) };
        let mut timers = Vec::new();
        let watch = self.component.watches().iter().position(|(kind, _)| *kind == object.kind()).unwrap();
        self.component.notify(
            &mut crate::client::Env { caches: &self.caches, now: self.now, timers: &mut timers },
            watch,
            &seen,
        );
    }

    fn run(&mut self) {
        use crate::apimachinery::{Patch, Response};
        let mut timers = Vec::new();
        loop {
            let mut env = crate::client::Env { caches: &self.caches, now: self.now, timers: &mut timers };
            if self.component.start(&mut env).is_none() {
                break;
            }
            while let Some(pending) = self.component.pending().cloned() {
                let object = match &pending.request.body {
                    Body::Object(o) => o.clone(),
                    Body::Patch(Patch::Between { to, .. }) => to.clone(),
                    Body::Patch(Patch::PodStatus { from, status }) => Patch::between(from, status).1,
                    _ => panic!("{:?}", pending.request),
                };
                if let Some(pod) = object.get::<crate::api::types::Pod>() {
                    self.said.push(super::summary(pod));
                }
                self.component.answered(&mut env, Response::Object { object, created: false });
            }
        }
        while let Some(request) = self.component.next_event() {
            let Body::Object(o) = &request.body else { continue };
            let event = o.get::<crate::api::types::Event>().unwrap();
            self.said.push(event.reason.clone().unwrap());
        }
        let mut fired = false;
        for timer in timers {
            if let TimerOp::Set { key, at, wait: Wait::Foreground, .. } = timer {
                self.now = self.now.max(at);
                self.component.fire(&key);
                fired = true;
            }
        }
        if fired {
            self.run();
        }
    }
}

/// What the kubelet of a machine says that comes back, of which a pod with this restart policy ran.
fn said_after_a_restart(policy: &str) -> String {
    let object = |kind, v| crate::api::Object::from_value(kind, v).unwrap();
    let pod = object(
        Kind::POD,
        json!({
            "metadata": {"name": "p", "namespace": "default", "uid": "u", "generation": 1, "resourceVersion": "1"},
            "spec": {"nodeName": "n", "restartPolicy": policy,
                "containers": [{"name": "app", "image": "team/app:1", "imagePullPolicy": "IfNotPresent", "command": ["sleep", "infinity"]}]},
        }),
    );
    let mut alone = Alone {
        component: crate::kubelet::components("n").remove(0),
        caches: Default::default(),
        now: crate::api::Timestamp::UNIX_EPOCH,
        said: Vec::new(),
    };
    alone.see(&pod);
    alone.run();
    alone.component.restart();
    alone.said.push("-- the machine comes back".into());
    alone.see(&pod);
    alone.run();
    alone.said.join("\n")
}

/// The events of the kubelet's start: `kubelet.go`, `BirthCry`; `node_container_manager_linux.go`; `kubelet_node_status.go`,
/// `initialNode`.
#[test]
fn containers_start_again_when_the_machine_comes_back() {
    insta::assert_snapshot!(said_after_a_restart("Always"));
}

/// `kuberuntime_manager.go`, `computePodActions`: no sandbox is made for a pod of which nothing is started, and `SyncPod` tells of
/// a changed sandbox only where it makes a new one.
#[test]
fn a_pod_that_is_never_restarted_gets_no_new_sandbox() {
    let said = said_after_a_restart("Never");
    assert!(said.contains("Starting") && said.contains("Unknown 255"), "{said}");
    assert!(!said.contains("SandboxChanged"), "{said}");
}

/// `images/puller.go`, `serialImagePuller`; `images/image_manager.go`, `pullImage`: the words.
#[test]
fn one_image_after_the_other() {
    let mut lab = Lab::new();
    lab.pod(json!({"spec": {"containers": [{"name": "a", "image": "team/a:1"}]}}));
    let other = json!({
        "metadata": {"name": "q"},
        "spec": {"nodeName": "node-1", "restartPolicy": "Always",
            "containers": [{"name": "b", "image": "team/b:1", "imagePullPolicy": "IfNotPresent"}]},
    });
    lab.create(Kind::POD, other).steady();
    assert!(
        lab.log.contains("Successfully pulled image \"team/b:1\" in 2s (4s including waiting)"),
        "{}",
        lab.log
    );
}

/// Senseless manifests are refused; odd ones that pass validation do no harm. `pkg/apis/core/validation/validation.go`,
/// `ValidatePodSpec`.
#[test]
fn odd_manifests_do_no_harm() {
    let refused = [
        json!({"nodeName": "node-1", "containers": []}),
        json!({"nodeName": "node-1", "containers": [{"name": "a"}, {"name": "a"}]}),
        json!({"nodeName": "node-1", "containers": [{"name": "a", "image": "A B"}], "restartPolicy": "Sometimes"}),
        json!({"nodeName": "node-1", "activeDeadlineSeconds": i64::MAX, "terminationGracePeriodSeconds": i64::MIN,
            "containers": [{"name": "a", "image": "x", "lifecycle": {"preStop": {"sleep": {"seconds": i64::MAX}}},
                "livenessProbe": {"periodSeconds": -5, "initialDelaySeconds": i32::MAX, "failureThreshold": 0},
                "readinessProbe": {"tcpSocket": {"port": "none"}, "periodSeconds": 0, "successThreshold": -1}}]}),
        json!({"nodeName": "node-1", "initContainers": [{"name": "i", "image": "x", "livenessProbe": {"exec": {"command": ["true"]}}}],
            "containers": [{"name": "a", "image": "x"}]}),
    ];
    let odd = [
        json!({"nodeName": "node-1", "containers": [{"name": "a", "image": "A B"}]}),
        json!({"nodeName": "node-1", "activeDeadlineSeconds": i32::MAX, "terminationGracePeriodSeconds": i64::MAX,
            "containers": [{"name": "a", "image": "x", "command": ["sleep", "infinity"],
                "lifecycle": {"preStop": {"sleep": {"seconds": i64::MAX}}},
                "livenessProbe": {"exec": {"command": [""]}, "periodSeconds": i32::MAX, "initialDelaySeconds": i32::MAX,
                    "failureThreshold": i32::MAX, "timeoutSeconds": i32::MAX, "terminationGracePeriodSeconds": i64::MAX},
                "readinessProbe": {"tcpSocket": {"port": "none"}, "periodSeconds": 0, "successThreshold": i32::MAX}}]}),
        json!({"nodeName": "node-1", "initContainers": [{"name": "i", "image": "x", "restartPolicy": "Never",
            "command": ["false"]}], "containers": [{"name": "a", "image": "x", "restartPolicy": "Never", "command": ["false"]}]}),
        json!({"nodeName": "node-1", "containers": [{"name": "a", "image": "x",
            "restartPolicy": "Never", "command": ["true"]}]}),
    ];
    let annotations = json!({"sim.steady/run-seconds": "1e99", "sim.steady/stop-seconds": "-3",
        "sim.steady/start-seconds": "99999999999999999999", "sim.steady/memory": "x"});
    let pod = |name: &str, spec: &serde_json::Value| {
        let metadata = json!({"name": name, "namespace": "default", "annotations": annotations});
        crate::api::Object::from_value(Kind::POD, json!({"metadata": metadata, "spec": spec})).unwrap()
    };
    for spec in refused {
        let mut lab = Lab::new();
        let object = pod("p", &spec);
        let request = Request::new(&"me".into(), Verb::Create, Kind::POD, object.key());
        let (answer, _) = lab.cluster.request(&request.body(Body::Object(object)));
        assert_eq!(answer.code(), 422, "{spec}");
        lab.wait(2000);
        assert_eq!(lab.cluster.api().etcd().range(Kind::POD, None).count(), 0);
    }
    for spec in odd {
        let mut lab = Lab::new();
        lab.create(Kind::POD, pod("p", &spec).to_value());
        lab.wait(2000).delete(None).wait(100_000);
        lab.create(Kind::POD, pod("q", &spec).to_value());
        lab.wait(2000);
    }
}
