//! Random pods, edits and faults. After each run the cluster is steady, deleted pods are gone without a
//! trace in the kubelet, and every status follows Kubernetes' rules.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use serde_json::{Value, json};

use super::Lab;
use crate::api::types::Pod;
use crate::api::{Key, Kind, ObjectRef};
use crate::kubelet::{KubeletFault, ProbeType, State};

struct Dice(Pcg32);

impl Dice {
    fn below(&mut self, n: u32) -> u32 {
        self.0.next_u32() % n
    }

    fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u32) as usize]
    }

    /// A probe that passes validation: only readiness probes may have a `successThreshold` above 1, and they
    /// have no grace period.
    fn probe(&mut self, of: ProbeType) -> Value {
        if self.one_in(2) {
            return Value::Null;
        }
        let readiness = of == ProbeType::Readiness;
        let mut p = json!({
            "periodSeconds": self.below(12), "initialDelaySeconds": self.below(8),
            "failureThreshold": self.below(4),
            "successThreshold": if readiness { self.below(3) } else { self.below(2) },
        });
        match self.below(5) {
            0 => p["exec"] = json!({"command": [self.pick(&["true", "false", "check"])]}),
            1 => p["tcpSocket"] = json!({"port": 80}),
            2 => p["grpc"] = json!({"port": 80}),
            3 => p["exec"] = json!({"command": ["sleep", "3"]}),
            _ => p["httpGet"] = json!({"port": "web"}),
        }
        if !readiness && self.one_in(3) {
            p["terminationGracePeriodSeconds"] = (1 + self.below(4)).into();
        }
        p
    }

    fn container(&mut self, name: &str) -> Value {
        let mut c = json!({
            "name": name,
            "image": self.pick(&["team/a:1", "b", "c:missing", "D d", "r.invalid/x:1", "team/a:2"]),
            "imagePullPolicy": self.pick(&["Always", "IfNotPresent", "IfNotPresent", "Never"]),
            "livenessProbe": self.probe(ProbeType::Liveness), "readinessProbe": self.probe(ProbeType::Readiness),
            "startupProbe": self.probe(ProbeType::Startup),
        });
        match self.below(6) {
            0 => c["command"] = json!(["true"]),
            1 => c["command"] = json!(["sh", "-c", "sleep 3; exit 1"]),
            2 => c["command"] = json!(["sleep", "7"]),
            _ => {}
        }
        if self.one_in(6) {
            c["restartPolicy"] = self.pick(&["Always", "Never", "OnFailure"]).into();
        }
        if self.one_in(4) {
            let hook =
                json!({"exec": {"command": ["sh", "-c", self.pick(&["sleep 2", "false", "sleep 900"])]}});
            c["lifecycle"] = json!({self.pick(&["preStop", "postStart"]): hook});
        }
        if self.one_in(8) {
            c["env"] = json!([{"name": "E", "valueFrom": {"configMapKeyRef": {"name": "m", "key": "k"}}}]);
        }
        c
    }

    /// Only sidecars may have probes and hooks.
    fn init_container(&mut self, name: &str) -> Value {
        let mut c = self.container(name);
        if c["restartPolicy"] != "Always" {
            let fields = c.as_object_mut().unwrap();
            fields.retain(|k, _| k != "lifecycle" && !k.ends_with("Probe"));
        }
        c
    }

    fn pod(&mut self) -> Value {
        let mut annotations = json!({});
        for _ in 0..self.below(3) {
            let key = self.pick(&[
                "run-seconds",
                "exit-code",
                "ready-after-seconds",
                "live-for-seconds",
                "image-pull.a",
                "start-seconds",
                "stop-seconds.b",
                "image-pull",
            ]);
            annotations[format!("sim.steady/{key}")] = self.below(20).to_string().into();
        }
        let mut spec = json!({
            "restartPolicy": self.pick(&["Always", "Always", "OnFailure", "Never"]),
            "terminationGracePeriodSeconds": self.below(40),
            "containers": [self.container("a"), self.container("b")],
        });
        if self.one_in(2) {
            spec["initContainers"] = json!([self.init_container("i"), self.init_container("j")]);
        }
        if self.one_in(6) {
            spec["activeDeadlineSeconds"] = (1 + self.below(59)).into();
        }
        if self.one_in(6) {
            spec["volumes"] = json!([{"name": "v", "secret": {"secretName": "s"}}]);
        }
        if self.one_in(8) {
            spec["readinessGates"] = json!([{"conditionType": "x/y"}]);
        }
        json!({"metadata": {"annotations": annotations}, "spec": spec})
    }

    fn fault(&mut self) -> KubeletFault {
        let pod = Key::new("default", "p");
        let container = self.pick(&["a", "b", "i", "none"]).into();
        match self.below(3) {
            0 => KubeletFault::CrashContainer { pod, container, exit_code: self.below(3) as i32 },
            1 => KubeletFault::FailProbe {
                pod,
                container,
                probe: ProbeType::ALL[self.below(3) as usize],
                failing: self.one_in(2),
            },
            _ => KubeletFault::Image {
                image: "team/a:1".into(),
                pullable: self.one_in(2),
                message: "no".into(),
            },
        }
    }
}

fn stored(lab: &Lab) -> Option<std::rc::Rc<Pod>> {
    let at = ObjectRef::new(Kind::POD, "default", "p");
    lab.cluster.api().etcd().get(&at).and_then(|r| r.object.get::<Pod>().cloned())
}

fn runs_to_steady(lab: &mut Lab, seed: u64) {
    let mut over = false;
    let steady = lab.cluster.run_to_steady(4000, |c, _| {
        let at = ObjectRef::new(Kind::POD, "default", "p");
        let Some(pod) = c.api().etcd().get(&at).and_then(|r| r.object.get::<Pod>().cloned()) else { return };
        let status = pod.status.as_ref().unwrap();
        let terminal = matches!(status.phase.as_deref(), Some("Succeeded" | "Failed"));
        assert!(terminal || !over, "seed {seed}: a phase that was final changed");
        over = terminal;
        let holds = |t: &str| status.conditions.iter().flatten().any(|c| c.type_ == t && c.status == "True");
        assert!(!(terminal && holds("Ready")), "seed {seed}: over and ready");
        assert!(holds("ContainersReady") || !holds("Ready"), "seed {seed}: ready without its containers");
        if terminal {
            let all = status
                .container_statuses
                .iter()
                .flatten()
                .chain(status.init_container_statuses.iter().flatten());
            let runs = all.filter(|c| c.state.as_ref().is_some_and(|s| s.running.is_some())).count();
            assert_eq!(runs, 0, "seed {seed}: over, and something runs");
        }
    });
    if !steady {
        // Log the commands that repeat, for the message of the panic.
        lab.log.clear();
        for _ in 0..12 {
            let Ok(c) = lab.cluster.next_command(None) else { break };
            lab.note(c.at, &c.writes);
            lab.note(c.at, &c.events);
        }
        let pod = stored(lab).map(|p| serde_json::to_string_pretty(&*p).unwrap_or_default());
        panic!("seed {seed} is not steady: {}\n{}", lab.log, pod.unwrap_or_default());
    }
}

#[test]
fn whatever_happens_it_becomes_steady() {
    for seed in 0..400 {
        let mut dice = Dice(Pcg32::seed_from_u64(seed));
        let mut lab = Lab::new();
        let pod = dice.pod();
        lab.pod(pod);
        for _ in 0..dice.below(4) {
            let seconds = i64::from(dice.below(25));
            lab.wait(seconds);
            let fault = dice.fault();
            lab.fault("", fault);
            if dice.one_in(3) && stored(&lab).is_some() {
                let image = dice.pick(&["team/a:2", "team/b:3"]).to_owned();
                lab.edit("", |p| p.spec.as_mut().unwrap().containers[0].image = Some(image));
            }
        }
        runs_to_steady(&mut lab, seed);
        if stored(&lab).is_some() {
            lab.delete(if dice.one_in(3) { Some(i64::from(dice.below(5))) } else { None });
        }
        runs_to_steady(&mut lab, seed);
        assert!(stored(&lab).is_none(), "seed {seed} is still there");
        let kubelet = lab.cluster.processes().nth(2).unwrap();
        let state = kubelet.components[0].state().downcast_ref::<State>().unwrap();
        assert!(state.pods.is_empty() && state.faults.is_empty(), "seed {seed}");
        assert!(state.node.addresses.is_empty(), "seed {seed}");
        assert_eq!(state.node.used, Default::default(), "seed {seed}");
    }
}
