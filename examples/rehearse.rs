//! Rehearses a rollout of the Deployment `web` in a manifest, and prints what became of the requests.
//!
//! `cargo run --release --example rehearse -- MANIFEST [REPLICAS] [NODES] [RATE]`

use std::time::Instant;

use steady::api::{Kind, ObjectRef};
use steady::session::rehearsal::{Plan, Rehearsal};
use steady::session::{Session, Start};

fn main() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("which manifest?")?;
    let mut number = |or: usize| args.next().and_then(|n| n.parse().ok()).unwrap_or(or);
    let (replicas, nodes, rate) = (number(3), number(3), number(50));
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{file}: {e}"))?;
    let mut session = Session::new(Start { nodes, ..Start::default() });
    print!("{}", session.apply(&text).stdout);
    print!("{}", session.kubectl(&format!("scale deployment web --replicas={replicas}"), &[]).stdout);
    let workload = ObjectRef::new(Kind::DEPLOYMENT, "default", "web");
    let plan = Plan { rate: u32::try_from(rate).unwrap_or(50), ..Plan::of(workload) };
    let mut rehearsal = Rehearsal::new(session, plan);
    let mut begin = Instant::now();
    let mut told = 0;
    let found = loop {
        let found = rehearsal.advance(|| false);
        let stand = rehearsal.stand();
        if stand.tried > told {
            told = stand.tried;
            println!("rollout {told}: {:?}, {} steps with its preparation", begin.elapsed(), stand.steps);
            begin = Instant::now();
        }
        if let Some(found) = found {
            break found.map_err(|why| format!("{why:?}"))?;
        }
    };
    for tried in found.tried {
        let (lost, sent) = (tried.lost(), tried.sent);
        println!("{:?}: {lost} of {sent} lost in {} s: {:?}", tried.mends, tried.seconds, tried.losses);
    }
    Ok(())
}
