//! PodDisruptionBudgets, in whole clusters.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

use crate::session::{Depth, Session, Start};

const WIDGET: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
    SUBRESOURCES
";

/// The status of the budget of pods that a custom object owns.
fn status(subresources: &str) -> Value {
    let mut s = Session::new(Start { nodes: 1, ..Start::default() });
    let run = |s: &mut Session| while s.step(Depth::Command, None) {};
    let get = |s: &mut Session, what: &str| {
        serde_json::from_str::<Value>(&s.kubectl(&format!("get {what} -o json"), &[]).stdout).unwrap()
    };
    assert_eq!(s.apply(&WIDGET.replace("SUBRESOURCES", subresources)).exit, 0);
    run(&mut s);
    let widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 5}\n";
    assert_eq!(s.apply(widget).exit, 0);
    let uid = get(&mut s, "widget w")["metadata"]["uid"].as_str().unwrap().to_owned();
    let pods = format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  labels: {{app: w}}\n  ownerReferences:\n  - {{apiVersion: example.com/v1, kind: Widget, name: w, uid: {uid}, controller: true}}\nspec: {{containers: [{{name: c, image: nginx}}]}}\n"
    );
    assert_eq!(s.apply(&pods).exit, 0);
    let budget = s.kubectl("create poddisruptionbudget b --selector=app=w --max-unavailable=1", &[]);
    assert_eq!(budget.exit, 0, "{}", budget.stderr);
    run(&mut s);
    get(&mut s, "pdb b")["status"].clone()
}

#[test]
fn a_budget_counts_on_the_scale_of_a_custom_object() {
    let scale = "subresources: {scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}";
    let status = status(scale);
    assert_eq!([&status["expectedPods"], &status["desiredHealthy"], &status["currentHealthy"]], [5, 4, 1]);
}

#[test]
fn a_custom_object_without_a_scale_cannot_be_counted_on() {
    let status = status("");
    let condition = &status["conditions"][0];
    assert_eq!((&condition["status"], &condition["reason"]), (&"False".into(), &"SyncFailed".into()));
    assert_eq!(condition["message"], "widgets.example.com does not implement the scale subresource");
}
