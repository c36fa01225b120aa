//! Every order of a scenario, or of a manifest: `cargo run --release --example explore -- 04 100000 2`.
//! The first argument is the beginning of a scenario's id, or a file with a scenario or a manifest; the second bounds
//! the states; the third is the number of threads that explore, as the page's workers do, 1 if there is none.
use std::sync::mpsc;
use std::time::Instant;

use steady::session::explore::message::{read, write};
use steady::session::explore::order::{Order, Told};
use steady::session::explore::{Explorer, Options, Searcher, Symmetry, builtin, follow};
use steady::session::{Depth, Session, Start, scenario};

/// A session in which a file or a scenario is opened.
fn open(which: &str) -> Vec<(String, Session)> {
    if let Ok(text) = std::fs::read_to_string(which) {
        let session = scenario::read(which, &text).map(|s| s.open()).unwrap_or_else(|_| {
            let mut session = Session::new(Start::default());
            print!("{}", session.apply(&text).stdout);
            session
        });
        return vec![(which.to_owned(), session)];
    }
    let all = scenario::all().into_iter().filter(|s| s.id.starts_with(which));
    all.map(|s| (s.id.to_owned(), s.open())).collect()
}

/// Works out steps on a thread of its own. A cluster cannot go to another thread, so each opens the scenario itself.
fn search(
    which: &str,
    name: &str,
    options: &Options,
    orders: &mpsc::Receiver<String>,
    told: impl Fn(Vec<Told>),
) {
    let Some((_, session)) = open(which).into_iter().find(|(n, _)| n == name) else { return };
    let mut searcher = Searcher::new(session.cluster(), options, builtin());
    told(Vec::new());
    loop {
        let waits = (!searcher.is_busy()).then(|| orders.recv());
        let heard = match waits {
            Some(Err(_)) => return,
            Some(Ok(text)) => Some(text),
            None => orders.try_recv().ok(),
        };
        let mut said = Vec::new();
        if let Some(text) = heard {
            let Ok(order) = read::<Order>(&text) else { return };
            said = searcher.hear(order);
        } else {
            for _ in 0..20 {
                said.extend(searcher.work());
            }
        }
        if !said.is_empty() {
            told(said);
        }
    }
}

/// Has so many threads explore.
fn share(e: &mut Explorer, which: &str, name: &str, options: &Options, threads: usize) {
    std::thread::scope(|scope| {
        let (tell, told) = mpsc::channel::<(usize, String)>();
        let mut to = Vec::new();
        for n in 0..threads {
            let (order, orders) = mpsc::channel::<String>();
            to.push(order);
            let (tell, options) = (tell.clone(), options.clone());
            scope.spawn(move || {
                search(which, name, &options, &orders, |said| drop(tell.send((n, write(&said)))));
            });
        }
        drop(tell);
        // Each tells nothing when it stands.
        for _ in 0..threads {
            if told.recv().is_err() {
                return eprintln!("a thread has ended");
            }
        }
        e.share(threads);
        while e.waiting() > 0 {
            for (n, order) in e.orders() {
                if let Some(to) = to.get(n) {
                    drop(to.send(write(&order)));
                }
            }
            let Ok((n, text)) = told.recv() else { return eprintln!("the threads have ended") };
            for said in read::<Vec<Told>>(&text).unwrap_or_default() {
                if let Err(why) = e.hear(n, said) {
                    return eprintln!("{why}");
                }
            }
        }
    });
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let which = args.first().map(String::as_str).unwrap_or_default();
    let number = |nth: usize, or: usize| args.get(nth).and_then(|n| n.parse().ok()).unwrap_or(or);
    let (states, threads) = (number(1, 20_000), number(2, 1));
    println!(
        "| start | symmetry | states | edges | complete | outcomes | shortest | longest | endless | broken | states/s |"
    );
    println!("| --- | --- | ---: | ---: | --- | ---: | ---: | ---: | --- | --- | ---: |");
    for (name, session) in open(which) {
        for symmetry in [Symmetry::Merged, Symmetry::Distinct] {
            let options = Options { symmetry, states, waiting: usize::MAX, ..Options::default() };
            let start = Instant::now();
            let mut e = Explorer::new(session.cluster(), options.clone(), builtin());
            if threads > 1 {
                share(&mut e, which, &name, &options, threads);
            }
            while e.explore(1000) {
                eprint!("{} states, {} wait\r", e.states().len(), e.waiting());
            }
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
                    for id in way.timeline().iter().copied().skip(session.timeline().len()) {
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
