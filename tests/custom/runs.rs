//! Runs with custom objects are runs like any other: a link repeats them, and a replay ends in the same digest.

use proptest::prelude::*;
use steady::session::{Depth, Link, Replay, Session};

use crate::session;

const WIDGETS: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    additionalPrinterColumns:
    - {name: Want, type: integer, jsonPath: .spec.replicas}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - {rule: "self.replicas <= 5", message: "no more than five"}
            properties:
              replicas: {type: integer, default: 1, minimum: 0}
              color: {type: string, enum: [red, green]}
          status:
            type: object
            x-kubernetes-preserve-unknown-fields: true
  - name: v1beta1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer}
"#;

/// What a person does to widgets and to their definition.
fn line() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "c"]);
    let patch = prop::sample::select(vec![
        r#"{"spec":{"replicas":3}}"#,
        r#"{"spec":{"replicas":9}}"#,
        r#"{"spec":{"color":"blue"}}"#,
        r#"{"spec":{"unknown":1}}"#,
        r#"{"metadata":{"finalizers":["example.com/x"]}}"#,
        r#"{"metadata":{"finalizers":null}}"#,
        r#"{"spec":null}"#,
    ]);
    prop_oneof![
        3 => name.clone().prop_map(|n| format!("apply -f {n}.yaml")),
        2 => (name.clone(), patch).prop_map(|(n, p)| format!("patch wd {n} --type=merge -p '{p}'")),
        1 => (name.clone(), 0..8u8).prop_map(|(n, r)| format!("scale wd {n} --replicas={r}")),
        1 => name.clone().prop_map(|n| format!("label wd {n} x=y --overwrite")),
        1 => name.prop_map(|n| format!("delete wd {n} --wait=false")),
        1 => Just("delete crd widgets.example.com --wait=false".to_owned()),
        1 => Just("apply -f crd.yaml".to_owned()),
        1 => Just("delete namespace default --wait=false".to_owned()),
        1 => Just("get all".to_owned()),
    ]
}

fn run(s: &mut Session, line: &str) {
    let widget = |name: &str| {
        format!(
            "apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: {name}}}\nspec: {{color: red}}\n"
        )
    };
    let (a, b, c) = (widget("a"), widget("b"), widget("c"));
    let files = [("a.yaml", a.as_str()), ("b.yaml", &b), ("c.yaml", &c), ("crd.yaml", WIDGETS)];
    s.kubectl(line, &files);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn a_link_repeats_a_run_with_custom_objects(lines in prop::collection::vec((line(), 0..6usize), 1..12)) {
        let mut s = session(WIDGETS);
        for (line, steps) in lines {
            run(&mut s, &line);
            for _ in 0..steps {
                s.step(Depth::Command, None);
            }
        }
        let link = Link::decode(&Link::of(&s).encode()).unwrap();
        let mut replay = Replay::new(&link);
        while !replay.advance(1000) {}
        let replayed = replay.finish();
        prop_assert_eq!(replayed.session.cluster().digest(), s.cluster().digest());
        // What the server holds of definitions follows from etcd's objects.
        let kinds = |s: &Session| s.cluster().api().definitions().kinds().collect::<Vec<_>>();
        prop_assert_eq!(kinds(&replayed.session), kinds(&s));
    }
}

#[test]
fn going_back_in_time_takes_a_definition_away() {
    let mut s = Session::new(steady::session::Start::default());
    let before = s.at();
    run(&mut s, "apply -f crd.yaml");
    crate::settle(&mut s);
    assert_eq!(s.cluster().api().definitions().kinds().count(), 1);
    run(&mut s, "apply -f a.yaml");
    let after = s.at();
    assert!(s.goto(before));
    assert!(s.cluster().api().definitions().is_empty());
    assert!(s.kubectl("get wd", &[]).exit != 0);
    assert!(s.goto(after));
    assert_eq!(s.kubectl("get wd -o name", &[]).stdout, "widget.example.com/a\n");
}

#[test]
fn a_definition_that_is_made_again_under_another_kind_has_no_old_objects() {
    let mut s = session(WIDGETS);
    run(&mut s, "apply -f a.yaml");
    run(&mut s, "delete crd widgets.example.com --wait=false");
    crate::settle(&mut s);
    let other = WIDGETS.replace("kind: Widget,", "kind: Gadget,");
    s.kubectl("apply -f crd.yaml", &[("crd.yaml", &other)]);
    crate::settle(&mut s);
    let refused = s.kubectl(
        "apply -f a.yaml",
        &[("a.yaml", "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}}")],
    );
    // kubectl knows the old kind from an earlier command, so that the server refuses the object.
    assert!(refused.stderr.contains("kind: Invalid value: \"Widget\": must be Gadget"), "{}", refused.stderr);
    let made = s.kubectl(
        "apply -f b.yaml",
        &[("b.yaml", "{apiVersion: example.com/v1, kind: Gadget, metadata: {name: b}}")],
    );
    assert_eq!(made.stdout, "gadget.example.com/b created\n");
    assert_eq!(s.kubectl("get widgets -o name", &[]).stdout, "gadget.example.com/b\n");
    // The garbage collector knows the new kind: an owner of it that is not there takes its dependents along.
    let config = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, ownerReferences: [{apiVersion: example.com/v1, kind: Gadget, name: none, uid: no}]}}";
    s.kubectl("apply -f c.yaml", &[("c.yaml", config)]);
    crate::settle(&mut s);
    assert!(s.kubectl("get configmap c", &[]).exit != 0);
}

#[test]
fn every_order_of_a_definitions_life_ends_alike() {
    use steady::session::explore::{Explorer, Options, Symmetry};
    let mut s = Session::new(steady::session::Start { nodes: 1, ..Default::default() });
    let outcomes = |s: &Session| {
        let options = Options { symmetry: Symmetry::Merged, states: 5_000, ..Options::default() };
        let mut explorer = Explorer::new(s.cluster(), options, Vec::new());
        while explorer.explore(100) {}
        let report = explorer.report();
        assert!(report.complete && report.endless.is_none(), "{report:?}");
        report.outcomes.len()
    };
    run(&mut s, "apply -f crd.yaml");
    assert_eq!(outcomes(&s), 1);
    crate::settle(&mut s);
    run(&mut s, "apply -f a.yaml");
    let uid = s.kubectl("get wd a -o jsonpath={.metadata.uid}", &[]).stdout;
    let owned = format!(
        "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c, ownerReferences: [{{apiVersion: example.com/v1, kind: Widget, name: a, uid: {uid}}}]}}}}"
    );
    s.kubectl("apply -f c.yaml", &[("c.yaml", &owned)]);
    run(&mut s, "delete crd widgets.example.com --wait=false");
    assert_eq!(outcomes(&s), 1);
    crate::settle(&mut s);
    assert!(s.kubectl("get configmap c", &[]).exit != 0, "its owner went with the definition");
}
