#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::checks::Violation;
use super::detail;
use super::policy::{Level, LevelVersion, Policy, Version};
use super::subject::Subject;
use crate::api::{Kind, Object};

fn asked(level: Level, version: Version) -> LevelVersion {
    LevelVersion { level, version }
}

fn violations(pod: Value, asked: LevelVersion) -> Vec<Violation> {
    let pod = Object::from_value(Kind::POD, pod).unwrap();
    Subject::of(&pod).unwrap().violations(asked)
}

/// What is found in a pod with this spec.
fn found(spec: Value, level: Level, version: Version) -> String {
    detail(&violations(json!({"metadata": {"name": "p"}, "spec": spec}), asked(level, version)))
}

fn containers(securities: &[(&str, Value)]) -> Value {
    let of =
        |(name, security): &(&str, Value)| json!({"name": name, "image": "i", "securityContext": security});
    json!(securities.iter().map(of).collect::<Vec<_>>())
}

/// `Test…` of `staging/src/k8s.io/pod-security-admission/policy/check_*_test.go`.
#[test]
fn what_the_checks_of_baseline_find() {
    let of = |spec: Value| found(spec, Level::Baseline, Version::Latest);
    let caps = |add: Value| json!({"capabilities": {"add": add}});
    let two = containers(&[("a", caps(json!(["FOO", "BAR"]))), ("b", caps(json!(["BAR", "BAZ", "CHOWN"])))]);
    assert_eq!(
        of(json!({"containers": two})),
        r#"non-default capabilities (containers "a", "b" must not include "BAR", "BAZ", "FOO" in securityContext.capabilities.add)"#
    );
    let ports =
        |of: &[i32]| json!(of.iter().map(|p| json!({"containerPort": 1, "hostPort": p})).collect::<Vec<_>>());
    let two = json!([{"name": "b", "ports": ports(&[0, 10, 20])}, {"name": "c", "ports": ports(&[10, 30])}, {"name": "d", "ports": ports(&[0])}]);
    assert_eq!(of(json!({"containers": two})), r#"hostPort (containers "b", "c" use hostPorts 10, 20, 30)"#);
    let get = |host: &str| json!({"httpGet": {"port": 1, "host": host}});
    let hosts = json!([
        {"name": "b", "lifecycle": {"preStop": {"tcpSocket": {"port": 1, "host": "b.com"}}}, "startupProbe": get("a.com")},
        {"name": "a", "livenessProbe": get("a.com"), "readinessProbe": get("")},
    ]);
    assert_eq!(
        of(json!({"containers": hosts})),
        r#"probe or lifecycle host (containers "a", "b" use probe or lifecycle hosts "a.com", "b.com")"#
    );
    let selinux =
        |type_: &str, user: &str| json!({"seLinuxOptions": {"type": type_, "user": user, "role": "r"}});
    assert_eq!(
        of(
            json!({"securityContext": selinux("y", ""), "containers": containers(&[("a", selinux("x", "u"))])})
        ),
        r#"seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: types "x", "y"; user may not be set; role may not be set)"#
    );
    let unconfined = json!({"appArmorProfile": {"type": "Unconfined"}, "seccompProfile": {"type": "Unconfined"},
        "windowsOptions": {"hostProcess": true}, "privileged": true});
    assert_eq!(
        of(json!({"hostIPC": true, "hostNetwork": true, "containers": containers(&[("a", unconfined)])})),
        concat!(
            r#"forbidden AppArmor profile (container "a" must not set AppArmor profile type to "Unconfined"), "#,
            r"host namespaces (hostNetwork=true, hostIPC=true), ",
            r#"privileged (container "a" must not set securityContext.privileged=true), "#,
            r#"seccompProfile (container "a" must not set securityContext.seccompProfile.type to "Unconfined"), "#,
            r#"hostProcess (container "a" must not set securityContext.windowsOptions.hostProcess=true)"#
        )
    );
    assert_eq!(of(json!({"containers": containers(&[("a", json!({}))])})), "");
}

/// `check_appArmorProfile_test.go`, `TestCheckAppArmor_Forbidden`, and `check_seccompProfile_baseline.go`.
#[test]
fn profiles_may_stand_in_annotations() {
    let annotations = json!({
        "container.apparmor.security.beta.kubernetes.io/": "bogus",
        "container.apparmor.security.beta.kubernetes.io/a": "",
        "container.apparmor.security.beta.kubernetes.io/b": "localhost/",
        "container.apparmor.security.beta.kubernetes.io/e": "unconfined",
        "seccomp.security.alpha.kubernetes.io/pod": "unconfined",
        "container.seccomp.security.alpha.kubernetes.io/a": "docker/default",
        "container.seccomp.security.alpha.kubernetes.io/other": "unconfined",
    });
    let pod = json!({"metadata": {"name": "p", "annotations": annotations}, "spec": {"containers": [{"name": "a"}]}});
    let app_armor = r#"forbidden AppArmor profiles (annotations must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/="bogus"", "container.apparmor.security.beta.kubernetes.io/e="unconfined"")"#;
    let latest = violations(pod.clone(), asked(Level::Baseline, Version::Latest));
    assert_eq!(detail(&latest), app_armor);
    let old = violations(pod, asked(Level::Baseline, Version::Minor(18)));
    let seccomp =
        r#"seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")"#;
    assert_eq!(detail(&old), format!("{app_armor}, {seccomp}"));
}

/// `check_restrictedVolumes_test.go`, `check_runAsNonRoot_test.go`, `check_runAsUser.go`, `check_seccompProfile_restricted.go`.
#[test]
fn what_the_checks_of_restricted_find() {
    let of = |spec: Value| found(spec, Level::Restricted, Version::Latest);
    let good = json!({"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": true,
        "seccompProfile": {"type": "RuntimeDefault"}});
    let with = |more: Value| {
        let mut security = good.clone();
        security.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"containers": containers(&[("a", security)])})
    };
    assert_eq!(of(with(json!({}))), "");
    let mut volumes = with(json!({}));
    volumes["volumes"] =
        json!([{"name": "h", "hostPath": {"path": "/"}}, {"name": "e", "emptyDir": {}}, {"name": "u"}]);
    assert_eq!(
        of(volumes),
        r#"restricted volume types (volumes "h", "u" use restricted volume types "hostPath", "unknown")"#
    );
    let mut root = with(json!({"runAsNonRoot": false, "runAsUser": 0}));
    root["securityContext"] = json!({"runAsNonRoot": false, "runAsUser": 0});
    assert_eq!(
        of(root.clone()),
        r#"runAsNonRoot != true (pod and container "a" must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod and container "a" must not set runAsUser=0)"#
    );
    // KEP-127: root in a user namespace is nobody outside; but the proc mounts stay restricted.
    root["hostUsers"] = json!(false);
    root["containers"][0]["securityContext"]["procMount"] = json!("Unmasked");
    assert_eq!(
        of(root.clone()),
        r#"procMount (container "a" must not set securityContext.procMount to "Unmasked")"#
    );
    assert_eq!(found(root.clone(), Level::Baseline, Version::Latest), "");
    let before = found(root, Level::Baseline, Version::Minor(34));
    assert!(before.starts_with("procMount "), "{before}");
    let mut windows = with(json!({}));
    windows["containers"][0]["securityContext"] = json!({"runAsNonRoot": true});
    windows["os"] = json!({"name": "windows"});
    assert_eq!(of(windows.clone()), "");
    let before = found(windows, Level::Restricted, Version::Minor(24));
    assert!(before.starts_with("allowPrivilegeEscalation != false ("), "{before}");
}

/// `MinimumVersion` and `OverrideCheckIDs` of the checks; `NewEvaluator` in `policy/registry.go`.
#[test]
fn a_check_counts_from_its_version_on() {
    let add =
        json!([{"name": "a", "image": "i", "securityContext": {"capabilities": {"add": ["SYS_TIME"]}}}]);
    let reasons = |minor: i64| -> Vec<&'static str> {
        let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": add}});
        let found = violations(pod, asked(Level::Restricted, Version::Minor(minor)));
        found.into_iter().map(|v| v.reason).collect()
    };
    assert_eq!(reasons(7), ["non-default capabilities", "runAsNonRoot != true"]);
    assert_eq!(
        reasons(8),
        ["non-default capabilities", "allowPrivilegeEscalation != false", "runAsNonRoot != true"]
    );
    let newest = [
        "allowPrivilegeEscalation != false",
        "unrestricted capabilities",
        "runAsNonRoot != true",
        "seccompProfile",
    ];
    assert_eq!(reasons(22), newest);
    assert_eq!(reasons(99), newest);
    let sysctl = |minor| {
        let security = json!({"sysctls": [{"name": "net.ipv4.tcp_rmem", "value": "1"}, {"name": "net.ipv4.tcp_keepalive_time", "value": "1"}]});
        found(json!({"securityContext": security, "containers": []}), Level::Baseline, Version::Minor(minor))
    };
    assert_eq!(sysctl(28), "forbidden sysctls (net.ipv4.tcp_rmem, net.ipv4.tcp_keepalive_time)");
    assert_eq!(sysctl(29), "forbidden sysctls (net.ipv4.tcp_rmem)");
    assert_eq!(sysctl(32), "");
}

/// `PolicyToEvaluate` and `ParseVersion` in `staging/src/k8s.io/pod-security-admission/api/helpers.go`.
#[test]
fn labels_choose_a_policy() {
    let of = |labels: &[(&str, &str)]| {
        let label =
            |(key, value): &(&str, &str)| (format!("pod-security.kubernetes.io/{key}"), (*value).to_owned());
        let labels: BTreeMap<String, String> = labels.iter().map(label).collect();
        let (policy, errors) = Policy::of_labels(&labels);
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        (policy.enforce.to_string(), policy.warn.to_string(), errors)
    };
    let none = Vec::new;
    assert_eq!(of(&[]), ("privileged:latest".into(), "privileged:latest".into(), none()));
    let enforced = [("enforce", "baseline"), ("enforce-version", "v1.20")];
    assert_eq!(of(&enforced), ("baseline:v1.20".into(), "baseline:v1.20".into(), none()));
    let warned = [("enforce", "baseline"), ("enforce-version", "v1.20"), ("warn-version", "latest")];
    assert_eq!(of(&warned), ("baseline:v1.20".into(), "baseline:latest".into(), none()));
    assert_eq!(
        of(&[("warn", "restricted")]),
        ("privileged:latest".into(), "restricted:latest".into(), none())
    );
    let (enforce, warn, errors) = of(&[("enforce", "all"), ("warn", "none"), ("audit-version", "v1.07")]);
    assert_eq!((enforce.as_str(), warn.as_str()), ("restricted:latest", "privileged:latest"));
    assert_eq!(
        errors,
        [
            r#"metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "all": must be one of privileged, baseline, restricted"#,
            r#"metadata.labels[pod-security.kubernetes.io/audit-version]: Invalid value: "v1.07": must be "latest" or "v1.x""#,
            r#"metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "none": must be one of privileged, baseline, restricted"#,
        ]
    );
}
