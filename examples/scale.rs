//! Time from apply to steady for growing numbers of replicas: `cargo run --release --example scale`.
use std::time::Instant;
use steady::cluster::{Cluster, Config};
use steady::session::{Session, Start};

fn main() {
    for replicas in [3usize, 30, 100, 300, 1000, 3000] {
        let text = steady::session::scenario::all()
            .remove(0)
            .manifest
            .replace("replicas: 3", &format!("replicas: {replicas}"));
        let nodes = replicas.div_ceil(100).max(3);
        let start = Start { nodes, ..Start::default() };
        let cluster = Cluster::new(&Config::nodes(nodes));
        let mut s = Session::with_cluster(start, cluster);
        s.apply(&text);
        let mut c = s.cluster().clone();
        let t = Instant::now();
        let mut n = 0u32;
        let steady = c.run_to_steady(1_000_000, |_, _| n += 1);
        let d = t.elapsed();
        println!(
            "{replicas:6} replicas {nodes:4} nodes {n:7} commands {:9.2} ms {:7.1} us/command steady={steady}",
            d.as_secs_f64() * 1e3,
            d.as_secs_f64() * 1e6 / f64::from(n)
        );
    }
}
