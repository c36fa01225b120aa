//! One object, as the inspector shows it: what it is and what can be done to it, and its YAML.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::faults::{PodFault, pod_faults, running_containers};
use super::kinds;
use super::lines::{Line, has_bookkeeping, object_lines};
use super::offers::{Offer, named};
use crate::api::{Kind, MetaExt, Object, ObjectRef, duration};
use crate::kubelet::neighbours::CpuPart;
use crate::session::{Session, rehearsal};

/// What an object is, and what a person can do to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectView {
    /// Whether it is not stored now.
    pub gone: bool,
    /// Kind and name of the owner that is its controller.
    pub owner: Option<(String, String)>,
    /// `metadata.generation`, if it has one.
    pub generation: Option<i64>,
    /// The component that makes and keeps objects of its kind; empty for none.
    pub keeper: String,
    /// What can be done to it, in the order of the buttons.
    pub offers: Vec<Offer>,
    /// The command line that describes it, without `kubectl`.
    pub describe: String,
    /// The command line that opens it in the editor, likewise.
    pub edit: String,
    /// The command line that prints what a pod's containers print, likewise; `None` for what is no pod.
    pub logs: Option<String>,
    /// How old it is, as kubectl prints it; empty for what is not stored.
    pub age: String,
    /// Whether it makes pods from a template, so that its rollout can be rehearsed.
    pub rolls_out: bool,
    /// The containers of a pod that run, and so can crash.
    pub running: Vec<Rc<str>>,
    /// What each of these gets of the CPU of its node, if more is wanted there than there is.
    pub cpu: Vec<CpuView>,
    /// The other faults of a pod that a person can inject or end.
    pub faults: Vec<PodFault>,
}

/// What a container gets of the CPU of a busy node. Amounts are thousandths of a CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuView {
    /// The container.
    pub container: Rc<str>,
    /// What it wants by itself.
    pub wants: i64,
    /// The weight of its cgroup below that of its pod.
    pub weight: i64,
    /// What it gets at most.
    pub gets: i64,
    /// What all pods of the node have together.
    pub of: i64,
}

fn cpu_of(session: &Session, of: &ObjectRef) -> Vec<CpuView> {
    if of.kind != Kind::POD {
        return Vec::new();
    }
    let view =
        |CpuPart { container, wants, weight, gets, of }| CpuView { container, wants, weight, gets, of };
    session.cluster().cpu_parts(&of.key).into_iter().map(view).collect()
}

/// An object at the moment that is shown.
pub fn object_view(session: &Session, of: &ObjectRef) -> ObjectView {
    let cluster = session.cluster();
    let view = kinds::of(of.kind);
    let none = ObjectView { keeper: view.about().keeper.to_owned(), gone: true, ..ObjectView::default() };
    let Some(object) = cluster.api().cached(of) else { return none };
    let named = named(of.kind, &of.key);
    ObjectView {
        gone: false,
        owner: object.meta().controller().map(|o| (o.kind.clone(), o.name.clone())),
        generation: object.meta().generation.filter(|g| *g > 0),
        offers: view.offers(cluster, object),
        describe: format!("describe {named}"),
        edit: format!("edit {named}"),
        logs: named.strip_prefix("pod ").filter(|_| of.kind == Kind::POD).map(|pod| format!("logs {pod}")),
        age: duration::age(object.meta().creation_timestamp.as_ref(), session.now()),
        rolls_out: rehearsal::KINDS.contains(&of.kind),
        running: running_containers(session, of),
        faults: pod_faults(session, of),
        cpu: cpu_of(session, of),
        ..none
    }
}

/// An object's YAML.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct YamlView {
    /// Its lines, marked with what the last step changed.
    pub lines: Vec<Line>,
    /// Whether it has fields that are only kept for bookkeeping.
    pub bookkeeping: bool,
}

/// More lines than this are not shown.
const LINES: usize = 3000;

/// The YAML of an object at the moment that is shown; of an object that the last step removed, its last state. `all` says
/// whether the fields that are only kept for bookkeeping are part of it.
pub fn yaml_view(session: &Session, of: &ObjectRef, all: bool) -> YamlView {
    let (old, new) = before_and_after(session, of);
    let mut lines = match (&new, &old) {
        (Some(new), old) => object_lines(old.as_ref(), new, all),
        (None, Some(old)) => object_lines(None, old, all),
        (None, None) => Vec::new(),
    };
    lines.truncate(LINES);
    YamlView { lines, bookkeeping: new.as_ref().is_some_and(has_bookkeeping) }
}

/// An object before the last step and after it.
fn before_and_after(session: &Session, of: &ObjectRef) -> (Option<Object>, Option<Object>) {
    let after = session.cluster().api().cached(of).cloned();
    let first = session.current().writes().into_iter().find(|w| w.object == *of);
    (first.map_or_else(|| after.clone(), |w| w.prev.clone()), after)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::types::Pod;
    use crate::session::{Depth, scenario};

    fn cpu(s: &Session, app: &str) -> Vec<CpuView> {
        let all = s.cluster().api().cached_list(Kind::POD, None);
        let mut pods =
            all.filter(|(_, o)| o.get::<Pod>().is_some_and(|p| p.metadata.label("app") == Some(app)));
        let (of, _) = pods.next().unwrap();
        object_view(s, of).cpu
    }

    /// A container that requests nothing has the least weight, so that it gets next to nothing beside one that wants all of the node; one that
    /// requests a half of a CPU gets at least that (`MilliCPUToShares`, and the weight that runc makes of the shares).
    #[test]
    fn a_pod_on_a_busy_node_says_what_it_gets_of_the_cpu() {
        let mut s = scenario::find("66-busy-neighbour").unwrap().open();
        assert_eq!(cpu(&s, "web"), [], "nobody wants more than there is");
        s.kubectl("scale deployment batch --replicas=1", &[]);
        while s.step(Depth::Command, None) {}
        let [web] = &cpu(&s, "web")[..] else { panic!() };
        // By itself it wants next to nothing.
        assert!(web.wants < 10 && web.weight == 1, "{web:?}");
        assert!(web.gets > 0 && web.gets * 100 < web.of, "{web:?}");
        let [batch] = &cpu(&s, "batch")[..] else { panic!() };
        assert!(batch.wants >= batch.of && batch.weight > 1 && batch.gets * 2 > batch.of, "{batch:?}");
        s.kubectl("set resources deployment web --requests=cpu=500m", &[]);
        while s.step(Depth::Command, None) {}
        let [web] = &cpu(&s, "web")[..] else { panic!() };
        assert!(web.gets >= 500 && web.weight > 1, "{web:?}");
    }
}
