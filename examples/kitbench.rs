use steady::session::{Session, Start, scenario};
fn main() {
    let n: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1000);
    let manifest = scenario::find("01-first-deployment").unwrap().manifest;
    let mut session = Session::new(Start { nodes: n.div_ceil(100).max(3), ..Start::default() });
    session.apply(&manifest.replace("replicas: 3", &format!("replicas: {n}")));
    let mut cluster = session.cluster().clone();
    drop(session);
    let mut commands = 0u32;
    assert!(cluster.run_to_steady(usize::MAX, |_, _| commands += 1));
    println!("{commands} {}", cluster.digest());
}
