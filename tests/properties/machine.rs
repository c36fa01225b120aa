//! Random Deployments, and what people and faults do to them, in a random order of all enabled actions.

use proptest::prelude::*;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use serde_json::{Value, json};
use steady::api::types::{Deployment, Pod};
use steady::api::{Kind, MetaExt};
use steady::apimachinery::{HttpRequest, HttpResponse};
use steady::apiserver::Write;
use steady::cluster::{Action, Cluster, Config, Fault};
use steady::kubectl;

/// The manifest of a Deployment.
#[derive(Clone)]
pub struct Manifest(pub Value);

impl std::fmt::Debug for Manifest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0["spec"])
    }
}

impl Manifest {
    pub fn text(&self) -> String {
        self.0.to_string()
    }
}

fn number_or_percent() -> impl Strategy<Value = Value> {
    prop_oneof![(0..4i32).prop_map(Value::from), (0..101u32).prop_map(|n| format!("{n}%").into())]
}

fn strategy() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => Just(json!({"type": "Recreate"})),
        4 => (number_or_percent(), number_or_percent()).prop_map(|(surge, unavailable)| {
            // The API server refuses a strategy in which both are zero.
            let none = |v: &Value| *v == json!(0) || *v == json!("0%");
            let unavailable = if none(&surge) && none(&unavailable) { json!(1) } else { unavailable };
            json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}})
        }),
    ]
}

fn probe() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => Just(Value::Null),
        1 => Just(json!({"httpGet": {"port": 80}, "periodSeconds": 3})),
        1 => Just(json!({"exec": {"command": ["false"]}, "periodSeconds": 5, "failureThreshold": 2})),
    ]
}

/// A Deployment that becomes available; with `trouble`, one that may not.
pub fn manifest(trouble: bool) -> impl Strategy<Value = Manifest> {
    let odd = u32::from(trouble);
    let image = prop_oneof![6 => Just("team/web:1"), odd => Just("team/web:missing")];
    let command = prop_oneof![
        8 => Just(Value::Null),
        odd => Just(json!(["sh", "-c", "sleep 5; exit 1"])),
        odd => Just(json!(["true"])),
    ];
    let cpu = prop_oneof![8 => Just("100m"), odd => Just("1500m")];
    let probes = if trouble {
        (probe().boxed(), probe().boxed())
    } else {
        (Just(Value::Null).boxed(), Just(Value::Null).boxed())
    };
    // Which old ReplicaSets are deleted depends on when the controller looks. Only a long history is the
    // same in all orders.
    let history = if trouble { (0..4i32).boxed() } else { Just(10).boxed() };
    let numbers =
        (0..6i32, prop_oneof![3 => Just(0), 1 => Just(7)], prop_oneof![Just(600), Just(20)], history);
    (numbers, strategy(), image, command, cpu, probes).prop_map(
        |((replicas, min_ready, deadline, history), strategy, image, command, cpu, (ready, live))| {
            let container = json!({
                "name": "app", "image": image, "command": command, "readinessProbe": ready, "livenessProbe": live,
                "resources": {"requests": {"cpu": cpu}},
            });
            // The progress deadline must be later than `minReadySeconds`.
            Manifest(json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"},
                "spec": {
                    "replicas": replicas, "strategy": strategy, "minReadySeconds": min_ready,
                    "progressDeadlineSeconds": deadline, "revisionHistoryLimit": history,
                    "selector": {"matchLabels": {"app": "web"}},
                    "template": {
                        "metadata": {"labels": {"app": "web"}},
                        "spec": {"terminationGracePeriodSeconds": 5, "containers": [container]},
                    },
                },
            }))
        },
    )
}

/// What a person does, or a fault.
#[derive(Clone, Debug)]
pub enum Deed {
    Apply,
    Scale(u8),
    Image(&'static str),
    Pause,
    Resume,
    Undo,
    Delete(&'static str),
    Relabel(usize),
    DeletePod(usize),
    DeleteReplicaSet(usize),
    NodeDown(u8),
    NodeUp(u8),
    Restart(u8),
    CutWatches(u8),
    Crash(usize),
    Compact,
    Second(u8),
    Stop(u8),
    Start(u8),
    MemberDown(u8),
    MemberUp(u8),
    /// `--controllers` of the first or the second kube-controller-manager.
    Controllers(u8, &'static str),
}

impl Deed {
    /// Whether it is an edit: neither a fault nor work against the controllers.
    pub fn is_edit(&self) -> bool {
        matches!(
            self,
            Deed::Apply | Deed::Scale(_) | Deed::Image(_) | Deed::Pause | Deed::Resume | Deed::Undo
        )
    }
}

pub fn edit() -> impl Strategy<Value = Deed> {
    prop_oneof![
        1 => Just(Deed::Apply),
        3 => (0..7u8).prop_map(Deed::Scale),
        4 => prop::sample::select(vec!["team/web:1", "team/web:2", "team/web:3"]).prop_map(Deed::Image),
    ]
}

/// Values of `--controllers`.
const CONTROLLERS: [&str; 5] = [
    "*",
    "*,-deployment",
    "*,-replicaset,-garbagecollector",
    "deployment,replicaset",
    "-podgc,*,-nodelifecycle",
];

pub fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        6 => edit(),
        1 => Just(Deed::Image("team/web:missing")),
        1 => Just(Deed::Pause),
        2 => Just(Deed::Resume),
        2 => Just(Deed::Undo),
        1 => prop::sample::select(vec!["background", "foreground", "orphan"]).prop_map(Deed::Delete),
        1 => (0..9usize).prop_map(Deed::Relabel),
        2 => (0..9usize).prop_map(Deed::DeletePod),
        1 => (0..3usize).prop_map(Deed::DeleteReplicaSet),
        1 => (1..4u8).prop_map(Deed::NodeDown),
        2 => (1..4u8).prop_map(Deed::NodeUp),
        1 => (0..5u8).prop_map(Deed::Restart),
        1 => (0..5u8).prop_map(Deed::CutWatches),
        1 => (0..9usize).prop_map(Deed::Crash),
        1 => Just(Deed::Compact),
        1 => (0..2u8).prop_map(Deed::Second),
        1 => (0..4u8).prop_map(Deed::Stop),
        2 => (0..4u8).prop_map(Deed::Start),
        1 => (1..4u8).prop_map(Deed::MemberDown),
        2 => (1..4u8).prop_map(Deed::MemberUp),
        2 => (0..2u8, prop::sample::select(CONTROLLERS.to_vec())).prop_map(|(n, c)| Deed::Controllers(n, c)),
    ]
}

/// A run: the manifest that is applied, and deeds, each after a number of actions.
#[derive(Clone, Debug)]
pub struct Case {
    pub manifest: Manifest,
    pub deeds: Vec<(u16, Deed)>,
    pub seed: u64,
}

pub fn case(trouble: bool, deeds: usize) -> impl Strategy<Value = Case> {
    let one = if trouble { deed().boxed() } else { edit().boxed() };
    let pause = prop_oneof![Just(0..3u16), Just(0..60), Just(100..600)].prop_flat_map(|r| r);
    let deeds = prop::collection::vec((pause, one), 0..=deeds);
    (manifest(trouble), deeds, any::<u64>()).prop_map(|(manifest, mut deeds, seed)| {
        // Containers that crash for ever and pulls that fail for ever, at different moments, can keep each
        // other's back-offs going, so that the cluster never becomes steady.
        let container = &manifest.0["spec"]["template"]["spec"]["containers"][0];
        if !container["command"].is_null() || !container["livenessProbe"]["exec"].is_null() {
            deeds.iter_mut().filter(|(_, d)| matches!(d, Deed::Image("team/web:missing"))).for_each(
                |(_, d)| {
                    *d = Deed::Image("team/web:3");
                },
            );
        }
        Case { manifest, deeds, seed }
    })
}

/// A cluster on which deeds are done.
pub struct Run {
    pub cluster: Cluster,
    pub dice: Pcg32,
    manifest: String,
}

struct Client<'a> {
    cluster: &'a mut Cluster,
    writes: Vec<Write>,
}

impl kubectl::ApiClient for Client<'_> {
    fn http(&mut self, request: &HttpRequest) -> HttpResponse {
        let (response, writes) = self.cluster.http(request);
        self.writes.extend(writes);
        response
    }
    fn now(&self) -> steady::api::Timestamp {
        self.cluster.now()
    }
}

impl Run {
    pub fn new(case: &Case) -> Run {
        Run {
            cluster: Cluster::new(&Config { etcd: 3, ..Config::nodes(3) }),
            dice: Pcg32::seed_from_u64(case.seed),
            manifest: case.manifest.text(),
        }
    }

    pub fn kubectl(&mut self, line: &str) -> Vec<Write> {
        let manifest = self.manifest.clone();
        let mut client = Client { cluster: &mut self.cluster, writes: Vec::new() };
        kubectl::run(
            line,
            &move |_: &str| Some(manifest.clone()),
            &mut kubectl::DiscoveryCache::default(),
            &mut client,
        );
        client.writes
    }

    fn nth(&self, kind: Kind, n: usize) -> Option<String> {
        let all: Vec<_> = self.cluster.api().etcd().range(kind, Some("default")).collect();
        all.get(n % all.len().max(1)).map(|(_, r)| r.object.name().to_owned())
    }

    /// Does a deed. Returns what was written.
    pub fn perform(&mut self, deed: &Deed) -> Vec<Write> {
        let process = |n: u8| match n {
            0 => ("kube-controller-manager".to_owned(), None),
            1 => ("kube-scheduler".to_owned(), None),
            n => ("kubelet".to_owned(), Some(format!("node-{}", n - 1))),
        };
        let line = match deed {
            Deed::Apply => "apply -f manifest.yaml".to_owned(),
            Deed::Scale(n) => format!("scale deployment/web --replicas={n}"),
            Deed::Image(i) => format!("set image deployment/web app={i}"),
            Deed::Pause => "rollout pause deployment/web".to_owned(),
            Deed::Resume => "rollout resume deployment/web".to_owned(),
            Deed::Undo => "rollout undo deployment/web".to_owned(),
            Deed::Delete(cascade) => format!("delete deployment web --wait=false --cascade={cascade}"),
            Deed::Relabel(n) => match self.nth(Kind::POD, *n) {
                Some(pod) => format!("label pod {pod} app=other --overwrite"),
                None => return Vec::new(),
            },
            Deed::DeletePod(n) => match self.nth(Kind::POD, *n) {
                Some(pod) => format!("delete pod {pod} --wait=false"),
                None => return Vec::new(),
            },
            Deed::DeleteReplicaSet(n) => match self.nth(Kind::REPLICA_SET, *n) {
                Some(rs) => format!("delete rs {rs} --wait=false"),
                None => return Vec::new(),
            },
            fault => {
                let fault = match fault {
                    Deed::NodeDown(n) => Fault::NodeDown { node: format!("node-{n}") },
                    Deed::NodeUp(n) => Fault::NodeUp { node: format!("node-{n}") },
                    Deed::Restart(n) => {
                        let (process, node) = process(*n);
                        Fault::Restart { process, node }
                    }
                    Deed::CutWatches(n) => {
                        let (process, node) = process(*n);
                        Fault::CutWatches { process, node }
                    }
                    Deed::Crash(n) => {
                        let Some(name) = self.nth(Kind::POD, *n) else { return Vec::new() };
                        let fault = steady::kubelet::KubeletFault::CrashContainer {
                            pod: steady::api::Key::new("default", &name),
                            container: "app".into(),
                            exit_code: 3,
                        };
                        Fault::Kubelet { node: None, fault }
                    }
                    Deed::Compact => Fault::Compact,
                    Deed::Second(n) => Fault::Replicate { process: process(*n).0 },
                    Deed::Stop(n) => Fault::Stop { process: instance(*n), node: None },
                    Deed::Start(n) => Fault::Start { process: instance(*n), node: None },
                    Deed::MemberDown(n) => Fault::MemberDown { member: format!("etcd-{n}") },
                    Deed::MemberUp(n) => Fault::MemberUp { member: format!("etcd-{n}") },
                    Deed::Controllers(n, controllers) => Fault::Controllers {
                        process: instance(2 * n),
                        controllers: (*controllers).to_owned(),
                    },
                    _ => return Vec::new(),
                };
                // A fault that is not possible changes nothing.
                let _ = self.cluster.fault(&fault);
                return Vec::new();
            }
        };
        self.kubectl(&line)
    }

    /// One of the enabled actions at random; `None` if there is none.
    pub fn choose(&mut self) -> Option<Action> {
        let enabled = self.cluster.enabled();
        let n = self.dice.next_u32() as usize;
        enabled.get(n % enabled.len().max(1)).copied()
    }

    /// Removes all faults.
    pub fn heal(&mut self) {
        for n in 1..4 {
            let _ = self.cluster.fault(&Fault::NodeUp { node: format!("node-{n}") });
            let _ = self.cluster.fault(&Fault::MemberUp { member: format!("etcd-{n}") });
        }
        for n in 0..4 {
            let _ = self.cluster.fault(&Fault::Start { process: instance(n), node: None });
            let controllers = "*".to_owned();
            let _ = self.cluster.fault(&Fault::Controllers { process: instance(n), controllers });
        }
    }
}

/// The name of a process of the control plane, or of its second instance.
fn instance(n: u8) -> String {
    let name = if n.is_multiple_of(2) { "kube-controller-manager" } else { "kube-scheduler" };
    if n < 2 { name.to_owned() } else { format!("{name}-2") }
}

/// The controller of a pod: kind, name, uid.
pub fn owner(pod: &Pod) -> Option<(String, String, String)> {
    let o = pod.metadata.owner_references.iter().flatten().find(|o| o.controller == Some(true))?;
    Some((o.kind.clone(), o.name.clone(), o.uid.clone()))
}

/// An object's uid.
pub fn uid(o: &steady::api::Object) -> String {
    MetaExt::uid(o.meta()).to_owned()
}

/// Whether the Deployment controller has seen the last edit.
pub fn was_seen(c: &Cluster) -> bool {
    c.api().etcd().range(Kind::DEPLOYMENT, Some("default")).all(|(_, r)| {
        let d = r.object.get::<Deployment>().unwrap();
        d.status.as_ref().and_then(|s| s.observed_generation) == d.metadata.generation
    })
}
