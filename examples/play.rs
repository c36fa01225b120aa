//! Plays the plays of scenarios' files, and says where one does not go as it is written:
//! `cargo run --example play -- static/scenarios/13-no-room.yaml`. Lines of standard input after `-` are kubectl command
//! lines, which are carried out after the set-up; an empty line runs the cluster until it is steady.
use std::io::BufRead;
use std::process::ExitCode;
use steady::session::scenario::{self, ScenarioStep};

fn main() -> ExitCode {
    let mut failed = false;
    let (files, by_hand): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|a| a != "-");
    for file in files {
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(e) => {
                eprintln!("{file}: {e}");
                return ExitCode::FAILURE;
            }
        };
        let scenario = match scenario::read(&file, &text) {
            Ok(scenario) => scenario,
            Err(e) => {
                eprintln!("{e}");
                return ExitCode::FAILURE;
            }
        };
        for (nth, play) in (1..).zip(&scenario.plays) {
            match scenario.play(play) {
                Ok(session) => println!("{file}: play {nth}: {} moments", session.timeline().len()),
                Err(broken) => {
                    println!("{file}: play {nth}: {broken}");
                    failed = true;
                }
            }
        }
        if by_hand.is_empty() {
            continue;
        }
        let mut session = scenario.open();
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if line.is_empty() {
                scenario.perform(&mut session, &ScenarioStep::Steady(true));
                println!("steady at {}, after {} moments", session.now(), session.timeline().len());
            } else if let Ok(deed) = serde_yaml::from_str(&line) {
                let did = scenario.perform(&mut session, &ScenarioStep::Fault(deed));
                println!("{line}: {did}");
            } else {
                let output = session.kubectl(&line, &[]);
                println!("$ kubectl {line}\n{}{}", output.stdout, output.stderr);
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
