//! Requests of containers to kube-apiserver.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::network::{Net, net};
use crate::api::{Key, Kind, ObjectRef};

/// What everybody who has asked from a pod has typed
/// (<https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/#directly-accessing-the-rest-api>).
const SETUP: &str = "A=https://kubernetes.default.svc; S=/var/run/secrets/kubernetes.io/serviceaccount; \
    T=$(cat $S/token); api() { curl -s --cacert $S/ca.crt -H \"Authorization: Bearer $T\" \"$@\"; }; ";

fn cluster() -> Net {
    let mut n = net(1);
    n.client().steady();
    n
}

impl Net {
    fn asks(&mut self, script: &str) -> String {
        self.run("curl", &format!("{SETUP}{script}"))
    }

    fn message(&mut self, script: &str) -> String {
        let answer = self.asks(script);
        let value: Value = serde_json::from_str(&answer).unwrap_or_else(|why| panic!("{why}: {answer}"));
        value["message"].as_str().unwrap_or_default().to_owned()
    }

    /// Lets the account of the pod do something.
    fn allow(&mut self, verbs: &[&str], resources: &[&str]) -> &mut Net {
        let rule = json!({"apiGroups": [""], "resources": resources, "verbs": verbs});
        self.create(Kind::ROLE, json!({"metadata": {"name": "may"}, "rules": [rule]}));
        self.create(
            Kind::ROLE_BINDING,
            json!({
                "metadata": {"name": "may"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "may"},
                "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": "default"}],
            }),
        )
    }

    fn has(&self, kind: Kind, name: &str) -> bool {
        self.0.api().cached(&ObjectRef { kind, key: Key::new("default", name) }).is_some()
    }
}

/// The same page; `staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go`, `forbiddenMessage`;
/// `pkg/serviceaccount/claims.go`, `Validate`: a token is one of an account that is there.
#[test]
fn a_pod_asks_as_its_account() {
    let mut n = cluster();
    let pods = "$A/api/v1/namespaces/default/pods";
    let forbidden = |user: &str| {
        format!(
            "pods is forbidden: User \"{user}\" cannot list resource \"pods\" in API group \"\" in the namespace \"default\""
        )
    };
    let account = "system:serviceaccount:default:default";
    assert_eq!(n.message(&format!("api {pods}")), forbidden(account));
    assert_eq!(n.message(&format!("T=; curl -sk {pods}")), forbidden("system:anonymous"));
    assert_eq!(n.message(&format!("curl -sk -H 'Authorization: Bearer no' {pods}")), "Unauthorized");
    // The answer is indented for curl, as for every program that a person reads with.
    assert!(
        n.asks("curl -sk $A/version").contains("\n  \"gitVersion\": \"v1."),
        "{}",
        n.asks("curl -sk $A/version")
    );
    n.allow(&["list"], &["pods"]);
    let list: Value = serde_json::from_str(&n.asks(&format!("api {pods}"))).unwrap();
    assert_eq!((&list["kind"], &list["items"][0]["metadata"]["name"]), (&json!("PodList"), &json!("client")));
    assert_eq!(
        n.message("api $A/api/v1/namespaces/default/pods/client"),
        forbidden(account).replace("pods is", "pods \"client\" is").replace("list", "get")
    );
    // What the query says counts, and so does Accept.
    assert_eq!(
        n.asks(&format!(
            "api '{}?labelSelector=app=none' | grep -c uid",
            pods.replace("$A", "https://kubernetes.default.svc")
        )),
        "0\n"
    );
    let table = n.asks(&format!("api -H 'Accept: application/json;as=Table;v=v1;g=meta.k8s.io' {pods}"));
    assert!(table.contains("\"kind\": \"Table\""), "{table}");
    // An account that was made anew is another one: the token was issued for the one before.
    n.wait(2).delete(Kind::SERVICE_ACCOUNT, "default").wait(2).steady();
    assert!(n.has(Kind::SERVICE_ACCOUNT, "default"));
    assert_eq!(n.message(&format!("api {pods}")), "Unauthorized");
}

/// curl's `lib/vtls/openssl.c` and `src/tool_operate.c`; `cmd/kubeadm/app/util/pkiutil/pki_helpers.go`, `GetAPIServerAltNames`; Go's
/// `net/http/server.go`, `tlsRecordHeaderLooksLikeHTTP`; BusyBox' `networking/wget.c`, `spawn_ssl_client`.
#[test]
fn clients_look_at_the_certificate() {
    let mut n = cluster();
    let unknown = n.asks("curl -sS $A/version; echo $?");
    assert!(unknown.starts_with("60\ncurl: (60) SSL certificate problem: unable to get local issuer certificate\nMore details here:"), "{unknown}");
    assert_eq!(n.asks("curl -s $A/version; echo $?"), "60\n");
    let missing = n.asks("curl -sS --cacert /none $A/version; echo $?");
    assert_eq!(missing, "77\ncurl: (77) error setting certificate file: /none\n");
    for name in ["kubernetes", "kubernetes.default", "kubernetes.default.svc.cluster.local", "10.96.0.1"] {
        assert!(n.asks(&format!("api https://{name}/version")).contains("gitVersion"), "{name}");
    }
    n.create(
        Kind::SERVICE,
        json!({"metadata": {"name": "alias"}, "spec": {
            "type": "ExternalName", "externalName": "kubernetes.default.svc.cluster.local",
        }}),
    );
    let other = n.asks("api -S https://alias/version");
    assert!(
        other.starts_with(
            "curl: (60) SSL: no alternative certificate subject name matches target host name 'alias'"
        ),
        "{other}"
    );
    assert_eq!(
        n.asks("api http://kubernetes.default.svc:443/version"),
        "Client sent an HTTP request to an HTTPS server.\n"
    );
    let busybox = n.busybox("wget -qO- https://kubernetes.default.svc/livez");
    assert_eq!(busybox, "okwget: note: TLS certificate validation not implemented\n");
    assert_eq!(n.busybox("wget -qO- --no-check-certificate https://kubernetes.default.svc/livez"), "ok");
}

/// `pkg/registry/core/pod/storage`; `metadata.managedFields` as `endpoints/handlers/create.go` has them. A command is executed once, so what it
/// writes is there afterwards, and what it asks then finds it.
#[test]
fn a_command_writes_as_the_account_of_its_pod() {
    let mut n = cluster();
    let maps = "$A/api/v1/namespaces/default/configmaps";
    let make = format!("api --json '{{\"metadata\":{{\"name\":\"made\"}},\"data\":{{\"a\":\"1\"}}}}' {maps}");
    assert!(n.message(&make).contains("cannot create resource \"configmaps\""));
    assert!(!n.has(Kind::CONFIG_MAP, "made"));
    n.allow(&["create", "get", "patch", "delete"], &["configmaps"]);
    // The same question is asked three times, and answered in three ways. The file is written by the second run of the command, too.
    let script = format!(
        "G() {{ api -o /dev/null -w '%{{http_code}} ' {maps}/made; }}; G; {make} > /dev/null; G; {make} -o /tmp/second; \
         api -o /dev/null -X PATCH -H 'Content-Type: application/merge-patch+json' -d '{{\"data\":{{\"a\":\"2\"}}}}' {maps}/made; \
         api {maps}/made | grep -c '\"a\": \"2\"'; grep -c AlreadyExists /tmp/second"
    );
    assert_eq!(n.asks(&script), "404 200 1\n1\n");
    assert_eq!(n.run("curl", "grep -c AlreadyExists /tmp/second"), "1\n");
    assert_eq!(n.asks(&format!("api {maps}/made | grep -c '\"manager\": \"curl\"'")), "1\n");
    assert!(n.asks(&format!("api -X DELETE {maps}/made")).contains("\"status\": \"Success\""));
    assert!(!n.has(Kind::CONFIG_MAP, "made"));
    // curl says by itself that a body is a form, which the server does not read.
    let form = n.message(&format!("api -d '{{}}' {maps}"));
    assert!(form.contains("the body of the request was in an unknown format"), "{form}");
}

/// A container's own process is told anew when an answer becomes another one, and may not write: what it does is worked out again and again.
#[test]
fn a_process_of_a_container_hears_of_what_changes() {
    let mut n = net(1);
    n.allow(&["create", "get", "list"], &["configmaps"]);
    let script = format!(
        "{SETUP}while sleep 1; do api -o /dev/null -w '%{{http_code}}\\n' $A/api/v1/namespaces/default/configmaps/later; done"
    );
    let container = json!({"name": "c", "image": "curlimages/curl", "command": ["sh", "-c", script]});
    let writes = format!(
        "{SETUP}api --json '{{\"metadata\":{{\"name\":\"no\"}}}}' $A/api/v1/namespaces/default/configmaps; echo; sleep infinity"
    );
    let writer = json!({"name": "w", "image": "curlimages/curl", "command": ["sh", "-c", writes]});
    n.create(Kind::POD, json!({"metadata": {"name": "p"}, "spec": {"containers": [container, writer]}}));
    n.steady().wait(5);
    let log = n.log("p", "c");
    assert!(log.starts_with("404\n404\n") && !log.contains("200"), "{log}");
    n.create(Kind::CONFIG_MAP, json!({"metadata": {"name": "later"}})).wait(3);
    let log = n.log("p", "c");
    assert!(log.contains("404\n200\n") && log.ends_with("200\n"), "{log}");
    let refused = n.log("p", "w");
    assert!(refused.contains("\"code\":501") && refused.contains("kubectl exec"), "{refused}");
    assert!(!n.has(Kind::CONFIG_MAP, "no"));
}

/// `endpoints/handlers/watch.go`: a watch ends with its `timeoutSeconds`; curl's `-m`, error 28.
#[test]
fn a_watch_has_what_is_there_now() {
    let mut n = cluster();
    n.allow(&["list", "watch", "get", "create"], &["pods", "pods/exec"]);
    let watch = "'https://kubernetes.default.svc/api/v1/namespaces/default/pods?watch=1&timeoutSeconds=5'";
    let events = n.asks(&format!("api {watch} | cut -c1-16; echo $?"));
    assert_eq!(events, "{\"type\":\"ADDED\",\n0\n");
    let given_up = n.asks(&format!("api -S -m 2 -o /dev/null {watch}"));
    assert!(
        given_up.starts_with("curl: (28) Operation timed out after 2000 milliseconds with "),
        "{given_up}"
    );
    let exec = n.message(
        "api 'https://kubernetes.default.svc/api/v1/namespaces/default/pods/client/exec?container=c&command=ls&stdout=true'",
    );
    assert_eq!(exec, "Upgrade request required");
}
