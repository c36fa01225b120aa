//! Jobs, what is deleted after them, and CronJobs, with real kubelets.
#![allow(clippy::unwrap_used)]

use std::rc::Rc;

use serde_json::{Value, json};

use super::sets::{patch_status, run_up_to};
use crate::api::types::{CronJob, Job, Pod};
use crate::api::{Key, Kind, Object, ObjectRef};
use crate::apimachinery::{Body, Patch, Request, Verb};
use crate::cluster::{Action, Cluster, Config, Fault, Outcome, Search, Stopped};
use crate::controllers::job::util::{finished_condition, has_tracking_finalizer};

fn cluster() -> Cluster {
    Cluster::new(&Config::nodes(2))
}

fn create(c: &mut Cluster, kind: Kind, object: Value) {
    let object = Object::from_value(kind, object).unwrap();
    let request = Request::new(&"kubectl".into(), Verb::Create, kind, object.key());
    c.request(&request.body(Body::Object(object))).0.object().unwrap();
}

fn merge(c: &mut Cluster, kind: Kind, name: &str, change: Value) {
    let request = Request::new(&"kubectl".into(), Verb::Patch, kind, Key::new("default", name));
    c.request(&request.body(Body::Patch(Patch::Merge(change)))).0.object().unwrap();
}

fn template(command: &[&str]) -> Value {
    json!({"spec": {
        "restartPolicy": "Never",
        "containers": [{"name": "c", "image": "busybox", "command": command}],
    }})
}

fn job(name: &str, command: &[&str], more: Value) -> Value {
    let mut spec = json!({"template": template(command)});
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"metadata": {"name": name, "namespace": "default"}, "spec": spec})
}

fn stored<T: crate::api::ApiKind + Clone>(c: &Cluster, name: &str) -> Option<T> {
    let found = c.api().etcd().get(&ObjectRef::new(T::KIND, "default", name))?;
    found.object.get::<T>().map(|o| T::clone(o))
}

/// The type and reason of the condition that ended the Job, and its counts of succeeded and failed pods.
fn end(c: &Cluster, name: &str) -> (String, i32, i32) {
    let job: Job = stored(c, name).unwrap();
    let condition = finished_condition(&job).map(|c| {
        let reason = c.reason.clone().unwrap_or_default();
        format!("{} {reason}", c.type_)
    });
    let status = job.status.unwrap_or_default();
    (condition.unwrap_or_default(), status.succeeded.unwrap_or(0), status.failed.unwrap_or(0))
}

fn names(c: &Cluster, kind: Kind) -> Vec<String> {
    c.api().etcd().range(kind, Some("default")).map(|(_, r)| r.object.name().to_owned()).collect()
}

#[test]
fn each_pod_is_counted_once_wherever_the_controllers_crash() {
    let mut c = cluster();
    create(&mut c, Kind::JOB, job("pi", &["sleep", "2"], json!({"completions": 3, "parallelism": 2})));
    for at in 0..60 {
        let mut crashed = c.clone();
        let process = "kube-controller-manager".into();
        crashed.fault(&Fault::Restart { process, node: None }).unwrap();
        assert!(crashed.run_to_steady(200, |_, _| {}), "crash {at}");
        assert_eq!(end(&crashed, "pi"), ("Complete CompletionsReached".into(), 3, 0), "crash {at}");
        let pods: Vec<Rc<Pod>> = crashed
            .api()
            .etcd()
            .range(Kind::POD, Some("default"))
            .filter_map(|(_, r)| r.object.get::<Pod>().cloned())
            .collect();
        assert_eq!(pods.len(), 3, "crash {at}");
        assert!(!pods.iter().any(|p| has_tracking_finalizer(p)), "crash {at}");
        if c.next_command(None).is_err() {
            return;
        }
    }
    panic!("the Job does not end");
}

#[test]
fn a_job_that_fails_waits_longer_each_time_and_gives_up() {
    let mut c = cluster();
    create(&mut c, Kind::JOB, job("no", &["false"], json!({"backoffLimit": 2})));
    let start = c.now();
    let mut created = Vec::new();
    assert!(c.run_to_steady(200, |_, k| {
        if k.request.kind == Kind::POD && k.request.verb == Verb::Create && &*k.by == "job-controller" {
            created.push(k.at.duration_since(start).as_secs());
        }
    }));
    assert_eq!(end(&c, "no"), ("Failed BackoffLimitExceeded".into(), 0, 3));
    let pauses: Vec<i64> = created.windows(2).map(|w| w[1] - w[0]).collect();
    assert!(matches!(pauses[..], [10..15, 20..25]), "{created:?}");
}

#[test]
fn an_index_that_fails_does_not_stop_the_others() {
    let mut c = cluster();
    let rule = json!({"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [7]}});
    let more = json!({
        "completions": 2, "parallelism": 1, "completionMode": "Indexed", "backoffLimitPerIndex": 3,
        "podFailurePolicy": {"rules": [rule]},
    });
    create(&mut c, Kind::JOB, job("two", &["sh", "-c", "exit 7"], more));
    assert!(c.run_to_steady(200, |_, _| {}));
    assert_eq!(end(&c, "two"), ("Failed FailedIndexes".into(), 0, 2));
    let status = stored::<Job>(&c, "two").unwrap().status.unwrap();
    assert_eq!(status.failed_indexes.as_deref(), Some("0,1"));
}

#[test]
fn a_suspended_job_loses_its_pods_and_goes_on_later() {
    let mut c = cluster();
    create(&mut c, Kind::JOB, job("pi", &["sleep", "60"], json!({})));
    c.run_until(c.now() + std::time::Duration::from_secs(10), |_, _| {}).unwrap();
    assert_eq!(names(&c, Kind::POD).len(), 1);
    merge(&mut c, Kind::JOB, "pi", json!({"spec": {"suspend": true}}));
    assert!(c.run_to_steady(200, |_, _| {}));
    assert_eq!(names(&c, Kind::POD), [""; 0]);
    assert_eq!(stored::<Job>(&c, "pi").unwrap().status.unwrap().start_time, None);
    merge(&mut c, Kind::JOB, "pi", json!({"spec": {"suspend": false}}));
    assert!(c.run_to_steady(200, |_, _| {}));
    assert_eq!(end(&c, "pi"), ("Complete CompletionsReached".into(), 1, 0));
}

/// `pkg/controller/job/job_controller.go`, `syncJob`: the start time goes when the condition `Suspended` comes, and not later.
#[test]
fn a_start_time_that_a_suspended_job_gets_from_elsewhere_stays() {
    let mut c = cluster();
    create(&mut c, Kind::JOB, job("pi", &["sleep", "60"], json!({"suspend": true})));
    assert!(c.run_to_steady(200, |_, _| {}));
    patch_status(&mut c, Kind::JOB, "pi", json!({"status": {"startTime": "2020-01-01T00:00:00Z"}}));
    assert!(c.run_to_steady(200, |_, _| {}));
    let status = stored::<Job>(&c, "pi").unwrap().status.unwrap();
    assert!(status.start_time.is_some(), "{status:?}");
}

#[test]
fn a_job_goes_when_its_time_to_live_is_over_and_not_before() {
    let mut c = cluster();
    create(&mut c, Kind::JOB, job("pi", &["true"], json!({"ttlSecondsAfterFinished": 100})));
    let mut gone = None;
    let mut ended = None;
    assert!(c.run_to_steady(200, |c, k| match stored::<Job>(c, "pi") {
        Some(job) if finished_condition(&job).is_some() => {
            ended.get_or_insert(k.at);
        }
        None => {
            gone.get_or_insert(k.at);
        }
        Some(_) => {}
    }));
    let kept = gone.unwrap().duration_since(ended.unwrap()).as_secs();
    assert!((99..=101).contains(&kept), "{kept}");
    assert_eq!(names(&c, Kind::POD), [""; 0]);
}

#[test]
fn a_pod_that_belonged_to_a_deleted_job_loses_its_finalizer() {
    let mut c = cluster();
    create(&mut c, Kind::JOB, job("pi", &["sleep", "60"], json!({})));
    c.run_until(c.now() + std::time::Duration::from_secs(10), |_, _| {}).unwrap();
    let delete = Request::new(&"kubectl".into(), Verb::Delete, Kind::JOB, Key::new("default", "pi"));
    let options = crate::apimachinery::DeleteOptions {
        propagation_policy: Some(crate::apimachinery::Propagation::Orphan),
        ..Default::default()
    };
    c.request(&delete.body(Body::Delete(options)));
    assert!(c.run_to_steady(200, |_, _| {}));
    let [pod] = &names(&c, Kind::POD)[..] else { panic!("the pod is left") };
    let pod: Pod = stored(&c, pod).unwrap();
    assert!(!has_tracking_finalizer(&pod));
    assert_eq!(pod.metadata.owner_references, None);
}

fn cron_job(policy: &str, command: &[&str]) -> Value {
    json!({
        "metadata": {"name": "backup", "namespace": "default"},
        "spec": {
            "schedule": "*/2 * * * *",
            "concurrencyPolicy": policy,
            "successfulJobsHistoryLimit": 2,
            "jobTemplate": {"spec": {"template": template(command)}},
        },
    })
}

/// `SetDefaults_Job` makes the labels of a Job without any those of its template, and `generateSelector` adds to these. A
/// Job with labels of its own keeps them, also if its template has the same ones.
#[test]
fn only_a_job_without_labels_has_those_of_its_pods() {
    let generated = 4;
    let labels = json!({"app": "pi"});
    for (own, of_pods, have) in
        [(None, None, generated), (None, Some(&labels), generated + 1), (Some(&labels), Some(&labels), 1)]
    {
        let mut c = cluster();
        let mut one = job("pi", &["true"], json!({}));
        if let Some(own) = own {
            one["metadata"]["labels"] = own.clone();
        }
        if let Some(of_pods) = of_pods {
            one["spec"]["template"]["metadata"] = json!({"labels": of_pods});
        }
        let mut applied = one.clone();
        applied["apiVersion"] = "batch/v1".into();
        applied["kind"] = "Job".into();
        applied["metadata"]["name"] = "applied".into();
        // A CronJob's controller creates the Job that its template is.
        let mut cron = cron_job("Allow", &["true"]);
        cron["spec"]["jobTemplate"] = json!({"metadata": {"labels": own}, "spec": one["spec"]});
        create(&mut c, Kind::CRON_JOB, cron);
        create(&mut c, Kind::JOB, one);
        let apply = Request::new(&"kubectl".into(), Verb::Patch, Kind::JOB, Key::new("default", "applied"));
        let config = Patch::Apply { config: applied, force: false };
        c.request(&apply.body(Body::Patch(config))).0.object().unwrap();
        assert!(c.run_to_steady(200, |_, _| {}));
        next_run(&mut c);
        assert_eq!(names(&c, Kind::JOB).len(), 3);
        for name in names(&c, Kind::JOB) {
            let job: Job = stored(&c, &name).unwrap();
            let of_pods = job.spec.unwrap().template.metadata.unwrap().labels.unwrap();
            let own = job.metadata.labels.unwrap();
            assert_eq!(own.len(), have, "{name}: {own:?}");
            assert!(own.len() == 1 || own == of_pods, "{name}: {own:?}");
        }
    }
}

/// Lets time pass to the next run and runs until the cluster is steady again.
fn next_run(c: &mut Cluster) {
    assert!(c.is_steady());
    c.find(Search::new(None).to_schedule()).unwrap();
    assert!(c.run_to_steady(500, |_, _| {}));
}

#[test]
fn a_cluster_is_steady_between_two_runs_and_a_history_is_kept() {
    let mut c = cluster();
    create(&mut c, Kind::CRON_JOB, cron_job("Allow", &["true"]));
    assert!(c.run_to_steady(50, |_, _| {}));
    let mut seen = Vec::new();
    for _ in 0..4 {
        next_run(&mut c);
        seen.push(names(&c, Kind::JOB));
    }
    assert_eq!(seen.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 2, 2]);
    let minute = |name: &str| name.rsplit('-').next().unwrap().parse::<i64>().unwrap();
    let last: Vec<i64> = seen[3].iter().map(|n| minute(n)).collect();
    assert_eq!(last[1] - last[0], 2);
    assert_eq!(c.now().as_second() / 60, last[1]);
    let status = stored::<CronJob>(&c, "backup").unwrap().status.unwrap();
    assert_eq!(status.last_schedule_time.unwrap().0.as_second(), last[1] * 60);
    assert_eq!(status.active, None);
    merge(&mut c, Kind::CRON_JOB, "backup", json!({"spec": {"suspend": true}}));
    assert!(c.run_to_steady(50, |_, _| {}));
    // The run that was planned before does nothing, and no other one is planned.
    assert_eq!(c.find(Search::new(None).to_schedule()).err(), Some(Stopped::Idle));
    c.run_until(c.now() + std::time::Duration::from_secs(300), |_, _| panic!("it is suspended")).unwrap();
    assert_eq!(c.enabled(), []);
}

#[test]
fn a_run_that_is_due_while_another_runs_is_skipped_added_or_takes_its_place() {
    for (policy, runs, active) in [("Forbid", 1, 1), ("Allow", 2, 2), ("Replace", 1, 1)] {
        let mut c = cluster();
        create(&mut c, Kind::CRON_JOB, cron_job(policy, &["sleep", "1000"]));
        // Two runs, and half a minute.
        let to = c.now().as_second() / 120 * 120 + 2 * 120 + 30;
        c.run_until(jiff::Timestamp::from_second(to).unwrap(), |_, _| {}).unwrap();
        assert_eq!(names(&c, Kind::JOB).len(), runs, "{policy}");
        let status = stored::<CronJob>(&c, "backup").unwrap().status.unwrap();
        assert_eq!(status.active.unwrap().len(), active, "{policy}");
        let last = status.last_schedule_time.unwrap().0.as_second();
        assert_eq!(last == to - 30, policy != "Forbid", "{policy}");
    }
}

#[test]
fn a_run_is_missed_if_the_controllers_are_down_for_too_long() {
    let mut c = cluster();
    let mut cron = cron_job("Allow", &["true"]);
    cron["spec"]["startingDeadlineSeconds"] = json!(20);
    create(&mut c, Kind::CRON_JOB, cron);
    assert!(c.run_to_steady(50, |_, _| {}));
    let process = || "kube-controller-manager".to_owned();
    c.fault(&Fault::Stop { process: process(), node: None }).unwrap();
    let run = c.now().as_second() / 120 * 120 + 120;
    c.run_until(jiff::Timestamp::from_second(run + 30).unwrap(), |_, _| {}).unwrap();
    c.fault(&Fault::Start { process: process(), node: None }).unwrap();
    assert!(c.run_to_steady(200, |_, _| {}));
    assert_eq!(names(&c, Kind::JOB), [""; 0]);
    next_run(&mut c);
    assert_eq!(names(&c, Kind::JOB), [format!("backup-{}", run / 60 + 2)]);
}

#[test]
fn no_run_is_planned_after_one_whose_job_has_another_owner() {
    let mut c = cluster();
    create(&mut c, Kind::CRON_JOB, cron_job("Allow", &["true"]));
    assert!(c.run_to_steady(50, |_, _| {}));
    let run = c.now().as_second() / 120 * 120 + 120;
    create(&mut c, Kind::JOB, job(&format!("backup-{}", run / 60), &["true"], json!({})));
    assert!(c.run_to_steady(200, |_, _| {}));
    next_run(&mut c);
    assert!(c.run_to_steady(200, |_, _| {}));
    assert_eq!(names(&c, Kind::JOB), [format!("backup-{}", run / 60)]);
    assert_eq!(c.find(Search::new(None).to_schedule()).err(), Some(Stopped::Idle));
}

/// A sync that finds its cache to be behind goes on with what the API server has, but writes the status of the CronJob that
/// it began with (`syncCronJob` binds the other one to a name of its own). So the next sync does what is left.
#[test]
fn a_status_that_is_behind_meets_a_conflict() {
    let mut c = cluster();
    create(&mut c, Kind::CRON_JOB, cron_job("Allow", &["sleep", "1000"]));
    assert!(c.run_to_steady(50, |_, _| {}));
    let run = c.now().as_second() / 120 * 120 + 120;
    c.run_until(jiff::Timestamp::from_second(run + 30).unwrap(), |_, _| {}).unwrap();
    c.find(Search::new(None).to_schedule()).unwrap();
    let is_status = |r: &Request| r.kind == Kind::CRON_JOB && r.verb == Verb::Update;
    let write = run_up_to(&mut c, is_status);
    c.act(&write).unwrap();
    assert_eq!(names(&c, Kind::JOB).len(), 2);
    let first = format!("backup-{}", run / 60);
    let delete = Request::new(&"kubectl".into(), Verb::Delete, Kind::JOB, Key::new("default", &first));
    c.request(&delete.body(Body::Delete(Default::default()))).0.object().unwrap();
    // The controllers hear of the Jobs, and not of the CronJob.
    let mut answers = Vec::new();
    while answers.is_empty() {
        let hears = |a: &Action| match c.step(a).unwrap().1.outcome {
            Outcome::Reflected { kind, .. } => kind == Kind::CRON_JOB,
            _ => false,
        };
        let next = c.enabled().into_iter().find(|a| !matches!(a, Action::Watch { .. } if hears(a))).unwrap();
        if let Outcome::Sent { request, response, .. } = c.act(&next).unwrap().outcome
            && is_status(&request)
        {
            answers.push(response.object().err().map(|s| s.reason));
        }
    }
    assert_eq!(answers, [Some("Conflict".into())]);
    c.run_until(c.now() + std::time::Duration::from_secs(1), |_, _| {}).unwrap();
    let status = stored::<CronJob>(&c, "backup").unwrap().status.unwrap();
    assert_eq!(status.active.unwrap().len(), 1);
}

/// `updateJob` in `pkg/controller/job/job_controller.go` does not enqueue a Job that has finished.
#[test]
fn a_job_that_has_finished_is_not_synced_again() {
    let mut c = cluster();
    create(&mut c, Kind::JOB, job("done", &["true"], json!({})));
    assert!(c.run_to_steady(200, |_, _| {}));
    assert_eq!(end(&c, "done").1, 1);
    let before = c.now();
    merge(&mut c, Kind::JOB, "done", json!({"metadata": {"labels": {"other": "x"}}}));
    assert!(c.run_to_steady(200, |_, _| {}));
    // A sync would come after the batch period of one second.
    assert_eq!(c.now(), before);
}
