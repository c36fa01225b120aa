//! Plays: ways through a scenario on which its text is checked.

use std::fmt;

use super::file::{Expect, PlayStep, Requests, Scenario, ScenarioStep};
use super::name_pods;
use crate::api::Timestamp;
use crate::session::Session;

/// A step of a play that did not go as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The step's number; the first is 1.
    pub step: usize,
    /// What happened instead.
    pub why: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}", self.step, self.why)
    }
}

impl std::error::Error for Broken {}

impl Scenario {
    /// Opens the scenario and takes the steps of a play. Returns the session at the play's end.
    ///
    /// # Errors
    /// The first step that did not go as it is written. Running to a steady state may change nothing; every other
    /// step has to.
    pub fn play(&self, play: &[PlayStep]) -> Result<Session, Broken> {
        let mut session = self.open();
        let mut since = session.cluster().now();
        for (nth, step) in (1..).zip(play) {
            self.take(&mut session, &mut since, step).map_err(|why| Broken { step: nth, why })?;
        }
        Ok(session)
    }

    fn take(&self, session: &mut Session, since: &mut Timestamp, step: &PlayStep) -> Result<(), String> {
        match step {
            PlayStep::Try(label) => {
                let found = self.tries.iter().find(|t| t.label.en == *label);
                let found = found.ok_or_else(|| format!("there is no {label:?} to try"))?;
                changed(self.perform(session, &found.deed), &format!("{label:?}"))
            }
            PlayStep::Do(deed) => {
                let done = self.perform(session, deed);
                changed(done || matches!(deed, ScenarioStep::Steady(_)), &format!("{deed:?}"))
            }
            PlayStep::Expect(expect) => check(session, expect),
            PlayStep::Requests(wanted) => {
                let from = std::mem::replace(since, session.cluster().now());
                became(session, from, *wanted)
            }
        }
    }
}

fn changed(did: bool, what: &str) -> Result<(), String> {
    if did { Ok(()) } else { Err(format!("{what} changes nothing")) }
}

fn check(session: &Session, expect: &Expect) -> Result<(), String> {
    let line = name_pods(&expect.kubectl, session);
    let output = session.clone().kubectl(&line, &[]);
    let printed = even(&format!("{}{}", output.stdout, output.stderr));
    if let Some(text) = expect.has.iter().find(|text| !printed.contains(&even(text))) {
        return Err(format!("kubectl {line} prints no {text:?} but:\n{printed}"));
    }
    if let Some(text) = expect.lacks.iter().find(|text| printed.contains(&even(text))) {
        return Err(format!("kubectl {line} prints {text:?}:\n{printed}"));
    }
    Ok(())
}

/// Checks what became of the requests that were sent since a moment.
fn became(session: &Session, from: Timestamp, Requests { lost }: Requests) -> Result<(), String> {
    let ledger = session.cluster().traffic_within((from, session.cluster().now()));
    let (mut sent, mut losses) = (0, 0);
    for (_, counts) in ledger.streams() {
        sent += counts.sent;
        losses += counts.losses();
    }
    match (sent, losses) {
        (0, _) => Err("no request was sent".to_owned()),
        (_, 0) if lost => Err(format!("none of {sent} requests was lost")),
        (_, n) if n > 0 && !lost => Err(format!("{n} of {sent} requests were lost")),
        _ => Ok(()),
    }
}

/// The text with each row of spaces as one space.
fn even(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c != ' ' || !out.ends_with(' ') {
            out.push(c);
        }
    }
    out
}
