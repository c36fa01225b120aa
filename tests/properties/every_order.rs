//! Every order of small clusters: in how many states they can be, in how many they end, which invariants hold in all of
//! them, and whether states are merged that go on differently. The table of them is in docs/explorer.md;
//! `STEADY_UPDATE=1 cargo test --test properties every_order` writes it.

use std::collections::BTreeMap;

use steady::api::types::{CronJob, DaemonSet, Deployment, Job, Pod, StatefulSet};
use steady::api::{ApiKind, MetaExt, Object};
use steady::cluster::{Cluster, Fault};
use steady::session::explore::{Choice, Cut, Explorer, Invariant, Options, Violation, builtin, objects};
use steady::session::scenario::{self, ScenarioStep};
use steady::session::{Depth, Session, Start};

/// A start that is explored.
struct Case {
    /// Its name in the table.
    name: &'static str,
    start: fn() -> Session,
    /// What has to hold in every state, beside the built-in invariants.
    invariants: fn() -> Vec<Box<dyn Invariant>>,
    /// How many different ends there are, and what each of them is, as [`end`] describes it.
    ends: &'static [&'static str],
    /// Why, for the table.
    why: &'static str,
}

const CASES: &[Case] = &[
    Case {
        name: "a StatefulSet with two pods is created",
        start: || applied(1, &stateful("OrderedReady", "nginx:1.27")),
        invariants: || vec![Box::new(Ordinals { ordered: true })],
        ends: &["s-0 on nginx:1.27 ready, s-1 on nginx:1.27 ready"],
        why: "s-1 is created when s-0 is ready",
    },
    Case {
        name: "its rolling update",
        start: || {
            changed(1, &stateful("OrderedReady", "nginx:1.27"), &stateful("OrderedReady", "nginx:1.28"))
        },
        invariants: || vec![Box::new(Ordinals { ordered: true }), Box::new(ReadyPods { least: 1 })],
        ends: &["s-0 on nginx:1.28 ready, s-1 on nginx:1.28 ready"],
        why: "one pod at a time, from the highest ordinal",
    },
    Case {
        name: "the same with podManagementPolicy Parallel",
        start: || changed(1, &stateful("Parallel", "nginx:1.27"), &stateful("Parallel", "nginx:1.28")),
        invariants: || vec![Box::new(Ordinals { ordered: false }), Box::new(ReadyPods { least: 1 })],
        ends: &["s-0 on nginx:1.28 ready, s-1 on nginx:1.28 ready"],
        why: "an update waits for unhealthy pods here, too",
    },
    Case {
        name: "an update to an image that does not exist",
        start: || {
            changed(1, &stateful("OrderedReady", "nginx:1.27"), &stateful("OrderedReady", "nginx:missing"))
        },
        invariants: || vec![Box::new(Ordinals { ordered: true }), Box::new(ReadyPods { least: 1 })],
        ends: &["s-0 on nginx:1.27 ready, s-1 on nginx:missing"],
        why: "it stays stuck at s-1",
    },
    Case {
        name: "its undo",
        start: || undone("OrderedReady"),
        invariants: || vec![Box::new(Ordinals { ordered: true }), Box::new(ReadyPods { least: 1 })],
        ends: &["s-0 on nginx:1.27 ready, s-1 on nginx:missing"],
        why: "it stays stuck all the same: somebody has to delete s-1",
    },
    Case {
        name: "its undo with podManagementPolicy Parallel",
        start: || undone("Parallel"),
        invariants: || vec![Box::new(Ordinals { ordered: false }), Box::new(ReadyPods { least: 1 })],
        ends: &["s-0 on nginx:1.27 ready, s-1 on nginx:1.27 ready"],
        why: "s-1 is replaced, although it is not ready",
    },
    Case {
        name: "a DaemonSet's rolling update on two nodes",
        start: || changed(2, &daemon("nginx:1.27"), &daemon("nginx:1.28")),
        invariants: || vec![Box::new(ReadyPods { least: 1 })],
        ends: &["pod on nginx:1.28 ready, pod on nginx:1.28 ready"],
        why: "maxUnavailable is 1",
    },
    Case {
        name: "the same while a node is cut off",
        start: || {
            let mut s = changed(2, &daemon("nginx:1.27"), &daemon("nginx:1.28"));
            s.fault(&Fault::NodeDown { node: "node-2".into() }).unwrap();
            s
        },
        invariants: Vec::new,
        ends: &[
            "pod on nginx:1.27 going, pod on nginx:1.28 ready",
            "pod on nginx:1.27 going, pod on nginx:1.28 ready; 1 misscheduled",
        ],
        why: "the update waits for the lost node; only the status differs: the taint NoSchedule does not wake the controller, \
              so it counts the pod as misscheduled only if it looks once more for another reason",
    },
    Case {
        name: "the same while a node is deleted",
        start: || {
            let mut s = changed(2, &daemon("nginx:1.27"), &daemon("nginx:1.28"));
            kubectl(&mut s, "delete node node-2 --wait=false");
            s
        },
        invariants: Vec::new,
        ends: &["pod on nginx:1.28 ready"],
        why: "the pod of the deleted node is deleted with it",
    },
    Case {
        name: "a Job with a podFailurePolicy of FailJob",
        start: || applied(1, &job("FailJob", 42)),
        invariants: || vec![Box::new(Parallelism)],
        ends: &["pod on team/x failed, pod on team/x failed; j failed", "pod on team/x failed; j failed"],
        why: "the first exit code 42 ends it; a pod whose own end its kubelet has not noticed by then is deleted",
    },
    Case {
        name: "the same with another exit code",
        start: || applied(1, &job("FailJob", 1)),
        invariants: || vec![Box::new(Parallelism)],
        ends: &["pod on team/x failed, pod on team/x failed; j failed"],
        why: "backoffLimit is 1",
    },
    Case {
        name: "a pod whose claim is created later",
        start: || {
            let mut s = applied(1, POD_WITH_CLAIM);
            run(&mut s);
            apply(&mut s, CLAIM);
            s
        },
        invariants: Vec::new,
        ends: &["p on team/x ready"],
        why: "the scheduler, the provisioner and the binder wait for each other",
    },
    Case {
        name: "two CronJobs, and a quota of one Job",
        start: || crons(&[cron("a", 1), cron("b", 1)]),
        invariants: || vec![Box::new(Jobs { most: 1 })],
        ends: &["a ran"],
        why: "one controller takes the two in order; the Job that is kept as history uses the quota up, so b never runs",
    },
    Case {
        name: "the same without a history",
        start: || crons(&[cron("a", 0), cron("b", 0)]),
        invariants: || vec![Box::new(Jobs { most: 1 })],
        ends: &["a ran, b ran"],
        why: "the one that was refused tries again, and the quota is free by then",
    },
    Case {
        name: "a person scales below an autoscaler's minimum",
        start: || scaled(1),
        invariants: Vec::new,
        ends: &["pod on team/x ready, pod on team/x ready; web 2"],
        why: "the autoscaler looks last, whoever goes first",
    },
    Case {
        name: "a person scales above what an autoscaler measures",
        start: || scaled(3),
        invariants: Vec::new,
        ends: &["pod on team/x ready, pod on team/x ready; web 2"],
        why: "the same, after what it has measured",
    },
];

fn apply(s: &mut Session, text: &str) {
    let out = s.apply(text);
    assert_eq!(out.exit, 0, "{}", out.stderr);
}

fn kubectl(s: &mut Session, line: &str) {
    let out = s.kubectl(line, &[]);
    assert_eq!(out.exit, 0, "{}", out.stderr);
}

fn run(s: &mut Session) {
    while s.step(Depth::Command, None) {
        assert!(s.timeline().len() < 5_000, "it never ends");
    }
}

fn applied(nodes: usize, text: &str) -> Session {
    let mut s = Session::new(Start { nodes, ..Start::default() });
    apply(&mut s, text);
    s
}

/// A manifest was applied, the cluster ran until it was steady, and another manifest was applied.
fn changed(nodes: usize, before: &str, after: &str) -> Session {
    let mut s = applied(nodes, before);
    run(&mut s);
    apply(&mut s, after);
    s
}

/// A StatefulSet whose update is stuck is set back to the old version.
fn undone(policy: &str) -> Session {
    let mut s = changed(1, &stateful(policy, "nginx:1.27"), &stateful(policy, "nginx:missing"));
    run(&mut s);
    kubectl(&mut s, "rollout undo statefulset/s");
    s
}

fn template(image: &str) -> String {
    format!(
        "{{metadata: {{labels: {{a: b}}}}, spec: {{terminationGracePeriodSeconds: 1, \
         containers: [{{name: c, image: \"{image}\", resources: {{requests: {{cpu: 100m}}}}}}]}}}}"
    )
}

fn set(kind: &str, name: &str, image: &str, more: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {{selector: {{matchLabels: {{a: b}}}}, \
         template: {}{more}}}\n",
        template(image)
    )
}

fn stateful(policy: &str, image: &str) -> String {
    set("StatefulSet", "s", image, &format!(", serviceName: s, replicas: 2, podManagementPolicy: {policy}"))
}

fn daemon(image: &str) -> String {
    set("DaemonSet", "s", image, "")
}

fn job(action: &str, code: i32) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\nspec:\n  completions: 2\n  parallelism: 2\n  \
         backoffLimit: 1\n  podFailurePolicy:\n    rules:\n    - action: {action}\n      \
         onExitCodes: {{operator: In, values: [42]}}\n  template:\n    \
         metadata: {{annotations: {{sim.steady/run-seconds: \"3\", sim.steady/exit-code: \"{code}\"}}}}\n    \
         spec: {{restartPolicy: Never, terminationGracePeriodSeconds: 1, containers: [{{name: c, image: team/x}}]}}\n"
    )
}

const POD_WITH_CLAIM: &str = "apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: team/x, volumeMounts: [{name: d, mountPath: /d}]}]
  volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]
";
const CLAIM: &str = "apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
";

fn cron(name: &str, history: i32) -> String {
    format!(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: {name}}}\nspec:\n  schedule: \"*/5 * * * *\"\n  \
         successfulJobsHistoryLimit: {history}\n  jobTemplate:\n    spec:\n      template:\n        \
         spec: {{restartPolicy: Never, containers: [{{name: c, image: team/x}}]}}\n"
    )
}

/// The moment at which both CronJobs are due, and neither has acted yet.
fn crons(manifests: &[String]) -> Session {
    let mut s = Session::new(Start { nodes: 1, ..Start::default() });
    kubectl(&mut s, "create quota q --hard=count/jobs.batch=1");
    run(&mut s);
    for manifest in manifests {
        apply(&mut s, manifest);
    }
    run(&mut s);
    let before = s.now();
    while s.now() == before {
        s.to_schedule(Depth::Machinery).unwrap();
    }
    s
}

/// An autoscaler keeps a Deployment at two replicas; a person sets another number.
fn scaled(replicas: i32) -> Session {
    let mut s = Session::new(Start { nodes: 1, ..Start::default() });
    s.fault(&Fault::MetricsServer { installed: true }).unwrap();
    apply(&mut s, &set("Deployment", "web", "team/x", ", replicas: 2"));
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web, annotations: {sim.steady/load: 80m}}\n\
                   spec: {selector: {a: b}, ports: [{port: 80}]}\n";
    apply(&mut s, service);
    run(&mut s);
    let scaler = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec: \
                  {minReplicas: 2, maxReplicas: 3, behavior: {scaleDown: {stabilizationWindowSeconds: 0}}, \
                  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, metrics: [{type: Resource, \
                  resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]}\n";
    apply(&mut s, scaler);
    run(&mut s);
    kubectl(&mut s, &format!("scale deployment web --replicas={replicas}"));
    s
}

fn all<T: ApiKind>(c: &Cluster) -> Vec<&T> {
    objects(c).filter_map(Object::get::<T>).map(|o| &**o).collect()
}

fn is_ready(p: &Pod) -> bool {
    let conditions = p.status.iter().flat_map(|s| s.conditions.iter().flatten());
    p.metadata.deletion_timestamp.is_none()
        && conditions.into_iter().any(|c| c.type_ == "Ready" && c.status == "True")
}

fn image(p: &Pod) -> String {
    let spec = p.spec.as_ref().unwrap();
    spec.containers[0].image.clone().unwrap_or_default()
}

/// An end in words: the pods, with their names if these are no generated ones, Jobs and Deployments.
fn end(c: &Cluster) -> String {
    let mut pods: Vec<String> = all::<Pod>(c)
        .into_iter()
        .map(|p| {
            let name = if p.metadata.generate_name.is_some() && all::<StatefulSet>(c).is_empty() {
                "pod"
            } else {
                p.metadata.name()
            };
            let phase = p.status.as_ref().and_then(|s| s.phase.clone()).unwrap_or_default();
            let what = match () {
                () if p.metadata.deletion_timestamp.is_some() => " going",
                () if is_ready(p) => " ready",
                () if phase == "Failed" => " failed",
                () if phase == "Succeeded" => " done",
                () => "",
            };
            format!("{name} on {}{what}", image(p))
        })
        .collect();
    pods.sort();
    let crons = all::<CronJob>(c);
    if !crons.is_empty() {
        let ran =
            crons.iter().filter(|c| c.status.as_ref().is_some_and(|s| s.last_successful_time.is_some()));
        return ran.map(|c| format!("{} ran", c.metadata.name())).collect::<Vec<_>>().join(", ");
    }
    let mut out = vec![pods.join(", ")];
    for job in all::<Job>(c) {
        let conditions = job.status.iter().flat_map(|s| s.conditions.iter().flatten());
        let failed = conditions.into_iter().any(|c| c.type_ == "Failed" && c.status == "True");
        out.push(format!("{} {}", job.metadata.name(), if failed { "failed" } else { "complete" }));
    }
    for d in all::<Deployment>(c) {
        out.push(format!("{} {}", d.metadata.name(), d.spec.as_ref().unwrap().replicas.unwrap_or(1)));
    }
    for d in all::<DaemonSet>(c) {
        let misscheduled = d.status.as_ref().unwrap().number_misscheduled;
        if misscheduled > 0 {
            out.push(format!("{misscheduled} misscheduled"));
        }
    }
    out.join("; ")
}

/// A pod of a StatefulSet is created when all before it are ready (`ordered`), and an update deletes a pod when all
/// after it are ready in their new version.
struct Ordinals {
    ordered: bool,
}

impl Invariant for Ordinals {
    fn name(&self) -> &'static str {
        "ordinals"
    }

    fn step(&self, before: &Cluster, after: &Cluster) -> Result<(), Violation> {
        let by_name =
            |c| all::<Pod>(c).into_iter().map(|p| (p.metadata.name(), p)).collect::<BTreeMap<_, _>>();
        let (old, new) = (by_name(before), by_name(after));
        let wrong = |p: &Pod, why: &str| {
            Err(Violation::new(None, vec![("pod", p.metadata.name().to_owned()), ("why", why.to_owned())]))
        };
        for (name, p) in &new {
            let was = old.get(name).filter(|o| o.metadata.uid == p.metadata.uid);
            let first = old.get("s-0").is_some_and(|p| is_ready(p));
            let last = old.get("s-1").is_some_and(|p| is_ready(p) && image(p) != image(new[name]));
            let goes = |p: &Pod| p.metadata.deletion_timestamp.is_some();
            if was.is_none() && self.ordered && *name == "s-1" && !first {
                return wrong(p, "s-0 was not ready");
            }
            if was.is_some_and(|was| !goes(was)) && goes(p) && *name == "s-0" && !last {
                return wrong(p, "s-1 was not ready in its new version");
            }
        }
        Ok(())
    }
}

/// Never are fewer pods ready.
struct ReadyPods {
    least: usize,
}

impl Invariant for ReadyPods {
    fn name(&self) -> &'static str {
        "readyPods"
    }

    fn state(&self, cluster: &Cluster) -> Result<(), Violation> {
        let ready = all::<Pod>(cluster).into_iter().filter(|p| is_ready(p)).count();
        if ready < self.least {
            Err(Violation::new(None, vec![("ready", ready.to_string())]))
        } else {
            Ok(())
        }
    }
}

/// Never are more pods of a Job active than its parallelism.
struct Parallelism;

impl Invariant for Parallelism {
    fn name(&self) -> &'static str {
        "parallelism"
    }

    fn state(&self, cluster: &Cluster) -> Result<(), Violation> {
        for job in all::<Job>(cluster) {
            let active = all::<Pod>(cluster).into_iter().filter(|p| {
                let phase = p.status.as_ref().and_then(|s| s.phase.as_deref());
                p.metadata.deletion_timestamp.is_none() && !matches!(phase, Some("Failed" | "Succeeded"))
            });
            let most = job.spec.as_ref().and_then(|s| s.parallelism).unwrap_or(1);
            let n = i32::try_from(active.count()).unwrap();
            if n > most {
                return Err(Violation::new(None, vec![("active", n.to_string())]));
            }
        }
        Ok(())
    }
}

/// Never are there more Jobs than the quota allows.
struct Jobs {
    most: usize,
}

impl Invariant for Jobs {
    fn name(&self) -> &'static str {
        "jobs"
    }

    fn state(&self, cluster: &Cluster) -> Result<(), Violation> {
        let jobs = all::<Job>(cluster).len();
        if jobs > self.most { Err(Violation::new(None, vec![("jobs", jobs.to_string())])) } else { Ok(()) }
    }
}

fn explored(s: &Session, states: usize, more: Vec<Box<dyn Invariant>>) -> Explorer {
    let invariants = builtin().into_iter().chain(more).collect();
    let mut e = Explorer::new(s.cluster(), Options { states, ..Options::default() }, invariants);
    while e.explore(100) {}
    e
}

/// States may be merged only if they go on in the same way. Then every state of a run is one that was found, and every
/// step of it a step from there.
fn stays_within(s: &Session, e: &mut Explorer, seed: u64) {
    let mut s = s.clone();
    let mut chance = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut at = e.find(s.cluster()).unwrap();
    loop {
        // Mostly the same choices are possible as in the state that was explored. Where nodes have other names, another
        // component may have to take the step.
        let mut choices: Vec<Choice> = e.states()[at].next.iter().map(|edge| edge.choice).collect();
        let mut others: Vec<Choice> = s.cluster().actors().map(Choice::Actor).collect();
        let mut stepped = false;
        while !(stepped || choices.is_empty() && others.is_empty()) {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let from = if choices.is_empty() { &mut others } else { &mut choices };
            stepped = match from.swap_remove((chance >> 33) as usize % from.len()) {
                Choice::Actor(actor) => s.heard(Depth::Command, Some(actor)),
                Choice::Time => s.heard(Depth::Command, None),
                Choice::Act(_) => false,
            };
        }
        if !stepped {
            break;
        }
        let to = e.find(s.cluster());
        let known = to.is_some_and(|to| e.states()[at].next.iter().any(|edge| edge.to == to));
        assert!(known, "seed {seed}: from state {at} to {to:?} by {:?}", s.current().by(s.cluster()));
        at = to.unwrap();
    }
    assert!(e.states()[at].steady);
}

#[test]
fn what_every_order_of_each_kind_of_workload_leads_to() {
    let mut table = String::from("| start | states | ends | why |\n| --- | ---: | --- | --- |\n");
    for (nth, case) in (0..).zip(CASES) {
        let s = (case.start)();
        let mut e = explored(&s, 2_000, (case.invariants)());
        let r = e.report();
        assert!(r.complete && r.endless.is_none(), "{}: {r:?}", case.name);
        assert!(r.broken.is_empty(), "{}: {:?}", case.name, r.broken);
        let mut ends: Vec<String> =
            r.outcomes.iter().map(|ending| end(&e.cluster(ending.state).unwrap())).collect();
        ends.sort();
        assert_eq!(ends, case.ends, "{}: {:?}", case.name, r.outcomes);
        stays_within(&s, &mut e, nth);
        table.push_str(&format!("| {} | {} | {} | {} |\n", case.name, r.states, ends.len(), case.why));
    }
    is_documented(&table);
}

/// Two pods behind a Service, a client that asks it all the time, and one of the pods is to go. Its containers stop as `lifecycle` says.
fn one_pod_less(lifecycle: &str) -> Session {
    one_pod_less_of("{}", lifecycle)
}

/// The same; the pods have annotations.
fn one_pod_less_of(annotations: &str, lifecycle: &str) -> Session {
    let text = format!(
        "apiVersion: v1
kind: Service
metadata: {{name: web}}
spec: {{selector: {{app: web}}, ports: [{{port: 80}}]}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {{name: web}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}, annotations: {annotations}}}
    spec: {{containers: [{{name: web, image: nginx, ports: [{{containerPort: 80}}], lifecycle: {lifecycle}}}]}}
---
apiVersion: v1
kind: Pod
metadata: {{name: client, annotations: {{sim.steady/requests: 20/s http://web/}}}}
spec: {{containers: [{{name: c, image: busybox, command: [sleep, infinity]}}]}}
"
    );
    let mut s = applied(1, &text);
    run(&mut s);
    kubectl(&mut s, "scale rs/web --replicas=1");
    s
}

/// A pod that stops at once closes its port before kube-proxy has heard of it, in some order; one that sleeps first does so in none
/// (KEP-3960; kubernetes.io/docs/tutorials/services/pods-and-endpoint-termination-flow).
#[test]
fn every_order_says_whether_requests_are_lost() {
    let lossy = explored(&one_pod_less("{}"), 2_000, Vec::new());
    let r = lossy.report();
    let all = builtin();
    let broken: Vec<&str> = r.broken.iter().map(|b| all[b.invariant].name()).collect();
    assert_eq!(broken, ["noRequestLost"], "{r:?}");
    let lossless = explored(&one_pod_less("{preStop: {sleep: {seconds: 5}}}"), 2_000, Vec::new());
    let r = lossless.report();
    assert!(r.complete && r.broken.is_empty(), "{r:?}");
}

/// Nobody sends a request between two actions of the same moment: a step loses requests only if time passes in it. (Of several states of
/// one moment the last one is that of the moment: docs/explorer.md, No request is lost.)
#[test]
fn requests_are_lost_while_time_passes() {
    let all = builtin();
    let requests = all.iter().find(|i| i.name() == "noRequestLost").unwrap();
    let mut s = one_pod_less("{}");
    let mut told = false;
    loop {
        let before = s.cluster().clone();
        if !s.step(Depth::Machinery, None) {
            break;
        }
        let lost = requests.step(&before, s.cluster()).is_err();
        assert!(!lost || before.now() < s.cluster().now());
        assert!(requests.state(s.cluster()).is_ok());
        told |= lost;
    }
    assert!(told, "the port is closed for some time before the rules have heard of it");
}

/// A sleep before the stop keeps new connections away from a pod that ends; what it has begun to answer is cut off when its program
/// ends, unless that gives its answers first (kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle#pod-termination: containers that
/// still run when the grace period is over are killed, and what they do on SIGTERM is up to them).
#[test]
fn every_order_says_whether_answers_are_cut_off() {
    const SLEEPS: &str = "{preStop: {sleep: {seconds: 5}}}";
    let cut = explored(&one_pod_less_of("{sim.steady/answer-seconds: '10'}", SLEEPS), 2_000, Vec::new());
    let r = cut.report();
    let all = builtin();
    let broken: Vec<&str> = r.broken.iter().map(|b| all[b.invariant].name()).collect();
    assert_eq!(broken, ["noRequestLost"], "{r:?}");
    let values = &r.broken[0].violation.values;
    assert!(values.iter().any(|(name, value)| name == "cause" && value == "Broken"), "{values:?}");
    let drains = "{sim.steady/answer-seconds: '10', sim.steady/on-sigterm: drain}";
    let whole = explored(&one_pod_less_of(drains, SLEEPS), 2_000, Vec::new());
    let r = whole.report();
    assert!(r.complete && r.broken.is_empty(), "{r:?}");
}

/// The table stands in docs/explorer.md.
fn is_documented(table: &str) {
    const BEGIN: &str = "<!-- every_order.rs -->\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/explorer.md");
    let text = std::fs::read_to_string(path).unwrap();
    let start = text.find(BEGIN).unwrap() + BEGIN.len();
    let len = text[start..].find("\n\n").unwrap() + 1;
    if std::env::var_os("STEADY_UPDATE").is_some() {
        let text = format!("{}{table}{}", &text[..start], &text[start + len..]);
        std::fs::write(path, text).unwrap();
    } else {
        assert_eq!(&text[start..start + len], table, "STEADY_UPDATE=1 writes the table anew");
    }
}

/// What the panel does with a scenario: it begins, and what it says at its bound is that it was met.
#[test]
fn an_exploration_of_a_scenario_says_how_far_it_came() {
    for s in scenario::ordinary().into_iter().filter(|s| s.id.as_str() >= "24") {
        let opened = s.open();
        let deeds = s.tries.iter().map(|t| &t.deed).filter(|deed| !matches!(deed, ScenarioStep::Steady(_)));
        for deed in std::iter::once(None).chain(deeds.map(Some)) {
            let mut session = opened.clone();
            if let Some(deed) = deed {
                s.perform(&mut session, deed);
            }
            let e = explored(&session, 25, Vec::new());
            let r = e.report();
            let bounded = (r.complete, r.cut, r.states) == (false, Some(Cut::States), 25);
            let whole = r.complete && r.cut.is_none() && r.states <= 25 && !r.outcomes.is_empty();
            assert!(bounded || whole, "{}: {deed:?}: {r:?}", s.id);
            assert!(whole || r.outcomes.is_empty(), "{}: {deed:?}: {r:?}", s.id);
        }
    }
}
