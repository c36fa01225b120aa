//! Every order of a scenario, or of a manifest: `cargo run --release --example explore -- 04 100000`.
//! The first argument is the beginning of a scenario's id, or a file with a scenario or a manifest; the second bounds
//! the states.
use std::time::Instant;
use steady::session::explore::{Explorer, Options, Symmetry, builtin, follow};
use steady::session::{Depth, Session, Start, scenario};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let which = args.first().map(String::as_str).unwrap_or_default();
    let states: usize = args.get(1).and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let mut starts = Vec::new();
    if let Ok(text) = std::fs::read_to_string(which) {
        let session = scenario::read(which, &text).map(|s| s.open()).unwrap_or_else(|_| {
            let mut session = Session::new(Start::default());
            print!("{}", session.apply(&text).stdout);
            session
        });
        starts.push((which.to_owned(), session));
    } else {
        for s in scenario::all().into_iter().filter(|s| s.id.starts_with(which)) {
            starts.push((s.id.to_owned(), s.open()));
        }
    }
    println!(
        "| start | symmetry | states | edges | complete | outcomes | shortest | longest | endless | broken | states/s |"
    );
    println!("| --- | --- | ---: | ---: | --- | ---: | ---: | ---: | --- | --- | ---: |");
    for (name, session) in starts {
        for symmetry in [Symmetry::Merged, Symmetry::Distinct] {
            let options = Options { symmetry, states, ..Options::default() };
            let start = Instant::now();
            let mut e = Explorer::new(session.cluster(), options, builtin());
            while e.explore(1000) {}
            let rate = e.states().len() as f64 / start.elapsed().as_secs_f64();
            let r = e.report();
            let broken: Vec<&str> = r.broken.iter().map(|b| b.name.as_str()).collect();
            println!(
                "| {name} | {symmetry:?} | {} | {} | {} | {} | {:?} | {:?} | {} | {} | {rate:.0} |",
                r.states,
                r.edges,
                r.cut.map_or("yes".to_owned(), |c| format!("{c:?}")),
                r.outcomes.len(),
                r.shortest.unwrap_or_default(),
                r.longest.unwrap_or_default(),
                r.endless.map_or(String::new(), |e| format!("circle of {}", e.circle.len())),
                broken.join(", "),
            );
            for b in &r.broken {
                println!("\n{} does not hold: {:?} {:?}", b.name, b.violation.object, b.violation.values);
                let mut way = session.clone();
                if follow(&mut way, Depth::Command, &e.counterexample(b)).is_ok() {
                    for id in way.timeline().into_iter().skip(session.timeline().len()) {
                        let commands = way.moment(id).map(|m| m.commands()).unwrap_or_default();
                        for c in commands.iter().filter(|c| c.key.is_some()) {
                            println!("  {} {} {}", c.by, c.request.verb_string(), c.request.object());
                        }
                    }
                }
            }
        }
    }
}
