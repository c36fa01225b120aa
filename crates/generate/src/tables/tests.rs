//! What the tables make of small sources.
#![allow(clippy::expect_used)]

use super::*;
use crate::go::Types;
use crate::sources::Source;

const POD: &str = r#"
// +enum
type Phase string

const (
	// Running means it
	// runs.
	Running Phase = "Running"
	// Failed means it does "not".
	Failed Phase = "Failed"
	Usual = "Always"
)

type Pod struct {
	metav1.TypeMeta `json:",inline"`
	Spec PodSpec `json:"spec,omitzero" protobuf:"bytes,2,opt,name=spec"`
}

type PodSpec struct {
	// +default=ref(Usual)
	// +listType=map
	// +listMapKey=name
	Names []Named `json:"names,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name" protobuf:"bytes,1,rep,name=names"`
	Phase *Phase `json:"phase" protobuf:"bytes,3,opt,name=phase"`
}

type Named struct {
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
}
"#;

/// What is read of autoscaling/v1 besides kinds.
const AUTOSCALING: &str = "
type Scale struct {
}
type MetricSpec struct {
}
type MetricStatus struct {
}
type HorizontalPodAutoscalerCondition struct {
}
";

fn sources(text: &str) -> Sources {
    let mut types = Types::default();
    types.add("core", text).expect("types");
    let file = Source {
        repository: "api",
        path: "core/v1/types.go".into(),
        package: "core".into(),
        text: text.into(),
        of_kinds: true,
    };
    Sources { files: vec![file], types }
}

fn pins() -> Pins {
    Pins::for_tests("1.20.3")
}

fn pod() -> [Kind; 1] {
    [Kind { group: String::new(), version: "v1".into(), kind: "Pod".into() }]
}

/// What is answered and not stored, and therefore is in no list of kinds.
const REVIEWS: [(&str, &[&str]); 2] = [
    ("authentication", &["SelfSubjectReview", "TokenRequest", "TokenReview"]),
    (
        "authorization",
        &[
            "LocalSubjectAccessReview",
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview",
        ],
    ),
];

#[test]
fn fields_have_their_types_and_whether_they_are_left_out() {
    let source = format!("{POD}\ntype Binding struct {{\n}}\n");
    let mut types = sources(&source).types;
    types.add("autoscaling", AUTOSCALING).expect("types");
    types.add("policy", "type Eviction struct {\n}\n").expect("types");
    types.add("metav1", "type DeleteOptions struct {\n}\n").expect("types");
    for (group, names) in REVIEWS {
        let text: String = names.iter().map(|name| format!("type {name} struct {{\n}}\n")).collect();
        types.add(group, &text).expect("types");
    }
    let (table, written) = structs::table(&pins(), &pod(), &[], &types).expect("table");
    assert!(table.text.contains("        BuiltIn::Pod => &POD,\n"), "{}", table.text);
    assert!(table.text.contains("    f(\"spec\", Struct(&POD_SPEC), true),\n"), "{}", table.text);
    assert!(
        table.text.contains("    f(\"phase\", Pointer(&Named(\"v1.Phase\", &Text)), false),\n"),
        "{}",
        table.text
    );
    assert_eq!(written.len(), 17);
}

#[test]
fn a_type_that_nothing_explains_is_an_error() {
    let types = sources("type Pod struct {\n\tSpec other.Spec `json:\"spec\"`\n}\n").types;
    let why = structs::table(&pins(), &pod(), &[], &types).err();
    assert_eq!(why.as_deref(), Some("what other.Spec is, no source says that is read"));
}

#[test]
fn merging_is_what_tags_and_markers_say() {
    let table = patch::table(&pins(), &pod(), &[], &sources(POD).types).expect("table");
    let row = "f(\"names\", List(&Struct(&NAMED))).merge().retain_keys().merge_key(\"name\").list_map(&[\"name\"]),";
    assert!(table.text.contains(row), "{}", table.text);
}

#[test]
fn a_merge_strategy_that_is_new_is_an_error() {
    let source = POD.replace("merge,retainKeys", "mix");
    let why = patch::table(&pins(), &pod(), &[], &sources(&source).types).err();
    assert_eq!(why.as_deref(), Some("the patchStrategy mix of Names is not known"));
}

#[test]
fn enums_have_their_values_and_comments() {
    let table = enums::table(&pins(), &sources(POD).files).expect("table");
    let row = r#"("v1.Phase", &[("Failed", "means it does \"not\"."), ("Running", "means it runs.")]),"#;
    assert!(table.text.contains(row), "{}", table.text);
}

#[test]
fn a_default_may_be_a_constant() {
    let table = defaults::table(&pins(), &sources(POD)).expect("table");
    assert!(table.text.contains(r#"("PodSpec", "names", "\"Always\""),"#), "{}", table.text);
    let why = defaults::table(&pins(), &sources(&POD.replace("Usual =", "Other ="))).err();
    assert_eq!(why.as_deref(), Some("no source says what the default Usual of Names is"));
}

#[test]
fn numbers_are_those_of_the_tag() {
    let types = sources(POD).types;
    let table = protobuf::table(&types, &[Name::new("core", "PodSpec")]).expect("table");
    assert!(
        table.text.contains(r#"(&POD_SPEC, &[Field(1, "names"), Field(3, "phase")]),"#),
        "{}",
        table.text
    );
}

#[test]
fn a_constant_may_be_another_packages() {
    let mut files = sources("const (\n\tIPv4 Family = \"IPv4\"\n)\n").files;
    let text = "// +enum\ntype Address string\n\nconst (\n\t// AddressIPv4 is of four bytes.\n\t\
                AddressIPv4 = Address(v1.IPv4)\n)\n";
    let discovery =
        sources(text).files.into_iter().map(|file| Source { package: "discovery".into(), ..file });
    files.extend(discovery);
    let table = enums::table(&pins(), &files).expect("table");
    assert!(table.text.contains(r#"("v1.Address", &[("IPv4", "is of four bytes.")]),"#), "{}", table.text);
}

#[test]
fn the_editor_offers_the_values_of_enums() {
    let source = POD.replace("type Named struct {", "type Named struct {\n\tInline `json:\",inline\"`")
        + "\ntype Inline struct {\n\tPhases []Phase `json:\"phases\"`\n}\n";
    let table = values::table(&pod(), &sources(&source)).expect("table");
    let rows = "    (\"io.k8s.api.core.v1.Named\", \"phases\", &[\"Running\", \"Failed\"]),\n    \
                (\"io.k8s.api.core.v1.PodSpec\", \"phase\", &[\"Running\", \"Failed\"]),\n];";
    assert!(table.text.contains(rows), "{}", table.text);
}
