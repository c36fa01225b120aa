//! Volumes whose files the kubelet writes: ConfigMaps, Secrets, the downward API, tokens.

use serde_json::{Value, json};

use super::{Lab, one};
use crate::api::keys::tests::SIGNED;
use crate::api::{Key, Kind, service_account_token};
use crate::apimachinery::{Body, DeleteOptions, ExecEnd, ExecOptions, Patch, Request, Verb};
use crate::kubelet::{self, Execution, State};
use crate::shell::Nobody;

/// What a command prints that is executed in the container `app` of the pod `p`: standard output, then standard error.
fn exec(lab: &Lab, script: &str) -> String {
    let process = lab.cluster.processes().nth(2).unwrap();
    let state = process.components[0].state().downcast_ref::<State>().unwrap();
    let command = ["sh", "-c", script].map(str::to_owned).to_vec();
    let options = ExecOptions { container: "app".into(), command, ..Default::default() };
    let mut execution = Execution { pod: Key::new("default", "p"), options, answers: Default::default() };
    let (node, now) = (Key::new("", "node-1"), lab.cluster.now());
    let done = kubelet::exec(state, &process.caches, &node, &mut execution, &Nobody, now).unwrap();
    assert!(matches!(done.end, ExecEnd::Exited(_)), "{script}: {done:?}");
    done.stdout + &done.stderr
}

fn config_map(lab: &mut Lab, value: Value) {
    let mut value = value;
    value["metadata"] = json!({"name": "config"});
    lab.create(Kind::CONFIG_MAP, value);
}

fn patch(lab: &mut Lab, kind: Kind, name: &str, change: Value) {
    let request = Request::new(&"me".into(), Verb::Patch, kind, Key::new("default", name));
    let (response, _) = lab.cluster.request(&request.body(Body::Patch(Patch::Merge(change))));
    assert_eq!(response.code(), 200, "{response:?}");
}

fn delete(lab: &mut Lab, kind: Kind, name: &str) {
    let request = Request::new(&"me".into(), Verb::Delete, kind, Key::new("default", name));
    let (response, _) = lab.cluster.request(&request.body(Body::Delete(DeleteOptions::default())));
    assert_eq!(response.code(), 200, "{response:?}");
}

/// A pod that sleeps, with one volume at `/etc/config`.
fn sleeper(volume: Value) -> Value {
    let mut volume = volume;
    volume["name"] = "config".into();
    let mut pod = one(json!({
        "image": "busybox:1.36", "command": ["sleep", "infinity"],
        "volumeMounts": [{"name": "config", "mountPath": "/etc/config"}],
    }));
    pod["spec"]["volumes"] = json!([volume]);
    pod
}

fn of_config() -> Value {
    json!({"configMap": {"name": "config"}})
}

/// `pkg/volume/util/atomic_writer.go`: `Write`, `createUserVisibleFiles`.
#[test]
fn files_are_links_into_the_directory_of_their_version() {
    let mut lab = Lab::new();
    config_map(&mut lab, json!({"data": {"color": "blue", "size": "large"}}));
    let items = json!([{"key": "color", "path": "look/color"}, {"key": "size", "path": "size"}]);
    lab.pod(sleeper(json!({"configMap": {"name": "config", "items": items}}))).steady();
    assert_eq!(exec(&lab, "cat /etc/config/look/color /etc/config/size"), "bluelarge");
    assert_eq!(exec(&lab, "ls /etc/config; ls /etc/config/look"), "look\nsize\ncolor\n");
    assert_eq!(exec(&lab, "cd /etc/config; readlink look size"), "..data/look\n..data/size\n");
    let all = exec(&lab, "ls -a /etc/config");
    let dated = all.lines().find(|l| l.starts_with("..2")).unwrap();
    assert_eq!(all, format!(".\n..\n{dated}\n..data\nlook\nsize\n"));
    assert_eq!(exec(&lab, "readlink /etc/config/..data"), format!("{dated}\n"));
    assert_eq!(exec(&lab, "readlink -f /etc/config/size"), format!("/etc/config/{dated}/size\n"));
    let long = exec(&lab, "ls -l /etc/config");
    assert!(long.starts_with("total 0\nlrwxrwxrwx    1 root     root            11 "), "{long}");
    assert!(long.contains(" look -> ..data/look\n"), "{long}");
    assert_eq!(exec(&lab, "[ -L /etc/config/size ] && [ -f /etc/config/size ] && echo both"), "both\n");
    assert_eq!(exec(&lab, "find /etc/config -type l | wc -l"), "3\n");
}

/// `pkg/kubelet/kubelet.go`: `syncFrequency` 1m, and `RequiresRemount` of the plugins; documentation, "Mounted ConfigMaps are
/// updated automatically": neither variables nor mounts with a `subPath` are.
#[test]
fn a_change_reaches_the_files_at_the_next_sync_and_nothing_else() {
    let mut lab = Lab::new();
    config_map(&mut lab, json!({"data": {"color": "blue", "old": "x"}}));
    let mut pod = sleeper(of_config());
    let c = &mut pod["spec"]["containers"][0];
    c["env"] =
        json!([{"name": "COLOR", "valueFrom": {"configMapKeyRef": {"name": "config", "key": "color"}}}]);
    let one = json!({"name": "config", "mountPath": "/one", "subPath": "color"});
    c["volumeMounts"].as_array_mut().unwrap().push(one);
    // A container of whose program the shell knows nothing has the same.
    let mut web = c.clone();
    web["name"] = "web".into();
    web["image"] = "nginx:1.28".into();
    web["command"] = json!(null);
    pod["spec"]["containers"].as_array_mut().unwrap().push(web);
    lab.pod(pod).steady();
    let started = lab.cluster.now();
    let seen = |lab: &Lab| exec(lab, "cat /etc/config/color /one; echo $COLOR; ls /etc/config");
    assert_eq!(seen(&lab), "blueblueblue\ncolor\nold\n");
    lab.wait(10);
    patch(&mut lab, Kind::CONFIG_MAP, "config", json!({"data": {"color": "red", "old": null, "new": "y"}}));
    lab.wait(48);
    assert_eq!(seen(&lab), "blueblueblue\ncolor\nold\n", "before the sync");
    lab.steady();
    assert_eq!(lab.cluster.now().duration_since(started).as_secs(), 60);
    assert_eq!(seen(&lab), "redblueblue\ncolor\nnew\n", "after the sync");
    assert_eq!(exec(&lab, "ls -a /etc/config | grep -c '^[.][.]2'"), "1\n", "the old directory is removed");
}

/// kubernetes.io/docs/concepts/configuration/configmap, "Mounted ConfigMaps are updated automatically".
#[test]
fn a_process_that_reads_its_configuration_again_and_again_sees_the_change() {
    let mut lab = Lab::new();
    config_map(&mut lab, json!({"data": {"color": "blue"}}));
    let mut pod = sleeper(of_config());
    pod["spec"]["containers"][0]["command"] =
        json!(["sh", "-c", "while [ $(cat /etc/config/color) = blue ]; do sleep 1; done; exit 3"]);
    pod["spec"]["restartPolicy"] = "Never".into();
    lab.pod(pod).steady();
    assert!(lab.log.contains("app: running"), "{}", lab.log);
    patch(&mut lab, Kind::CONFIG_MAP, "config", json!({"data": {"color": "red"}}));
    lab.steady();
    assert!(lab.log.contains("app: Error 3"), "{}", lab.log);
}

/// `pkg/kubelet/config/config.go`: `checkAndUpdatePod`; a pod whose labels or annotations change is synced at once.
#[test]
fn an_annotation_brings_the_change_at_once() {
    let mut lab = Lab::new();
    config_map(&mut lab, json!({"data": {"color": "blue"}}));
    lab.pod(sleeper(of_config())).steady();
    let before = lab.cluster.now();
    patch(&mut lab, Kind::CONFIG_MAP, "config", json!({"data": {"color": "red"}}));
    lab.annotate("p", json!({"example.test/reload": "1"})).steady();
    assert_eq!(exec(&lab, "cat /etc/config/color"), "red");
    patch(&mut lab, Kind::CONFIG_MAP, "config", json!({"data": {"color": "green"}}));
    lab.annotate("p", json!({"example.test/reload": "2"})).steady();
    assert_eq!(exec(&lab, "cat /etc/config/color; ls -a /etc/config | grep -c '^[.][.]2'"), "green1\n");
    // Each sync waits for the relist after the one before.
    assert_eq!(lab.cluster.now().duration_since(before).as_millis(), 1500);
}

/// `pkg/volume/emptydir/empty_dir.go`: `setupDir` makes the directory with the mode 0777, and `setupTmpfs` mounts a tmpfs over it, whose root
/// Linux makes with 1777. Secrets, the downward API and projections are such an emptyDir in memory, a ConfigMap is one on the disk
/// (`wrappedVolumeSpec`). `volume_linux.go`: `fsGroup` adds the bit with which new files get the group of the directory.
#[test]
fn the_directory_of_a_volume_has_the_mode_of_what_is_below_it() {
    let labels = json!([{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]);
    let downward = json!({"items": labels});
    for (volume, group, mode, owner) in [
        (json!({"projected": {"sources": [{"downwardAPI": downward}]}}), None, "drwxrwxrwt", "root"),
        (json!({"downwardAPI": downward}), None, "drwxrwxrwt", "root"),
        (json!({"emptyDir": {"medium": "Memory"}}), None, "drwxrwxrwt", "root"),
        (json!({"emptyDir": {}}), None, "drwxrwxrwx", "root"),
        (of_config(), None, "drwxrwxrwx", "root"),
        (json!({"projected": {"sources": [{"downwardAPI": downward}]}}), Some(2000), "drwxrwsrwt", "2000"),
        (json!({"emptyDir": {}}), Some(2000), "drwxrwsrwx", "2000"),
    ] {
        let mut lab = Lab::new();
        config_map(&mut lab, json!({"data": {"color": "blue"}}));
        let mut pod = sleeper(volume.clone());
        if let Some(group) = group {
            pod["spec"]["securityContext"] = json!({"fsGroup": group});
        }
        lab.pod(pod).steady();
        let long = exec(&lab, "ls -ld /etc/config");
        let words: Vec<&str> = long.split_whitespace().collect();
        assert_eq!((words[0], words[2], words[3]), (mode, "root", owner), "{volume}: {long}");
    }
}

/// `pkg/volume/downwardapi`: `CollectData`.
#[test]
fn labels_reach_the_files_of_the_downward_api() {
    let mut lab = Lab::new();
    let items = json!([
        {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}},
        {"path": "deep/name", "fieldRef": {"fieldPath": "metadata.name"}, "mode": 0o400},
    ]);
    let mut pod = sleeper(json!({"downwardAPI": {"items": items}}));
    pod["metadata"] = json!({"labels": {"tier": "front", "app": "web"}});
    lab.pod(pod).steady();
    assert_eq!(exec(&lab, "cat /etc/config/labels"), "app=\"web\"\ntier=\"front\"");
    assert_eq!(exec(&lab, "cat /etc/config/deep/name"), "p");
    assert!(exec(&lab, "ls -l /etc/config/deep/").starts_with("total 4\n-r--------"));
    patch(&mut lab, Kind::POD, "p", json!({"metadata": {"labels": {"tier": "back"}}}));
    lab.steady();
    assert_eq!(exec(&lab, "cat /etc/config/labels"), "app=\"web\"\ntier=\"back\"");
}

/// `pkg/volume/downwardapi`: `CollectData`; `pkg/api/v1/resource/helpers.go`: `ExtractContainerResourceValue`. Amounts are rounded up to the
/// divisor.
#[test]
fn resources_reach_the_files_of_the_downward_api() {
    let mut lab = Lab::new();
    let item = |path: &str, resource: &str, divisor: &str| {
        json!({
            "path": path,
            "resourceFieldRef": {"containerName": "app", "resource": resource, "divisor": divisor},
        })
    };
    let items = json!([
        item("memory", "limits.memory", "1Mi"),
        item("cpu", "requests.cpu", "1m"),
        item("whole", "limits.cpu", "1"),
    ]);
    let mut pod = sleeper(json!({"downwardAPI": {"items": items}}));
    pod["spec"]["containers"][0]["resources"] =
        json!({"limits": {"memory": "64Mi", "cpu": "1500m"}, "requests": {"cpu": "250m"}});
    lab.pod(pod).steady();
    assert_eq!(exec(&lab, "cd /etc/config; cat memory; echo; cat cpu; echo; cat whole"), "64\n250\n2");
}

/// `pkg/volume/configmap/configmap.go`: `SetUpAt`. The volume is not emptied if the object is gone, unless it is optional.
#[test]
fn a_config_map_that_is_deleted_leaves_its_files() {
    for optional in [false, true] {
        let mut lab = Lab::new();
        config_map(&mut lab, json!({"data": {"color": "blue"}}));
        lab.pod(sleeper(json!({"configMap": {"name": "config", "optional": optional}}))).steady();
        delete(&mut lab, Kind::CONFIG_MAP, "config");
        lab.steady();
        let failed: Vec<String> = lab.events("FailedMount").into_iter().map(|e| e.1).collect();
        if optional {
            assert_eq!(exec(&lab, "ls /etc/config"), "");
            assert!(failed.is_empty(), "{failed:?}");
        } else {
            assert_eq!(exec(&lab, "cat /etc/config/color"), "blue");
            let why = "MountVolume.SetUp failed for volume \"config\" : configmap \"config\" not found";
            assert_eq!(failed, [why]);
        }
        config_map(&mut lab, json!({"data": {"color": "green"}}));
        lab.steady();
        assert_eq!(exec(&lab, "cat /etc/config/color"), "green", "optional {optional}");
    }
}

/// `pkg/volume/projected/projected.go`: `collectData` gathers what is missing; `utilerrors.NewAggregate`.
#[test]
fn what_a_projected_volume_lacks_is_told_at_once() {
    let mut lab = Lab::new();
    config_map(&mut lab, json!({"data": {"color": "blue"}}));
    let sources = json!([
        {"secret": {"name": "login"}},
        {"configMap": {"name": "config", "items": [{"key": "size", "path": "size"}]}},
        {"configMap": {"name": "other", "optional": true}},
    ]);
    lab.pod(sleeper(json!({"projected": {"sources": sources}}))).steady();
    let failed: Vec<String> = lab.events("FailedMount").into_iter().map(|e| e.1).collect();
    let why = "MountVolume.SetUp failed for volume \"config\" : \
               [secret \"login\" not found, configmap references non-existent config key: size]";
    assert_eq!(failed, [why]);
    assert!(lab.log.contains("ContainerCreating"), "{}", lab.log);
}

/// `pkg/kubelet/util/manager/watch_based_manager.go`: `setImmutable`, `DeleteReference`.
#[test]
fn an_immutable_object_is_watched_no_more_while_a_pod_names_it() {
    let mut lab = Lab::new();
    config_map(&mut lab, json!({"immutable": true, "data": {"color": "blue"}}));
    lab.pod(sleeper(of_config())).steady();
    delete(&mut lab, Kind::CONFIG_MAP, "config");
    config_map(&mut lab, json!({"immutable": true, "data": {"color": "red"}}));
    lab.wait(300).steady();
    assert_eq!(exec(&lab, "cat /etc/config/color"), "blue", "a pod that runs");
    lab.delete(None).steady();
    lab.pod(sleeper(of_config())).steady();
    assert_eq!(exec(&lab, "cat /etc/config/color"), "red", "no pod named it any more");
}

/// `pkg/volume/volume_linux.go`: `SetVolumeOwnership`, `roMask`; `defaultMode` and `mode` of the API.
#[test]
fn modes_and_owners_decide_who_reads() {
    let reads = |mode: i32, security: Value| {
        let mut lab = Lab::new();
        lab.create(Kind::SECRET, json!({"metadata": {"name": "login"}, "data": {"password": "czNjcmV0"}}));
        let mut pod = sleeper(json!({"secret": {"secretName": "login", "defaultMode": mode}}));
        pod["spec"]["securityContext"] = security;
        lab.pod(pod).steady();
        (exec(&lab, "cat /etc/config/password"), exec(&lab, "ls -l /etc/config/..data/"))
    };
    let denied = "cat: can't open '/etc/config/password': Permission denied\n";
    assert_eq!(reads(0o400, json!({})).0, "s3cret");
    assert_eq!(reads(0o400, json!({"runAsUser": 1000})).0, denied);
    assert_eq!(reads(0o644, json!({"runAsUser": 1000})).0, "s3cret");
    let (text, listed) = reads(0o400, json!({"runAsUser": 1000, "fsGroup": 2000}));
    assert_eq!(text, "s3cret");
    assert!(listed.starts_with("total 4\n-r--r-----    1 root     2000 "), "{listed}");
}

/// A file of a ConfigMap has the mode 0644 unless somebody says otherwise, so it is no program. The API's `types.go`:
/// `ConfigMapVolumeSourceDefaultMode`. Go's `exec.LookPath`, which runc asks: the words.
#[test]
fn a_mounted_script_needs_a_mode() {
    for (mode, want) in [(0o644, "StartError 128"), (0o555, "Completed 0")] {
        let mut lab = Lab::new();
        config_map(&mut lab, json!({"data": {"run.sh": "#!/bin/sh\necho hello\n"}}));
        let mut pod = sleeper(json!({"configMap": {"name": "config", "defaultMode": mode}}));
        pod["spec"]["containers"][0]["command"] = json!(["/etc/config/run.sh"]);
        pod["spec"]["restartPolicy"] = "Never".into();
        lab.pod(pod).steady();
        assert!(lab.log.contains(want), "{mode:o} {}", lab.log);
        let denied = "error during container init: exec: \"/etc/config/run.sh\": permission denied";
        assert_eq!(lab.log.contains(denied), mode == 0o644, "{}", lab.log);
    }
}

/// `GetAttributes` of the plugins: `ReadOnly`. `volumeMounts[].readOnly` and `readOnlyRootFilesystem` of the API. The kernel's
/// `EROFS`.
#[test]
fn what_is_read_only_cannot_be_written() {
    let mut lab = Lab::new();
    config_map(&mut lab, json!({"data": {"color": "blue"}}));
    let mut pod = sleeper(of_config());
    let scratch = json!({"name": "scratch", "emptyDir": {}});
    pod["spec"]["volumes"].as_array_mut().unwrap().push(scratch);
    let c = &mut pod["spec"]["containers"][0];
    c["securityContext"] = json!({"readOnlyRootFilesystem": true});
    c["volumeMounts"].as_array_mut().unwrap().extend([
        json!({"name": "scratch", "mountPath": "/scratch"}),
        json!({"name": "scratch", "mountPath": "/look", "readOnly": true}),
    ]);
    lab.pod(pod).steady();
    for (script, said) in [
        ("echo x > /etc/config/color", "sh: can't create /etc/config/color: Read-only file system\n"),
        ("rm /etc/config/color", "rm: can't remove '/etc/config/color': Read-only file system\n"),
        ("mkdir /look/d", "mkdir: can't create directory '/look/d': Read-only file system\n"),
        ("touch /tmp/x", "touch: /tmp/x: Read-only file system\n"),
        ("cp /etc/config/color /look/c", "cp: can't create '/look/c': Read-only file system\n"),
        ("echo x > /scratch/x && cat /scratch/x", "x\n"),
        ("cat /etc/config/color", "blue"),
    ] {
        assert_eq!(exec(&lab, script), said, "{script}");
    }
}

fn claims(token: &str) -> Value {
    service_account_token::claims_of(token).unwrap()
}

/// `pkg/kubelet/token/token_manager.go`: `requiresRefresh`; `pkg/registry/core/serviceaccount/storage/token.go`.
#[test]
fn a_token_is_replaced_before_it_ends() {
    let token = |seconds: Option<i64>| json!({"serviceAccountToken": {"path": "token", "expirationSeconds": seconds}});
    let mut lab = Lab::new();
    lab.pod(sleeper(json!({"projected": {"sources": [token(Some(600))]}}))).steady();
    let first = claims(&exec(&lab, "cat /etc/config/token"));
    assert_eq!(first["exp"].as_i64().unwrap() - first["iat"].as_i64().unwrap(), 600);
    assert_eq!(first["sub"], "system:serviceaccount:default:default");
    assert_eq!(first["aud"], json!(["https://kubernetes.default.svc.cluster.local"]));
    assert_eq!(first["kubernetes.io"]["pod"]["name"], "p");
    lab.wait(470);
    assert_eq!(claims(&exec(&lab, "cat /etc/config/token")), first, "before 80 % of its life");
    lab.wait(80);
    let second = claims(&exec(&lab, "cat /etc/config/token"));
    let between = second["iat"].as_i64().unwrap() - first["iat"].as_i64().unwrap();
    assert!((481..=540).contains(&between), "at the first sync after 480 s: {between}");
    lab.wait(100_000);
    let now = lab.cluster.now().as_second();
    let later = claims(&exec(&lab, "cat /etc/config/token"));
    assert!((now - 540..=now).contains(&later["iat"].as_i64().unwrap()), "{now} {later}");
    // The life that admission asks for ends a year later, for programs that never read the file again.
    let mut lab = Lab::new();
    lab.pod(sleeper(json!({"projected": {"sources": [token(Some(3607))]}}))).steady();
    let long = claims(&exec(&lab, "cat /etc/config/token"));
    let from = long["iat"].as_i64().unwrap();
    assert_eq!(long["exp"].as_i64().unwrap() - from, 365 * 24 * 3600);
    assert_eq!(long["kubernetes.io"]["warnafter"].as_i64().unwrap() - from, 3607);
}

/// Who looks which files there are, and how large they are, reads none.
#[test]
fn a_token_is_signed_when_it_is_read() {
    let token = json!({"serviceAccountToken": {"path": "token"}});
    let mut lab = Lab::new();
    let before = SIGNED.get();
    lab.pod(sleeper(json!({"projected": {"sources": [token]}}))).steady();
    lab.wait(10_000);
    assert_eq!(exec(&lab, "ls /etc/config; [ -s /etc/config/token ] && echo there"), "token\nthere\n");
    assert!(exec(&lab, "ls -l /etc/config").contains("token -> ..data/token"));
    assert_eq!(SIGNED.get(), before);
    let text = exec(&lab, "cat /etc/config/token");
    assert_eq!(claims(&text)["kubernetes.io"]["pod"]["name"], "p");
    assert!(SIGNED.get() > before);
}

/// `FindPluginBySpec` and `AddPodToVolume` (`desired_state_of_world.go`); the plug-ins for these were removed in 1.26, 1.28 and 1.31, and that
/// for `gitRepo` is switched off (KEP-5040).
#[test]
fn a_volume_without_a_plugin_keeps_its_pod_waiting() {
    let none = "Unable to attach or mount volumes: unmounted volumes=[config], unattached volumes=[], failed to process volumes=[config]: \
                failed to get Plugin from volumeSpec for volume \"config\" err=no volume plugin matched";
    for (volume, says) in [
        (json!({"cephfs": {"monitors": ["10.0.0.1"]}}), none),
        (json!({"rbd": {"monitors": ["10.0.0.1"], "image": "i"}}), none),
        (json!({"glusterfs": {"endpoints": "e", "path": "p"}}), none),
        (json!({"flexVolume": {"driver": "example.com/lvm"}}), none),
        (
            json!({"gitRepo": {"repository": "https://example.com/r.git"}}),
            "MountVolume.SetUp failed for volume \"config\" : git-repo volume plugin has been disabled",
        ),
    ] {
        let mut lab = Lab::new();
        lab.pod(sleeper(volume)).steady();
        let failed: Vec<String> = lab.events("FailedMount").into_iter().map(|e| e.1).collect();
        assert!(!failed.is_empty() && failed.iter().all(|message| message.starts_with(says)), "{failed:?}");
        assert_eq!(lab.phase("p"), "Pending");
    }
    // A server of NFS is there.
    let mut lab = Lab::new();
    lab.pod(sleeper(json!({"nfs": {"server": "10.0.0.1", "path": "/"}}))).steady();
    assert!(lab.events("FailedMount").is_empty());
    assert_eq!(lab.phase("p"), "Running");
}

/// Who watches its token sees the new one when the kubelet writes it.
/// kubernetes.io/docs/tasks/configure-pod-container/configure-service-account, "Launch a Pod using service account token
/// projection".
#[test]
fn a_process_that_reads_its_token_again_sees_the_new_one() {
    let mut lab = Lab::new();
    let token = json!({"serviceAccountToken": {"path": "token", "expirationSeconds": 600}});
    let mut pod = sleeper(json!({"projected": {"sources": [token]}}));
    pod["spec"]["containers"][0]["command"] = json!([
        "sh",
        "-c",
        "old=$(cat /etc/config/token); while [ $(cat /etc/config/token) = $old ]; do sleep 5; done; exit 4"
    ]);
    pod["spec"]["restartPolicy"] = "Never".into();
    lab.pod(pod).steady();
    assert!(lab.log.contains("app: running"), "{}", lab.log);
    lab.wait(600);
    assert!(lab.log.contains("app: Error 4"), "{}", lab.log);
}

/// `kuberuntime_manager.go`, `getImageVolumes` and `toKubeContainerImageVolumes`; `images/image_manager.go`, `EnsureImageExists`.
#[test]
fn the_image_of_a_volume_is_pulled_before_containers_start() {
    let pod = |source: Value| {
        let container = json!({
            "name": "app", "image": "busybox:1.36", "command": ["sh", "-c", "touch /data/x; ls /data; sleep infinity"],
            "volumeMounts": [{"name": "data", "mountPath": "/data"}],
        });
        json!({"spec": {"containers": [container], "volumes": [{"name": "data", "image": source}]}})
    };
    let mut lab = Lab::new();
    lab.pod(pod(json!({"reference": "team/data:1", "pullPolicy": "IfNotPresent"}))).steady();
    let pulling = lab.log.find("event Normal Pulling -: Pulling image \"team/data:1\"").unwrap();
    let own =
        lab.log.find("event Normal Pulling spec.containers{app}: Pulling image \"busybox:1.36\"").unwrap();
    assert!(pulling < own, "{}", lab.log);
    assert!(
        lab.log.contains("event Normal Pulled -: Successfully pulled image \"team/data:1\" in 2s"),
        "{}",
        lab.log
    );
    assert!(lab.log.contains("app: running"), "{}", lab.log);
    assert!(super::programs::logs(&lab).contains("Read-only file system"), "{}", super::programs::logs(&lab));
    let mut lab = Lab::new();
    lab.pod(pod(json!({"reference": "team/missing:1", "pullPolicy": "IfNotPresent"}))).wait(60);
    for event in [
        "event Warning Failed -: Failed to pull image \"team/missing:1\": ",
        "event Warning Failed spec.containers{app}: Error: ErrImagePull",
        "event Normal BackOff -: Back-off pulling image \"team/missing:1\"",
        "event Warning Failed spec.containers{app}: Error: ImagePullBackOff",
    ] {
        assert!(
            lab.log.contains(event)
                || lab
                    .events("Failed")
                    .iter()
                    .chain(&lab.events("BackOff"))
                    .any(|(_, m, _)| event.ends_with(m)),
            "{event} {}",
            lab.log
        );
    }
    assert!(
        lab.log.contains("app: ErrImagePull") && lab.log.contains("app: ImagePullBackOff"),
        "{}",
        lab.log
    );
    assert!(!lab.log.contains("Pulling image \"busybox"), "{}", lab.log);
    let mut lab = Lab::new();
    lab.pod(pod(json!({"reference": "team/data:1", "pullPolicy": "Never"}))).steady();
    assert!(lab.log.contains("app: ErrImageNeverPull"), "{}", lab.log);
}

/// `pkg/volume/csi`: `csi_plugin.go`, `supportsVolumeLifecycleMode`; `csi_mounter.go`, `SetUpAt`; `csi_util.go`, `getCredentialsFromSecret`.
#[test]
fn an_inline_volume_needs_a_driver_with_the_mode_for_it() {
    let pod = |driver: &str, secret: Value| {
        let volume = json!({"name": "data", "csi": {"driver": driver, "nodePublishSecretRef": secret}});
        let mut pod = super::one(json!({"volumeMounts": [{"name": "data", "mountPath": "/data"}]}));
        pod["spec"]["volumes"] = json!([volume]);
        pod
    };
    let driver = |lab: &mut Lab, name: &str, mode: &str| {
        let spec = json!({"volumeLifecycleModes": [mode], "attachRequired": false});
        lab.create(Kind::CSI_DRIVER, json!({"metadata": {"name": name}, "spec": spec}));
    };
    let mut lab = Lab::new();
    lab.pod(pod("csi.sim.steady", Value::Null)).steady();
    let initialization = "MountVolume.NewMounter initialization failed for volume \"data\" : ";
    let failed = |lab: &Lab, why: &str| {
        let all = lab.events("FailedMount");
        assert!(all.iter().any(|(_, message, _)| message == why), "{all:?}");
    };
    let missing = "volume mode \"Ephemeral\" not supported by driver csi.sim.steady (no CSIDriver object)";
    failed(&lab, &format!("{initialization}{missing}"));
    driver(&mut lab, "csi.sim.steady", "Ephemeral");
    lab.steady();
    assert!(lab.log.contains("app: running ready"), "{}", lab.log);
    let mut lab = Lab::new();
    driver(&mut lab, "csi.sim.steady", "Persistent");
    lab.pod(pod("csi.sim.steady", Value::Null)).steady();
    let other =
        "volume mode \"Ephemeral\" not supported by driver csi.sim.steady (only supports [\"Persistent\"])";
    failed(&lab, &format!("{initialization}{other}"));
    let mut lab = Lab::new();
    driver(&mut lab, "csi.example.com", "Ephemeral");
    lab.pod(pod("csi.example.com", Value::Null)).steady();
    failed(
        &lab,
        "MountVolume.SetUp failed for volume \"data\" : kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: \
         driver name csi.example.com not found in the list of registered CSI drivers",
    );
    let mut lab = Lab::new();
    driver(&mut lab, "csi.sim.steady", "Ephemeral");
    lab.pod(pod("csi.sim.steady", json!({"name": "key"}))).steady();
    failed(
        &lab,
        "MountVolume.SetUp failed for volume \"data\" : fetching NodePublishSecretRef default/key failed: kubernetes.io/csi: \
         failed to find the secret key in the namespace default with error: secrets \"key\" not found",
    );
    lab.create(Kind::SECRET, json!({"metadata": {"name": "key"}}));
    lab.steady();
    assert!(lab.log.contains("app: running ready"), "{}", lab.log);
}

/// `pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go`, `processPodVolumes`: the kubelet ignores a volume that the pod does
/// not use.
#[test]
fn a_volume_that_no_container_mounts_keeps_nobody_from_starting() {
    let of = |mounts: Value| {
        let mut lab = Lab::new();
        let mut pod = one(json!({"volumeMounts": mounts}));
        pod["spec"]["volumes"] = json!([{"name": "v", "configMap": {"name": "none"}}]);
        lab.pod(pod).steady();
        lab.phase("p")
    };
    assert_eq!(of(json!([])), "Running");
    assert_eq!(of(json!([{"name": "v", "mountPath": "/v"}])), "Pending");
}

/// `pkg/kubelet/kubelet_pods.go`, `makeEnvironmentVariables`: variables come from `data` alone.
#[test]
fn binary_data_are_no_variables() {
    let mut lab = Lab::new();
    config_map(&mut lab, json!({"data": {"TEXT": "a"}, "binaryData": {"BYTES": "Yg=="}}));
    lab.pod(one(json!({"envFrom": [{"configMapRef": {"name": "config"}}]}))).steady();
    assert_eq!(exec(&lab, "echo $TEXT-$BYTES"), "a-\n");
}
