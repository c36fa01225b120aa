//! How long it takes to step a cluster whose clients send a thousand requests a second, and to say what became of them, which the page asks
//! at every step: `cargo bench --bench traffic [-- 100 1000]`. The figures stand in docs/benchmarks.md; nothing passes or fails by them.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use jiff::SignedDuration;
use steady::api::later;
use steady::session::view::traffic;
use steady::session::{Depth, Session, Start};

/// The pods that answer.
const PODS: [usize; 2] = [100, 1000];
/// The steps of the rollout that are measured.
const STEPS: usize = 1500;
/// The requests of all clients together in a second.
const RATE: usize = 1000;

/// What is measured: its name, how many clients send, what stands behind their URL, and the annotations of the servers.
const CASES: [(&str, usize, &str, &str); 6] = [
    ("answers at once", 5, "", ""),
    ("a hundred clients", 100, "", ""),
    ("answers after 50 ms", 5, "", "sim.steady/answer-seconds: \"0.05\""),
    ("kept connections", 5, " connections=20", "sim.steady/answer-seconds: \"0.05\""),
    (
        "limits, and room",
        5,
        "",
        "{sim.steady/answer-seconds: \"0.05\", sim.steady/answer-concurrency: \"20\"}",
    ),
    ("limits, and none", 5, "", "{sim.steady/answer-seconds: \"0.9\", sim.steady/answer-concurrency: \"1\"}"),
];

fn manifest(pods: usize, annotations: &str) -> String {
    let annotations = format!("{{{}}}", annotations.trim_matches(['{', '}']));
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: web}}\nspec: {{selector: {{app: web}}, ports: [{{port: 80}}]}}\n---\n\
         apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  replicas: {pods}\n  selector: {{matchLabels: {{app: web}}}}\n  \
         template:\n    metadata:\n      labels: {{app: web}}\n      annotations: {annotations}\n    spec:\n      containers:\n      \
         - {{name: web, image: \"nginx:1.28\"}}\n"
    )
}

fn clients(many: usize, options: &str) -> String {
    let one = |n: usize| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: client-{n}\n  annotations: {{sim.steady/requests: \"{}/s http://web/{options}\"}}\n\
             spec:\n  containers:\n  - {{name: client, image: \"busybox:1.37\", command: [sleep, infinity]}}\n---\n",
            RATE / many
        )
    };
    (0..many).map(one).collect()
}

/// The median, the 99th percentile and the most of some times, in milliseconds.
fn said(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |part: usize| {
        times.get((times.len() * part / 1000).min(times.len() - 1)).map_or(0.0, |d| d.as_secs_f64() * 1e3)
    };
    format!("{:.2} / {:.2} / {:.1}", at(500), at(990), at(1000))
}

fn to_steady(session: &mut Session) {
    while session.step(Depth::Command, None) {}
}

fn main() {
    // Cargo passes `--bench`, which is skipped.
    let asked: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let sizes = if asked.is_empty() { PODS.to_vec() } else { asked };
    println!("### A thousand requests a second during a rollout, natively (ms, p50 / p99 / most)\n");
    println!(
        "| pods | clients and servers | requests | a step | what became of the requests | an hour more in one go |"
    );
    println!("| ---: | --- | ---: | ---: | ---: | ---: |");
    for pods in sizes {
        for (name, many, options, annotations) in CASES {
            let nodes = (pods + many).div_ceil(100).max(3);
            let mut session = Session::new(Start { nodes, ..Start::default() });
            let out = session.apply(&manifest(pods, annotations));
            assert_eq!(out.exit, 0, "{}", out.stderr);
            to_steady(&mut session);
            let out = session.apply(&clients(many, options));
            assert_eq!(out.exit, 0, "{}", out.stderr);
            to_steady(&mut session);
            session.kubectl("rollout restart deployment web", &[]);
            let (mut steps, mut answers) = (Vec::new(), Vec::new());
            let mut sent = 0;
            for _ in 0..STEPS {
                let before = Instant::now();
                let more = session.step(Depth::Command, None);
                steps.push(before.elapsed());
                let before = Instant::now();
                sent = traffic(&session).sent;
                answers.push(before.elapsed());
                if !more {
                    break;
                }
            }
            let hour = later(session.now(), SignedDuration::from_hours(1));
            let before = Instant::now();
            std::hint::black_box(session.cluster().traffic_until(hour));
            let hour = before.elapsed().as_secs_f64() * 1e3;
            println!("| {pods} | {name} | {sent} | {} | {} | {hour:.1} |", said(steps), said(answers));
        }
    }
}
