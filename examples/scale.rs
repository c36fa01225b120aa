//! Time from apply to steady for growing numbers of replicas, as a run and as a session:
//! `cargo run --release --example scale -- 3 1000`. For a profiler; `cargo xtask bench` measures.
//! With `--session` only as a session, with `--run` only as a run.
use std::time::{Duration, Instant};
use steady::session::{Depth, Session, Start};

fn main() {
    let mut sizes: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let only = |what: &str| std::env::args().any(|a| a == what);
    let (runs, sessions) = (!only("--session"), !only("--run"));
    if sizes.is_empty() {
        sizes = vec![3, 30, 100, 300, 1000, 3000];
    }
    for replicas in sizes {
        let text = steady::session::scenario::all()
            .remove(0)
            .manifest
            .replace("replicas: 3", &format!("replicas: {replicas}"));
        let nodes = replicas.div_ceil(100).max(3);
        let mut s = Session::new(Start { nodes, ..Start::default() });
        s.apply(&text);
        if runs {
            let mut c = s.cluster().clone();
            let mut n = 0u32;
            let (steady, d) = timed(|| c.run_to_steady(1_000_000, |_, _| n += 1));
            report("run", replicas, nodes, n, d);
            println!("    steady={steady} {}", c.digest());
        }
        if sessions {
            let mut n = 0u32;
            let ((), d) = timed(|| {
                while s.step(Depth::Command, None) {
                    n += 1;
                }
            });
            report("session", replicas, nodes, n, d);
        }
    }
}

fn timed<T>(what: impl FnOnce() -> T) -> (T, Duration) {
    let t = Instant::now();
    let out = what();
    (out, t.elapsed())
}

fn report(what: &str, replicas: usize, nodes: usize, commands: u32, d: Duration) {
    let each = d.as_secs_f64() * 1e6 / f64::from(commands);
    let ms = d.as_secs_f64() * 1e3;
    println!(
        "{what:8} {replicas:6} replicas {nodes:4} nodes {commands:7} commands {ms:9.2} ms {each:7.1} us/command"
    );
}
