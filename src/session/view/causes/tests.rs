#![allow(clippy::unwrap_used)]
//! The chains of scenarios: the property that each ends with a person or with the cluster's start, and some of them as text.

use std::fmt::Write as _;

use super::{Cause, Causes, last_deed};
use crate::api::{Kind, ObjectRef};
use crate::session::scenario;
use crate::session::{Depth, Session};

fn run_to_steady(session: &mut Session) {
    for _ in 0..2000 {
        if !session.step(Depth::Command, None) {
            return;
        }
    }
}

/// A chain as text, the write first.
fn text(session: &Session, revision: u64) -> String {
    let causes = Causes::new(session);
    let (chain, root) = causes.chain(revision);
    let mut out = String::new();
    for r in chain {
        let step = causes.step(r).unwrap();
        let waited = if causes.waited(r) { ", after a while" } else { "" };
        let _ = writeln!(
            out,
            "{} {} {} {}{waited}",
            causes.by(step),
            step.write.verb_string(),
            step.write.object.kind.as_str(),
            step.write.object.key.name,
        );
    }
    let _ = match root {
        Cause::Person => writeln!(out, "← a person"),
        Cause::Fault(_) => writeln!(out, "← a fault"),
        Cause::Start => writeln!(out, "← the start"),
        Cause::Write(r) => writeln!(out, "← {r}?"),
    };
    out
}

/// The chain of the first field whose line begins so.
fn of_field(session: &Session, of: &ObjectRef, begins: &str) -> String {
    let causes = Causes::new(session);
    let (id, line, by) = causes.fields(of).into_iter().find(|(_, line, _)| line.starts_with(begins)).unwrap();
    assert_eq!(causes.field(of, id, false), Some((line.clone(), by)));
    match by {
        Some(revision) => format!("{line}\n{}", text(session, revision)),
        None => format!("{line}\n← the start\n"),
    }
}

#[test]
fn ready_replicas_lead_back_to_who_applied() {
    let mut session = scenario::find("01-first-deployment").unwrap().open();
    run_to_steady(&mut session);
    let web = ObjectRef::new(Kind::DEPLOYMENT, "default", "web");
    insta::assert_snapshot!(of_field(&session, &web, "readyReplicas:"));
}

#[test]
fn a_scaled_deployment_leads_back_to_the_scaling() {
    let mut session = scenario::find("01-first-deployment").unwrap().open();
    run_to_steady(&mut session);
    session.kubectl("scale deployment web --replicas=5", &[]);
    run_to_steady(&mut session);
    let web = ObjectRef::new(Kind::DEPLOYMENT, "default", "web");
    insta::assert_snapshot!(of_field(&session, &web, "readyReplicas:"));
    insta::assert_snapshot!(outline(&session));
}

fn outline(session: &Session) -> String {
    let found = Causes::new(session).summary(last_deed(session).unwrap());
    found.outline.iter().fold(String::new(), |mut out, c| {
        let (by, verb, kind) = (&c.by, &c.verb, c.kind.as_str());
        let waited = if c.waited { " (after a while)" } else { "" };
        let _ = writeln!(out, "{}{by} {verb} {kind} ×{}{waited}", "  ".repeat(c.depth), c.writes);
        out
    })
}

/// Who deletes a pod gets another one: it follows from the deletion that it is created, bound and started.
#[test]
fn a_replacement_follows_from_the_deletion() {
    let mut session = scenario::find("02-self-healing").unwrap().open();
    run_to_steady(&mut session);
    insta::assert_snapshot!(outline(&session));
}

#[test]
fn a_lost_node_leads_back_to_who_cut_it_off_and_a_job_to_who_applied() {
    let mut session = scenario::find("10-node-lost").unwrap().open();
    run_to_steady(&mut session);
    let lost = session.cluster().api().cached_all().find(|(of, o)| {
        of.kind == Kind::NODE
            && crate::api::yaml::to_yaml(&o.to_value()).contains("node.kubernetes.io/unreachable")
    });
    let lost = lost.map(|(of, _)| of.clone()).unwrap();
    insta::assert_snapshot!(of_field(&session, &lost, "key: node.kubernetes.io/unreachable"));
    let mut session = scenario::find("26-job").unwrap().open();
    run_to_steady(&mut session);
    let job = session.cluster().api().cached_all().find(|(of, _)| of.kind == Kind::JOB).unwrap().0.clone();
    insta::assert_snapshot!(of_field(&session, &job, "failed:"));
}

/// The scheduler has one key for all pods, and far more pods than a queue keeps revisions.
#[test]
fn every_pod_is_bound_because_it_was_created() {
    let mut session = scenario::find("01-first-deployment").unwrap().open();
    session.kubectl("scale deployment web --replicas=20", &[]);
    run_to_steady(&mut session);
    let causes = Causes::new(&session);
    let mut bound = 0;
    for (revision, step) in &causes.steps {
        if step.write.object.kind == Kind::POD && step.write.verb_string() == "create/binding" {
            bound += 1;
            let Cause::Write(before) = causes.cause(*revision) else { panic!("{:?}", step.write.object) };
            assert_eq!(causes.step(before).unwrap().write.object, step.write.object);
        }
    }
    assert_eq!(bound, 20);
}

/// Every field of every object, in every scenario that has run to its steady state.
#[test]
fn every_chain_ends_with_a_person_or_with_the_start() {
    let mut started = String::new();
    for scenario in scenario::ordinary() {
        let mut from = std::collections::BTreeSet::new();
        let mut session = scenario.open();
        run_to_steady(&mut session);
        let causes = Causes::new(&session);
        let mut checked = 0;
        for (of, _) in session.cluster().api().cached_all() {
            for (_, line, by) in causes.fields(of) {
                checked += 1;
                let Some(revision) = by else { continue };
                let (chain, root) = causes.chain(revision);
                assert!(
                    !chain.is_empty() && !matches!(root, Cause::Write(_)),
                    "{}: {of:?} {line}",
                    scenario.id
                );
                if root == Cause::Start {
                    from.insert(text(&session, revision));
                }
            }
        }
        assert!(checked > 100, "{}: {checked}", scenario.id);
        let _ = writeln!(started, "{}\n{}", scenario.id, from.into_iter().collect::<String>());
    }
    // What no person led to: what these chains begin with is the cluster's own.
    insta::assert_snapshot!(started);
}
