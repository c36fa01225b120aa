//! Ops as links have them: processes, components and informers by their names.

use super::LinkOp;
use crate::cluster::{Action, Cluster};
use crate::session::Op;

/// The name of [`Action::Informers`] in links.
pub(super) const INFORMERS: &str = "informers";

pub(super) fn to_link(op: &Op, cluster: &Cluster) -> Option<LinkOp> {
    Some(match op {
        Op::Start => return None,
        Op::Step { depth, choice: None } => LinkOp::Steps(*depth, 1),
        Op::Step { depth, choice: Some(actor) } => LinkOp::Chosen(*depth, cluster.actor_path(*actor)?),
        Op::Policy { depth, policy, nth } => LinkOp::Policy(*depth, policy.to_string(), *nth, 1),
        Op::Heard { depth, choice: None } => LinkOp::Heard(*depth, None),
        Op::Heard { depth, choice: Some(actor) } => LinkOp::Heard(*depth, Some(cluster.actor_path(*actor)?)),
        Op::Schedule { depth } => LinkOp::Schedule(*depth),
        Op::Act(action) => {
            let (name, process, informer) = name_action(action, cluster)?;
            LinkOp::Act(name.to_owned(), process, informer)
        }
        Op::Fault(f) => LinkOp::Fault(f.clone()),
        Op::Kubectl { line, files } => LinkOp::Kubectl(line.clone(), files.clone()),
    })
}

pub(super) fn from_link(op: &LinkOp, cluster: &Cluster) -> Option<Op> {
    Some(match op {
        LinkOp::Steps(depth, _) => Op::Step { depth: *depth, choice: None },
        LinkOp::Chosen(depth, path) => Op::Step { depth: *depth, choice: Some(cluster.actor_at(path)?) },
        LinkOp::Policy(depth, policy, nth, _) => {
            Op::Policy { depth: *depth, policy: policy.parse().ok()?, nth: *nth }
        }
        LinkOp::Heard(depth, None) => Op::Heard { depth: *depth, choice: None },
        LinkOp::Heard(depth, Some(path)) => {
            Op::Heard { depth: *depth, choice: Some(cluster.actor_at(path)?) }
        }
        LinkOp::Schedule(depth) => Op::Schedule { depth: *depth },
        LinkOp::Act(name, process, informer) => Op::Act(find_action(name, process, informer, cluster)?),
        LinkOp::Fault(f) => Op::Fault(f.clone()),
        LinkOp::Kubectl(line, files) => Op::Kubectl { line: line.clone(), files: files.clone() },
    })
}

/// The name of an action, the path of its process or component, and the kind of its informer (empty if
/// none).
fn name_action(action: &Action, cluster: &Cluster) -> Option<(&'static str, String, String)> {
    let kind = |process: u32, informer: u16| {
        let n = cluster.process(process)?.informers.get(usize::from(informer))?;
        Some(n.kind.as_str().to_owned())
    };
    let whole = |process: u32| cluster.process_path(process);
    Some(match action {
        Action::List { process, informer } => ("list", whole(*process)?, kind(*process, *informer)?),
        Action::Watch { process, informer } => ("watch", whole(*process)?, kind(*process, *informer)?),
        Action::Pop { process, informer } => ("pop", whole(*process)?, kind(*process, *informer)?),
        Action::Notify { actor, informer } => {
            ("notify", cluster.actor_path(*actor)?, kind(actor.process, *informer)?)
        }
        Action::Start { actor } => ("start", cluster.actor_path(*actor)?, String::new()),
        Action::Send { actor } => ("send", cluster.actor_path(*actor)?, String::new()),
        Action::Record { actor } => ("record", cluster.actor_path(*actor)?, String::new()),
        Action::Advance => ("advance", String::new(), String::new()),
        Action::Informers { actor } => (INFORMERS, cluster.actor_path(*actor)?, String::new()),
    })
}

/// The enabled action that [`name_action`] names so.
pub(in crate::session) fn find_action(
    name: &str,
    whose: &str,
    kind: &str,
    cluster: &Cluster,
) -> Option<Action> {
    cluster
        .enabled()
        .into_iter()
        .find(|a| name_action(a, cluster).is_some_and(|(n, w, k)| n == name && w == whose && k == kind))
}
