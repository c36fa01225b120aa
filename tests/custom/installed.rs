//! Definitions that people install.

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
