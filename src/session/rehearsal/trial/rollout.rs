//! What a trial does to its run: the clients, the changes of the workload, and the rollout.

use super::super::clients::{self, Measured};
use super::super::mend;
use super::super::story::Log;
use super::super::{NoRehearsal, Occasion, Plan, Trigger, workload};
use super::{BEFORE, Trial};
use crate::api::types::{Pod, PodTemplateSpec};
use crate::api::{Kind, MetaExt};
use crate::cluster::RunningClient;
use crate::network::traffic::Cause;

impl Trial {
    /// Applies the manifest, if the workload is not there yet.
    pub(super) fn bring(&mut self, plan: &Plan) -> Result<(), NoRehearsal> {
        match &plan.manifest {
            Some(manifest) if self.workload(&plan.workload).is_err() => self.apply(manifest)?,
            _ => {}
        }
        self.workload(&plan.workload).map(|_| ())
    }

    /// Puts a client on each node, unless there are clients of the Service.
    pub(super) fn put_clients(&mut self, plan: &Plan) -> Result<(), NoRehearsal> {
        let workload = self.workload(&plan.workload)?;
        let cluster = self.session.cluster();
        let chosen = self.chosen.as_ref();
        let target = workload::target(cluster, &self.namespace, &workload.template, chosen);
        let target = target.ok_or(match chosen {
            None => NoRehearsal::NoService,
            Some(port) => NoRehearsal::NotReached(port.clone()),
        })?;
        self.former = workload::former_revision(cluster, &plan.workload);
        match (plan.occasion, workload.replicas) {
            (Occasion::Undo, _) if self.former.is_none() => return Err(NoRehearsal::NoFormerRevision),
            (Occasion::Scale | Occasion::Drain, None) => return Err(NoRehearsal::OfDaemonSet),
            (Occasion::Scale, Some(n)) if n < 2 => return Err(NoRehearsal::TooFewPods),
            _ => {}
        }
        self.url = clients::url(&self.namespace, &target);
        let known = clients::of(cluster, &self.namespace, &target.service, chosen);
        self.target = Some(target);
        if let Some(client) = known.first() {
            self.url = clients::asks(client);
            return Ok(());
        }
        let manifest = clients::manifest(cluster, &self.namespace, &self.url, plan);
        let manifest = manifest.ok_or(NoRehearsal::NoNode)?;
        self.run("create -f clients.yaml".into(), vec![("clients.yaml".into(), manifest)])
    }

    pub(super) fn senders(&self) -> Vec<RunningClient> {
        let service = self.target.as_ref().map_or("", |t| t.service.as_str());
        clients::of(self.session.cluster(), &self.namespace, service, self.chosen.as_ref())
    }

    /// The clients that are counted: those that lost nothing before the rollout.
    pub(super) fn counted(&self) -> Vec<RunningClient> {
        let mut all = self.senders();
        all.retain(|c| self.before.iter().all(|(id, _)| *id != c.id()));
        all
    }

    /// Whether applying the manifest changes the workload.
    pub(super) fn changes_workload(&self, plan: &Plan) -> bool {
        plan.manifest.as_ref().is_some_and(|manifest| {
            let (writes, _) = self.session.preview(manifest);
            writes.iter().any(|w| w.object == plan.workload)
        })
    }

    /// Changes the workload.
    pub(super) fn mend(&mut self, plan: &Plan) -> Result<(), NoRehearsal> {
        let Some(target) = self.target.clone().filter(|_| !self.mends.is_empty()) else { return Ok(()) };
        let workload = self.workload(&plan.workload)?;
        let kind = plan.workload.kind.as_str();
        // An undo is mended twice: what it leads back to is what the mend had changed. The first time the lines are those of the workload
        // as it was.
        if self.lines.is_empty() {
            self.lines = mend::lines(&workload, &target, kind, &self.mends);
        }
        let patch = mend::patch(&workload, &target, kind, &self.mends).to_string();
        let (kind, name) = (kind.to_lowercase(), &plan.workload.key.name);
        let line = format!("patch {kind} {name} --namespace {} --patch-file mend.yaml", self.namespace);
        self.run(line, vec![("mend.yaml".into(), patch)])
    }

    /// Begins the rollout.
    pub(super) fn roll(&mut self, plan: &Plan) -> Result<(), NoRehearsal> {
        let now = self.session.now();
        let senders = self.senders();
        self.ready = self.times.len();
        let brought = Measured::of(self.session.cluster(), (self.changed, now)).count(&senders);
        self.brought = brought.lost.values().sum();
        let measured = Measured::of(self.session.cluster(), (now, crate::api::later(now, BEFORE)));
        let before = measured.count(&senders);
        if before.sent > 0 && before.lost.get(&Cause::NoHttp) == Some(&before.sent) {
            return Err(NoRehearsal::NoHttp(self.url.clone()));
        }
        self.before = measured.losers(&senders);
        (self.begin, self.last) = (now, now);
        let template = self.workload(&plan.workload)?.template;
        let mine = workload::pods(self.session.cluster(), &self.namespace, &template);
        self.pods = mine.map(|p| p.metadata.uid().to_owned()).collect();
        let pods = self.session.cluster().api().cached_list(Kind::POD, None);
        self.log = Log::begin(now, pods.filter_map(|(_, o)| o.get::<Pod>()));
        self.begin_rollout(plan)?;
        self.begun = self.times.len();
        Ok(())
    }

    fn begin_rollout(&mut self, plan: &Plan) -> Result<(), NoRehearsal> {
        let (kind, name) = (plan.workload.kind.as_str().to_lowercase(), &plan.workload.key.name);
        let namespace = self.namespace.clone();
        match plan.occasion {
            Occasion::Rollout | Occasion::Restart => match plan.manifest.as_ref().filter(|_| self.applies) {
                // The manifest is applied and then changed in the same way, before anybody has looked at it.
                Some(manifest) => {
                    self.trigger = Trigger::Apply;
                    let before = self.workload(&plan.workload)?.template;
                    self.apply(manifest)?;
                    self.mend(plan)?;
                    self.restart_unless_other(plan, &before)
                }
                None => self.restart(plan),
            },
            Occasion::Undo => {
                let revision = self.former.ok_or(NoRehearsal::NoFormerRevision)?;
                self.trigger = Trigger::Undo(revision);
                let before = self.workload(&plan.workload)?.template;
                let line =
                    format!("rollout undo {kind} {name} --namespace {namespace} --to-revision={revision}");
                self.run(line, Vec::new())?;
                // The former revision is changed in the same way.
                self.mend(plan)?;
                self.restart_unless_other(plan, &before)
            }
            Occasion::Scale => {
                let from = self.workload(&plan.workload)?.replicas.ok_or(NoRehearsal::OfDaemonSet)?;
                self.trigger = Trigger::Scale(from, from / 2);
                let line = format!("scale {kind} {name} --namespace {namespace} --replicas={}", from / 2);
                self.run(line, Vec::new())
            }
            Occasion::Drain => {
                let workload = self.workload(&plan.workload)?;
                let node = workload::node_with_pods(self.session.cluster(), &namespace, &workload.template);
                let node = node.ok_or(NoRehearsal::NoPods)?;
                let flags = "--ignore-daemonsets --delete-emptydir-data --force";
                let line = format!("drain {node} {flags} --pod-selector={}", clients::ALL_BUT_CLIENTS);
                self.trigger = Trigger::Drain(node);
                self.drain(line);
                match &self.drained {
                    Some(output) if output.exit != 0 => Err(NoRehearsal::Refused(output.stderr.clone())),
                    _ => Ok(()),
                }
            }
        }
    }

    fn restart(&mut self, plan: &Plan) -> Result<(), NoRehearsal> {
        let (kind, name) = (plan.workload.kind.as_str().to_lowercase(), &plan.workload.key.name);
        self.run(format!("rollout restart {kind} {name} --namespace {}", self.namespace), Vec::new())
    }

    /// What a mend changes may be all that the rollout changes. Then it would replace no pod, and a restart is the rollout.
    fn restart_unless_other(&mut self, plan: &Plan, before: &PodTemplateSpec) -> Result<(), NoRehearsal> {
        if self.mends.is_empty() || self.workload(&plan.workload)?.template != *before {
            return Ok(());
        }
        self.restart(plan)
    }
}
