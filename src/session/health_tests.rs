//! Tests of what the control plane says of itself: `kubectl get componentstatuses`, and its health checks.
#![allow(clippy::unwrap_used)]

use super::{Session, Start};
use crate::cluster::Fault;

/// `pkg/registry/core/componentstatus/rest.go` and `validator.go`; the table is `printComponentStatus`', and the message that of
/// `pkg/probe/http/http.go`. Who is asked: `pkg/registry/core/rest/storage_core.go`.
#[test]
fn component_statuses_are_asked_anew_each_time() {
    let mut s = Session::new(Start::default());
    let out = s.kubectl("get cs", &[]);
    assert_eq!(out.stderr, "Warning: v1 ComponentStatus is deprecated in v1.19+\n");
    assert_eq!(
        out.stdout,
        "NAME                 STATUS    MESSAGE   ERROR\n\
         controller-manager   Healthy   ok        \n\
         etcd-0               Healthy   ok        \n\
         scheduler            Healthy   ok        \n"
    );
    s.fault(&Fault::Stop { process: "kube-scheduler".into(), node: None }).unwrap();
    let out = s.kubectl("get cs scheduler", &[]);
    let refused =
        "Get \"https://127.0.0.1:10259/healthz\": dial tcp 127.0.0.1:10259: connect: connection refused";
    assert!(out.stdout.ends_with(&format!("scheduler   Unhealthy   {refused}   \n")), "{}", out.stdout);
    let status = "get cs scheduler -o jsonpath={.conditions[0].type}={.conditions[0].status}";
    assert_eq!(s.kubectl(status, &[]).stdout, "Healthy=False");
    assert_eq!(
        s.kubectl("get cs -o name --field-selector metadata.name=etcd-0", &[]).stdout,
        "componentstatus/etcd-0\n"
    );
    let out = s.kubectl("get cs other", &[]);
    assert!(out.stderr.ends_with("Error from server: Component not found: other\n"), "{}", out.stderr);
}

/// A body that is no `Status` is quoted in a message of client-go's (`NewGenericServerResponse` in
/// `k8s.io/apimachinery/pkg/api/errors/errors.go`).
#[test]
fn a_failed_health_check_is_an_error_of_the_server() {
    let mut s = Session::new(Start { etcd: 3, ..Start::default() });
    assert_eq!(s.kubectl("get --raw /readyz", &[]).stdout, "ok");
    for member in ["etcd-1", "etcd-2"] {
        s.fault(&Fault::MemberDown { member: member.into() }).unwrap();
    }
    let out = s.kubectl("get --raw /readyz", &[]);
    assert_eq!((out.exit, out.stdout.as_str()), (1, ""));
    let begins = "Error from server (InternalError): an error on the server (\"[+]ping ok\\n[+]log ok\\n[-]etcd failed: reason withheld\\n";
    let ends = "\\nreadyz check failed\") has prevented the request from succeeding\n";
    assert!(out.stderr.starts_with(begins) && out.stderr.ends_with(ends), "{}", out.stderr);
    let out = s.kubectl("get --raw /nothing", &[]);
    assert_eq!(
        out.stderr,
        "Error from server (NotFound): the server could not find the requested resource\n"
    );
    let out = s.kubectl("get cs etcd-0", &[]);
    assert!(out.stdout.contains("etcd-0   Unhealthy             "), "{}", out.stdout);
}
