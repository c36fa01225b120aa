//! What `kubectl debug --profile` gives to the pod or the container that it makes (`k8s.io/kubectl/pkg/cmd/debug/profiles.go`).

use serde_json::{Value, json};

/// The lists of containers that a pod can have.
const LISTS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

/// How somebody debugs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// With an ephemeral container in the pod.
    Ephemeral,
    /// With a copy of the pod.
    Copy,
    /// With a pod on a node.
    Node,
}

/// A profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Profile {
    Legacy,
    General,
    Baseline,
    Restricted,
    Netadmin,
    Sysadmin,
}

/// What a copy keeps of its pod.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Keep {
    pub(super) labels: bool,
    pub(super) annotations: bool,
    pub(super) liveness: bool,
    pub(super) readiness: bool,
    pub(super) startup: bool,
    pub(super) init_containers: bool,
}

impl Keep {
    /// Takes away of a copy what is not kept.
    fn apply(self, pod: &mut Value) {
        let of_pod = [(self.labels, "labels"), (self.annotations, "annotations")];
        if let Some(meta) = pod["metadata"].as_object_mut() {
            of_pod.iter().filter(|(keeps, _)| !keeps).for_each(|(_, field)| {
                meta.remove(*field);
            });
        }
        let probes = [
            (self.liveness, "livenessProbe"),
            (self.readiness, "readinessProbe"),
            (self.startup, "startupProbe"),
        ];
        for container in pod["spec"]["containers"].as_array_mut().into_iter().flatten() {
            let Some(container) = container.as_object_mut() else { continue };
            probes.iter().filter(|(keeps, _)| !keeps).for_each(|(_, field)| {
                container.remove(*field);
            });
        }
        if let Some(spec) = pod["spec"].as_object_mut().filter(|_| !self.init_containers) {
            spec.remove("initContainers");
        }
    }
}

/// The container of a name in a pod.
pub(super) fn container_of<'a>(pod: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    let spec = pod.get_mut("spec")?;
    let is = |c: &Value| c["name"] == name;
    let list = LISTS.into_iter().find(|list| spec[*list].as_array().into_iter().flatten().any(is))?;
    spec.get_mut(list)?.as_array_mut()?.iter_mut().find(|c| c["name"] == name)
}

fn clear(container: &mut Value) {
    if let Some(fields) = container.as_object_mut() {
        fields.remove("securityContext");
    }
}

/// Adds a capability to those that the container has.
fn add(container: &mut Value, capability: &str) {
    let list = &mut container["securityContext"]["capabilities"]["add"];
    match list.as_array_mut() {
        Some(list) => list.push(capability.into()),
        None => *list = json!([capability]),
    }
}

/// Gives a container the rules of the standard `restricted`.
fn restrict(container: &mut Value) {
    clear(container);
    container["securityContext"] = json!({
        "allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": true,
        "seccompProfile": {"type": "RuntimeDefault"},
    });
}

/// Mounts the file system of the node.
fn mount_root(pod: &mut Value, container: &str) {
    const VOLUME: &str = "host-root";
    let volume = json!({"name": VOLUME, "hostPath": {"path": "/"}});
    push(&mut pod["spec"]["volumes"], volume);
    if let Some(container) = container_of(pod, container) {
        push(&mut container["volumeMounts"], json!({"mountPath": "/host", "name": VOLUME}));
    }
}

fn push(list: &mut Value, item: Value) {
    match list.as_array_mut() {
        Some(list) => list.push(item),
        None => *list = json!([item]),
    }
}

fn use_host(pod: &mut Value) {
    for field in ["hostNetwork", "hostPID", "hostIPC"] {
        pod["spec"][field] = true.into();
    }
}

impl Profile {
    /// The profile of a name.
    pub(super) fn of(name: &str) -> Option<Profile> {
        Some(match name {
            "legacy" => Profile::Legacy,
            "general" => Profile::General,
            "baseline" => Profile::Baseline,
            "restricted" => Profile::Restricted,
            "netadmin" => Profile::Netadmin,
            "sysadmin" => Profile::Sysadmin,
            _ => return None,
        })
    }

    /// Gives a pod and the container in it what the profile says.
    pub(super) fn apply(self, pod: &mut Value, name: &str, style: Style, keep: Keep) {
        let node = style == Style::Node;
        match self {
            Profile::Legacy if style == Style::Copy => {
                if let Some(meta) = pod["metadata"].as_object_mut() {
                    meta.remove("labels");
                }
                return;
            }
            Profile::Legacy | Profile::General | Profile::Sysadmin if node => mount_root(pod, name),
            _ => {}
        }
        if node && !matches!(self, Profile::Baseline | Profile::Restricted) {
            use_host(pod);
        }
        if let Some(container) = container_of(pod, name) {
            match self {
                Profile::Legacy => {}
                Profile::General if node => clear(container),
                Profile::General => add(container, "SYS_PTRACE"),
                Profile::Baseline => clear(container),
                Profile::Restricted => restrict(container),
                Profile::Netadmin => ["NET_ADMIN", "NET_RAW"].iter().for_each(|c| add(container, c)),
                Profile::Sysadmin => container["securityContext"]["privileged"] = true.into(),
            }
        }
        if style == Style::Copy {
            keep.apply(pod);
            if pod["spec"]["shareProcessNamespace"].is_null() {
                pod["spec"]["shareProcessNamespace"] = true.into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn pod() -> Value {
        json!({
            "metadata": {"name": "p", "labels": {"app": "web"}, "annotations": {"a": "b"}},
            "spec": {
                "initContainers": [{"name": "init"}],
                "containers": [
                    {"name": "app", "livenessProbe": {}, "readinessProbe": {}, "startupProbe": {}},
                    {"name": "debugger", "securityContext": {"runAsUser": 7, "capabilities": {"add": ["CHOWN"]}}},
                ],
            },
        })
    }

    fn applied(profile: Profile, style: Style, keep: Keep) -> Value {
        let mut pod = pod();
        profile.apply(&mut pod, "debugger", style, keep);
        pod
    }

    /// `profiles_test.go`, `TestGeneralProfile` and its siblings: what each profile gives in each style.
    #[test]
    fn each_profile_gives_what_it_says() {
        let keep = Keep { init_containers: true, ..Keep::default() };
        let context = |profile, style| {
            let mut pod = applied(profile, style, keep);
            container_of(&mut pod, "debugger").unwrap()["securityContext"].clone()
        };
        let traced = json!({"runAsUser": 7, "capabilities": {"add": ["CHOWN", "SYS_PTRACE"]}});
        assert_eq!(context(Profile::General, Style::Ephemeral), traced);
        assert_eq!(context(Profile::General, Style::Copy), traced);
        assert_eq!(context(Profile::General, Style::Node), Value::Null);
        assert_eq!(context(Profile::Baseline, Style::Copy), Value::Null);
        let restricted = json!({
            "allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": true,
            "seccompProfile": {"type": "RuntimeDefault"},
        });
        assert_eq!(context(Profile::Restricted, Style::Node), restricted);
        let net = context(Profile::Netadmin, Style::Copy);
        assert_eq!(net["capabilities"]["add"], json!(["CHOWN", "NET_ADMIN", "NET_RAW"]));
        assert_eq!(context(Profile::Sysadmin, Style::Node)["privileged"], true);
        for (profile, host, root) in [
            (Profile::Legacy, true, true),
            (Profile::General, true, true),
            (Profile::Baseline, false, false),
            (Profile::Restricted, false, false),
            (Profile::Netadmin, true, false),
            (Profile::Sysadmin, true, true),
        ] {
            let pod = applied(profile, Style::Node, keep);
            for field in ["hostNetwork", "hostPID", "hostIPC"] {
                assert_eq!(pod["spec"][field].as_bool().unwrap_or_default(), host, "{profile:?} {field}");
            }
            assert_eq!(pod["spec"]["volumes"].is_array(), root, "{profile:?}");
            let mounts = &pod["spec"]["containers"][1]["volumeMounts"];
            assert_eq!(mounts.is_array(), root, "{profile:?}");
        }
    }

    /// `profiles.go`, `KeepFlags`; the profile `legacy` takes the labels away and nothing else.
    #[test]
    fn a_copy_keeps_what_it_is_told_to() {
        let copy = applied(Profile::General, Style::Copy, Keep::default());
        assert_eq!(copy["metadata"], json!({"name": "p"}));
        assert_eq!(copy["spec"]["containers"][0], json!({"name": "app"}));
        assert_eq!(copy["spec"]["initContainers"], Value::Null);
        assert_eq!(copy["spec"]["shareProcessNamespace"], true);
        let all = Keep {
            labels: true,
            annotations: true,
            liveness: true,
            readiness: true,
            startup: true,
            init_containers: true,
        };
        let copy = applied(Profile::Baseline, Style::Copy, all);
        assert_eq!(
            (&copy["metadata"], &copy["spec"]["initContainers"]),
            (&pod()["metadata"], &pod()["spec"]["initContainers"])
        );
        assert_eq!(copy["spec"]["containers"][0], pod()["spec"]["containers"][0]);
        let legacy = applied(Profile::Legacy, Style::Copy, Keep::default());
        assert_eq!(legacy["metadata"], json!({"name": "p", "annotations": {"a": "b"}}));
        assert_eq!(legacy["spec"], pod()["spec"]);
    }
}
