//! Time from apply to steady for growing numbers of replicas:
//! `cargo run --release --example scale -- 3 1000`. For a profiler; `cargo xtask bench` measures.
use std::time::Instant;
use steady::session::{Session, Start};

fn main() {
    let mut sizes: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
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
        let mut c = s.cluster().clone();
        drop(s);
        let t = Instant::now();
        let mut n = 0u32;
        let steady = c.run_to_steady(1_000_000, |_, _| n += 1);
        let d = t.elapsed();
        println!(
            "{replicas:6} replicas {nodes:4} nodes {n:7} commands {:9.2} ms {:7.1} us/command steady={steady} {}",
            d.as_secs_f64() * 1e3,
            d.as_secs_f64() * 1e6 / f64::from(n),
            c.digest()
        );
    }
}
