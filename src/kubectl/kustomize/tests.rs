//! What Kustomize's documentation shows.

use std::collections::BTreeMap;

use super::*;

fn directory(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

fn printed(files: &[(&str, &str)], path: &str) -> String {
    match objects(&directory(files), path, true) {
        Ok(objects) => objects.iter().map(yaml::to_yaml).collect::<Vec<_>>().join("---\n"),
        Err(Stop::Error(e)) => e.render(),
        Err(_) => "stopped".to_owned(),
    }
}

const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: robot
      containers:
      - {name: c, image: 'registry.test:5000/nginx:1.26', envFrom: [{configMapRef: {name: settings}}]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot}
";
const BASE: &str = "
resources: [web.yaml]
configMapGenerator:
- {name: settings, literals: [a=1, 'b=\"two words\"'], files: [f=text.txt]}
";
const OVERLAY: &str = "
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../base]
components: [../debug]
namespace: prod
namePrefix: p-
nameSuffix: -v2
labels: [{pairs: {team: x}, includeTemplates: true}]
commonAnnotations: {note: why}
images: [{name: 'registry.test:5000/nginx', newTag: '1.29'}]
replicas: [{name: web, count: 5}]
configMapGenerator: [{name: settings, behavior: merge, literals: [a=3]}]
secretGenerator: [{name: key, literals: [k=v], options: {disableNameSuffixHash: true}}]
patches:
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec: {template: {spec: {containers: [{name: c, tty: true}]}}}
- target: {kind: Deploy.*}
  patch: '[{op: add, path: /spec/paused, value: true}]'
";
const COMPONENT: &str = "
kind: Component
patches: [{path: debug.yaml}]
";

#[test]
fn an_overlay_changes_its_base() {
    let files = [
        ("base/kustomization.yaml", BASE),
        ("base/web.yaml", DEPLOYMENT),
        ("base/text.txt", "hello\n"),
        ("prod/kustomization.yml", OVERLAY),
        ("debug/kustomization.yaml", COMPONENT),
        (
            "debug/debug.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {minReadySeconds: 7}\n",
        ),
    ];
    insta::assert_snapshot!(printed(&files, "./prod/"));
}

#[test]
fn what_is_wrong_is_said() {
    let one = |text: &str| printed(&[("kustomization.yaml", text)], ".");
    assert_eq!(one("nope: 1"), "error: invalid Kustomization: json: unknown field \"nope\"");
    assert_eq!(one("vars: []"), "error: the field \"vars\" of a kustomization is not built here");
    assert!(one("resources: [x.yaml]").contains("open /x.yaml: no such file or directory"));
    assert!(one("resources: [../x]").contains("is not in or below the directory"));
    assert!(one("replicas: [{name: web, count: 1}]").contains("resource with name web does not match"));
    assert!(printed(&[], "nothing").ends_with("lstat /nothing: no such file or directory"));
    assert!(printed(&[("a.yaml", "")], ".").contains("unable to find one of 'kustomization.yaml'"));
    let cycle =
        [("a/kustomization.yaml", "resources: [../b]"), ("b/kustomization.yaml", "resources: [../a]")];
    assert!(printed(&cycle, "a").contains("cycle detected"));
}
