//! The native figures of docs/benchmarks.md: `cargo bench --bench cluster [-- changes 3 100 10000]`, or `cargo xtask
//! bench` for these and those in Chromium. They show growth; nothing passes or fails by them. The sizes and the
//! sections that are named are measured, or all; `ready`, `steps` and `changes` for whatever number is named, the others for their own.
//!
//! There is no harness: a run of 10,000 pods is measured once, not sampled a thousand times.
#![allow(clippy::unwrap_used)]

use std::rc::Rc;
use std::time::{Duration, Instant};

use steady::api::{Kind, Object};
use steady::apimachinery::{Body, Request, Verb};
use steady::cluster::{Cluster, Config, Fault};
use steady::session::{Depth, Link, Session, Start, scenario};

const SIZES: [usize; 6] = [3, 30, 100, 300, 1000, 10_000];
/// The numbers of pods at which single steps are measured if none is named.
const STEPPED: [usize; 2] = [100, 10_000];
/// The numbers of pods that are changed if none is named.
const CHANGED: [usize; 2] = [100, 1000];
const SAMPLES: usize = 500;

/// A session with the Deployment of the first scenario in another size, on as many nodes as it needs.
fn applied(replicas: usize) -> Session {
    let mut session = with_room(replicas);
    let manifest = scenario::find("01-first-deployment").unwrap().manifest;
    apply(&mut session, &manifest.replace("replicas: 3", &format!("replicas: {replicas}")));
    session
}

fn with_room(pods: usize) -> Session {
    Session::new(Start { nodes: pods.div_ceil(100).max(3), ..Start::default() })
}

fn apply(session: &mut Session, manifest: &str) {
    let out = session.apply(manifest);
    assert_eq!(out.exit, 0, "{}", out.stderr);
}

/// The Deployment of the scenario with an autoscaler, which keeps the CPU at half of what the pods request, on nodes for
/// so many pods; its load needs half as many.
fn autoscaled(pods: usize) -> Session {
    let mut session = with_room(pods);
    session.fault(&Fault::MetricsServer { installed: true }).unwrap();
    let manifest = scenario::find("28-autoscaler").unwrap().manifest;
    let manifest = manifest
        .replace("load: \"20m\"", &format!("load: {}m", pods / 2 * 5))
        .replace("maxReplicas: 8", &format!("maxReplicas: {pods}"));
    apply(&mut session, &manifest);
    command(&mut session, "set resources deployment web --requests=cpu=10m");
    command(&mut session, &format!("scale deployment web --replicas={}", pods / 2));
    session
}

/// The CPU time of this thread if the system reports it; else the time that has passed.
fn cpu() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|t| t.split_whitespace().next()?.parse().ok());
    nanos.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// Resident memory in bytes; 0 if the system does not report it.
fn memory() -> f64 {
    let told = std::fs::read_to_string("/proc/self/statm").ok();
    let pages: Option<f64> = told.and_then(|t| t.split_whitespace().nth(1)?.parse().ok());
    pages.unwrap_or_default() * 4096.0
}

fn ms(d: Duration) -> String {
    format!("{:.1}", d.as_secs_f64() * 1e3)
}

fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |p: usize| times[(times.len() * p / 100).min(times.len() - 1)].as_secs_f64() * 1e6;
    format!("{:.0} / {:.0}", at(50), at(99))
}

fn to_ready(sizes: &[usize]) {
    println!("### From apply to all Ready, natively\n");
    println!(
        "| replicas | nodes | commands | wall ms | CPU ms | CPU µs per command | as a session, CPU ms | KB per pod | bytes per moment | link bytes |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for &replicas in sizes {
        let empty = memory();
        let mut session = applied(replicas);
        let mut cluster: Cluster = session.cluster().clone();
        let (wall, before) = (Instant::now(), cpu());
        let mut commands = 0u32;
        assert!(cluster.run_to_steady(usize::MAX, |_, _| commands += 1));
        let (wall, alone) = (wall.elapsed(), cpu() - before);
        let of_pods = memory() - empty;
        drop(cluster);
        let (full, before) = (memory(), cpu());
        while session.step(Depth::Command, None) {}
        let kept = cpu() - before;
        let of_moments = (memory() - full).max(0.0);
        let link = Link::of(&session).encode().len();
        println!(
            "| {replicas} | {} | {commands} | {} | {} | {:.1} | {} | {:.1} | {:.0} | {link} |",
            session.start().nodes,
            ms(wall),
            ms(alone),
            alone.as_secs_f64() * 1e6 / f64::from(commands),
            ms(kept),
            of_pods / 1e3 / replicas as f64,
            of_moments / session.timeline().len() as f64,
        );
    }
    println!();
}

/// A change of a steady cluster, named by what is done to it.
type Change = (&'static str, fn(&mut Session));

const CHANGES: [Change; 5] = [
    ("roll out", |s| command(s, "set image deployment/web nginx=nginx:1.28")),
    ("delete all", |s| command(s, "delete deployment web --wait=false")),
    ("lose a node", |s| s.fault(&Fault::NodeDown { node: "node-1".into() }).unwrap()),
    ("lose a tenth of the nodes", |s| {
        for n in 1..=s.start().nodes.div_ceil(10) {
            s.fault(&Fault::NodeDown { node: format!("node-{n}") }).unwrap();
        }
    }),
    ("halve", |s| {
        let all = s.cluster().api().etcd().range(Kind::POD, None).count();
        command(s, &format!("scale deployment web --replicas={}", all / 2));
    }),
];

fn command(session: &mut Session, line: &str) {
    let out = session.kubectl(line, &[]);
    assert_eq!(out.exit, 0, "{}", out.stderr);
}

/// Whether a change is to be measured: the environment names one of them (`CHANGE=halve`), or none and so all.
fn is_asked(change: &str) -> bool {
    std::env::var("CHANGE").map_or(true, |asked| asked == change)
}

/// What it costs to change a cluster in which so many pods are ready, beside what it cost to get there.
fn changes(sizes: &[usize]) {
    println!("### Changes of a steady cluster, natively\n");
    println!("| pods | change | commands | CPU ms | CPU µs per command | of scaling up | digest |");
    println!("| ---: | --- | ---: | ---: | ---: | ---: | --- |");
    for &pods in sizes {
        let session = applied(pods);
        let (ready, up) = settled(session.cluster().clone(), pods, "scale up", None);
        for (name, change) in CHANGES.into_iter().filter(|(name, _)| is_asked(name)) {
            let mut changed = Session::with_cluster(session.start().clone(), ready.clone());
            change(&mut changed);
            let cluster = changed.cluster().clone();
            drop(changed);
            settled(cluster, pods, name, Some(up));
        }
        drop(ready);
        if !is_asked("autoscale") {
            continue;
        }
        let session = autoscaled(pods);
        let start = session.start().clone();
        let (half, _) =
            settled(session.cluster().clone(), pods, "scale half of them up, with a Service", Some(up));
        let mut changed = Session::with_cluster(start, half);
        command(&mut changed, &format!("annotate service web sim.steady/load={}m --overwrite", pods * 5));
        settled(changed.cluster().clone(), pods, "twice the load for the autoscaler", Some(up));
    }
    println!();
}

/// Runs a cluster until it is steady, and prints a row. Returns the cluster and the CPU time of the run.
fn settled(mut cluster: Cluster, pods: usize, name: &str, up: Option<Duration>) -> (Cluster, Duration) {
    let before = cpu();
    let mut commands = 0u32;
    assert!(cluster.run_to_steady(usize::MAX, |_, _| commands += 1));
    let took = cpu() - before;
    println!(
        "| {pods} | {name} | {commands} | {} | {:.1} | {} | {} |",
        ms(took),
        took.as_secs_f64() * 1e6 / f64::from(commands),
        up.map_or_else(String::new, |up| format!("{:.2}", took.as_secs_f64() / up.as_secs_f64())),
        cluster.digest(),
    );
    (cluster, took)
}

/// Steps in the middle of a run, where every component has something to do.
fn steps(sizes: &[usize]) {
    println!("### One step, natively (µs, p50 / p99)\n");
    println!("| pods | step | step back | next commands |");
    println!("| ---: | ---: | ---: | ---: |");
    for &replicas in sizes {
        let mut session = applied(replicas);
        while session.cluster().processes().count() > 0 && ready(&session) < replicas / 2 {
            for _ in 0..100 {
                if !session.step(Depth::Command, None) {
                    break;
                }
            }
        }
        let (mut forth, mut back, mut next) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..SAMPLES {
            let t = Instant::now();
            let stepped = session.step(Depth::Command, None);
            forth.push(t.elapsed());
            if !stepped {
                break;
            }
        }
        for _ in 0..SAMPLES.min(forth.len()) {
            let t = Instant::now();
            session.back();
            back.push(t.elapsed());
        }
        for _ in 0..20 {
            let t = Instant::now();
            let _ = session.next_commands(32);
            next.push(t.elapsed());
        }
        println!("| {replicas} | {} | {} | {} |", percentiles(forth), percentiles(back), percentiles(next));
    }
    println!();
}

/// Bound pods with kubelets and no other component: what a pod's own life costs.
fn kubelets(sizes: &[usize]) {
    println!("### From bound to Running, kubelets alone, natively\n");
    println!("| pods | nodes | commands | events | CPU µs per pod | a copy of the cluster, µs |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    for &pods in sizes {
        let nodes = pods.div_ceil(100).max(3);
        let mut config = Config::nodes(nodes);
        config.controllers = Rc::new(Vec::new);
        config.scheduler = Rc::new(Vec::new);
        config.addons = Rc::new(Vec::new);
        config.addon_objects = Vec::new();
        let mut cluster = Cluster::new(&config);
        for i in 0..pods {
            create_bound(&mut cluster, i, nodes);
        }
        let (mut commands, mut events) = (0, 0);
        let before = cpu();
        assert!(cluster.run_to_steady(usize::MAX, |_, c| {
            commands += 1;
            events += c.events.len();
        }));
        let took = cpu() - before;
        let t = Instant::now();
        let copy = cluster.clone();
        let copied = t.elapsed();
        drop(copy);
        println!(
            "| {pods} | {nodes} | {commands} | {events} | {:.1} | {:.1} |",
            took.as_secs_f64() * 1e6 / pods as f64,
            copied.as_secs_f64() * 1e6,
        );
    }
    println!();
}

fn create_bound(cluster: &mut Cluster, i: usize, nodes: usize) {
    let manifest = format!(
        r#"{{"metadata": {{"name": "p-{i}", "namespace": "default"}}, "spec": {{
            "nodeName": "node-{}", "restartPolicy": "Always",
            "containers": [{{"name": "app", "image": "team/app:1", "imagePullPolicy": "IfNotPresent"}}]
        }}}}"#,
        i % nodes + 1
    );
    let pod = Object::from_value(Kind::POD, serde_json::from_str(&manifest).unwrap()).unwrap();
    let request = Request::new(&"me".into(), Verb::Create, Kind::POD, pod.key()).body(Body::Object(pod));
    assert_eq!(cluster.request(&request).0.code(), 201);
}

fn ready(session: &Session) -> usize {
    use steady::api::{Kind, types::ReplicaSet};
    let all = session.cluster().api().etcd().range(Kind::REPLICA_SET, None);
    let of = |rs: &ReplicaSet| rs.status.as_ref().and_then(|s| s.ready_replicas).unwrap_or(0);
    all.filter_map(|(_, r)| r.object.get::<ReplicaSet>()).map(|rs| of(rs) as usize).sum()
}

fn main() {
    // Cargo passes `--bench`, which is skipped.
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let (sizes, sections): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|w| w.parse::<usize>().is_ok());
    let asked: Vec<usize> = sizes.iter().filter_map(|w| w.parse().ok()).collect();
    let chosen = |all: &[usize]| -> Vec<usize> {
        all.iter().copied().filter(|n| asked.is_empty() || asked.contains(n)).collect()
    };
    let wanted = |section: &str| sections.is_empty() || sections.iter().any(|s| *s == section);
    if wanted("ready") {
        to_ready(if asked.is_empty() { &SIZES } else { &asked });
    }
    if wanted("steps") {
        steps(if asked.is_empty() { &STEPPED } else { &asked });
    }
    if wanted("kubelets") {
        kubelets(&chosen(&STEPPED));
    }
    if wanted("changes") {
        changes(if asked.is_empty() { &CHANGED } else { &asked });
    }
}
