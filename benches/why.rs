//! How long the questions of the page about causes take: `cargo bench --bench why [-- 500 2000 5000]`. They are answered on
//! the page's thread, so none may take over a frame. The figures stand in docs/benchmarks.md; nothing passes or fails by them.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use steady::api::{Kind, ObjectRef};
use steady::session::view::{summary, why, yaml_view};
use steady::session::{Depth, Session, Start, scenario};

/// How many moments follow the apply.
const MOMENTS: [usize; 3] = [500, 2_000, 5_000];
const SAMPLES: usize = 21;

/// A run of the Deployment of the first scenario, with so many moments after the apply.
fn run(moments: usize) -> Session {
    let manifest = scenario::find("01-first-deployment").unwrap().manifest;
    let replicas = moments / 5 + 1;
    let mut session = Session::new(Start { nodes: replicas.div_ceil(100).max(3), ..Start::default() });
    let out = session.apply(&manifest.replace("replicas: 3", &format!("replicas: {replicas}")));
    assert_eq!(out.exit, 0, "{}", out.stderr);
    for _ in 0..moments {
        assert!(session.step(Depth::Command, None), "the run ends after {} moments", session.at());
    }
    session
}

/// The median and the most of some samples, in milliseconds.
fn time<T>(question: impl Fn() -> T) -> String {
    let mut times: Vec<Duration> = (0..SAMPLES)
        .map(|_| {
            let before = Instant::now();
            let answer = std::hint::black_box(question());
            let took = before.elapsed();
            drop(answer);
            took
        })
        .collect();
    times.sort();
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    format!("{:.2} / {:.2}", ms(times[SAMPLES / 2]), ms(times[SAMPLES - 1]))
}

/// Why a line of an object is as it is, by how the line begins.
fn of_line(session: &Session, object: &ObjectRef, line: &str) -> String {
    let yaml = yaml_view(session, object, false);
    let field = yaml.lines.iter().find(|l| l.text.trim_start().starts_with(line)).unwrap().field;
    assert!(!why(session, object, Some((field, false))).chain.is_empty());
    time(|| why(session, object, Some((field, false))))
}

fn main() {
    // Cargo passes `--bench`, which is skipped.
    let asked: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let sizes = if asked.is_empty() { MOMENTS.to_vec() } else { asked };
    println!("### Why it is so, natively (ms, p50 / most)\n");
    println!(
        "| moments | summary | summary of a deed just now | a Pod | its phase | its nodeName | the Deployment | its replicas | its replicas, by rank |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for moments in sizes {
        let mut session = run(moments);
        let pods = session.cluster().api().etcd().range(Kind::POD, None);
        let pod = pods.map(|(key, _)| ObjectRef::new(Kind::POD, "default", &key.key.name)).next().unwrap();
        let deployment = ObjectRef::new(Kind::DEPLOYMENT, "default", "web");
        let whole = time(|| summary(&session));
        let of_pod = time(|| why(&session, &pod, None));
        let phase = of_line(&session, &pod, "phase:");
        let node = of_line(&session, &pod, "nodeName:");
        let of_deployment = time(|| why(&session, &deployment, None));
        let ready = of_line(&session, &deployment, "updatedReplicas:");
        let replicas = of_line(&session, &deployment, "replicas:");
        session.kubectl("annotate deployment web note=new", &[]);
        for _ in 0..10 {
            session.step(Depth::Command, None);
        }
        let now = time(|| summary(&session));
        println!(
            "| {moments} | {whole} | {now} | {of_pod} | {phase} | {node} | {of_deployment} | {ready} | {replicas} |"
        );
    }
}
