//! Definitions that people install.

use steady::session::{Session, Start};

use crate::{kubectl, session, settle};

const GRANTS: &str = include_str!("referencegrants.yaml");
const GRANT: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: ReferenceGrant
metadata:
  name: a
spec:
  from:
  - {group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: other}
  to:
  - {group: '', kind: Service}
";

#[test]
fn a_definition_of_the_gateway_api_takes_its_objects() {
    let mut s = session(GRANTS);
    let files = [("grant.yaml", GRANT)];
    assert_eq!(
        kubectl(&mut s, "apply -f grant.yaml", &files),
        "referencegrant.gateway.networking.k8s.io/a created\n"
    );
    assert!(kubectl(&mut s, "get refgrant", &[]).starts_with("NAME   AGE\na      "));
    assert_eq!(
        kubectl(&mut s, "get gateway-api -o name", &[]),
        "referencegrant.gateway.networking.k8s.io/a\n"
    );
    // The same object in an older version.
    let version = kubectl(
        &mut s,
        "get referencegrants.v1beta1.gateway.networking.k8s.io a -o jsonpath={.apiVersion}",
        &[],
    );
    assert_eq!(version, "gateway.networking.k8s.io/v1beta1");
    assert!(kubectl(&mut s, "explain referencegrant.spec.to", &[]).contains("-required-"));
    assert!(kubectl(&mut s, "describe refgrant a", &[]).contains("Namespace:  other"));
    let refused = s.kubectl("apply -f grant.yaml", &[("grant.yaml", &GRANT.replace("other", "Other_"))]);
    assert!(refused.stderr.contains("spec.from[0].namespace: Invalid value"), "{}", refused.stderr);
    kubectl(&mut s, "delete crd referencegrants.gateway.networking.k8s.io --wait=false", &[]);
    settle(&mut s);
    // kubectl still knows the kind from an earlier command. The same person asks again before that command.
    let missing =
        "the server could not find the requested resource (get referencegrants.gateway.networking.k8s.io";
    assert_eq!(
        s.kubectl("get refgrant", &[]).stderr,
        format!(
            "Error from server (NotFound): Unable to list \"gateway.networking.k8s.io/v1, Resource=referencegrants\": {missing})\n"
        )
    );
    assert_eq!(
        s.kubectl("get refgrant a", &[]).stderr,
        format!("Error from server (NotFound): {missing} a)\n")
    );
    s.restart();
    assert_eq!(
        s.kubectl("get refgrant", &[]).stderr,
        "error: the server doesn't have a resource type \"refgrant\"\n"
    );
}

/// `STEADY_CRDS=DIR cargo test --test custom -- --ignored`: every definition of a directory of YAML files is applied,
/// established, and listed.
#[test]
#[ignore = "needs a directory of definitions"]
fn definitions_of_a_directory_are_established() {
    let directory = std::env::var("STEADY_CRDS").expect("STEADY_CRDS names a directory of definitions");
    let mut wrong = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "yaml"));
    files.sort();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let mut s = Session::new(Start::default());
        let output = s.kubectl("create -f crd.yaml", &[("crd.yaml", &text)]);
        if output.exit != 0 {
            wrong.push(format!("{}: {}", file.display(), output.stderr));
            continue;
        }
        settle(&mut s);
        let name = output.stdout.split_whitespace().next().unwrap().split_once('/').unwrap().1.to_owned();
        let listed = s.kubectl(&format!("get {name}"), &[]);
        if listed.exit != 0 {
            wrong.push(format!("{}: {}", file.display(), listed.stderr));
        }
        let explained = s.kubectl(&format!("explain {}", name.split('.').next().unwrap()), &[]);
        if explained.exit != 0 {
            wrong.push(format!("{}: {}", file.display(), explained.stderr));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), files.len(), wrong.join("\n"));
}
