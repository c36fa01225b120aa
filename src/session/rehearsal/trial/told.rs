//! What is told of a trial: what became of the requests, and what the cluster says of the rollout.

use std::net::IpAddr;

use super::super::clients::{self, Measured};
use super::super::mend::{self, Mend};
use super::super::story::Goes;
use super::super::{Plan, Tried};
use super::{BEFORE, Trial, said};
use crate::api::types::Pod;
use crate::api::{Kind, MetaExt, Timestamp};
use crate::cluster::RunningClient;
use crate::session::chart::{Losses, Took};
use crate::session::{CommandLine, Link, MomentId};

impl Trial {
    /// How many of the pods that were there when the rollout began have gone, or are about to.
    fn gone(&self) -> usize {
        let all = self.session.cluster().api().cached_list(Kind::POD, Some(&*self.namespace));
        let left = all.filter(|(_, o)| !o.meta().is_deleting() && self.pods.contains(o.uid()));
        self.pods.len().saturating_sub(left.count())
    }

    /// What can be changed against what was lost.
    pub fn candidates(&self, plan: &Plan, plain: &Tried) -> Vec<Mend> {
        let (Ok(workload), Some(target)) = (self.workload(&plan.workload), &self.target) else {
            return Vec::new();
        };
        mend::candidates(&workload, target, plan.occasion, plain)
    }

    /// What `kubectl rollout status` says or, of a drain, `kubectl drain`.
    fn status(&self, plan: &Plan) -> String {
        if let Some(output) = &self.drained {
            return said(output);
        }
        let (kind, name) = (plan.workload.kind.as_str().to_lowercase(), &plan.workload.key.name);
        let line = format!("rollout status {kind} {name} --namespace {} --watch=false", self.namespace);
        let given = CommandLine { line, files: Vec::new(), editor: false };
        self.session.read_only_command(&given).map(|ran| said(&ran.output)).unwrap_or_default()
    }

    /// The node whose rules lead the requests of a client: that of its pod or, from outside, the one that it asks. Empty if a load
    /// balancer chooses it.
    fn node_of(&self, client: &RunningClient) -> String {
        let cluster = self.session.cluster();
        if client.id().is_from_outside() {
            let asked = client.client.url.host.parse::<IpAddr>().ok();
            let nodes = cluster.topology();
            let node = asked.and_then(|address| nodes.with_address(address));
            return node.map(|machine| machine.name.to_string()).unwrap_or_default();
        }
        let pod = cluster.api().cached(&client.sender).and_then(|o| o.get::<Pod>());
        pod.and_then(|p| p.spec.as_ref()?.node_name.clone()).unwrap_or_default()
    }

    /// What became of the requests. `anchor` is the moment of the run at which the rehearsal began.
    pub fn told(&self, plan: &Plan, anchor: MomentId) -> Tried {
        // An autoscaler without metrics goes on to look for them long after the rollout.
        let now = self.session.now().min(crate::api::later(self.last, BEFORE));
        let senders = self.counted();
        let mut urls: Vec<String> = senders.iter().map(clients::asks).collect();
        urls.sort_unstable();
        urls.dedup();
        let measured = Measured::of(self.session.cluster(), (self.begin, now));
        let counts = measured.count(&senders);
        let Losses { causes, behind } = Losses::of(&counts);
        let service = self.target.as_ref().map_or("", |t| t.service.as_str());
        let loss = measured.first_loss(&senders);
        let at = |loss: Timestamp| self.times.iter().take_while(|t| **t <= loss).count();
        Tried {
            mends: self.mends.clone(),
            lines: self.lines.clone(),
            sent: counts.sent,
            losses: causes,
            behind,
            before: self.before.iter().map(|(_, loser)| loser.clone()).collect(),
            clients: senders.len(),
            urls,
            gone: self.gone(),
            seconds: now.duration_since(self.begin).as_secs_f64(),
            steady: self.steady,
            status: self.status(plan),
            undrained: self.undrained(),
            took: Took::of(&counts.took),
            chart: measured.chart(&senders),
            moment: loss.as_ref().map_or(self.times.len(), |(_, l)| at(l.at)),
            first: loss.map(|(client, l)| {
                let sender = senders.iter().find(|c| c.sender == client);
                let node = sender.map(|c| self.node_of(c)).unwrap_or_default();
                let routed = sender.is_some_and(|c| clients::is_led_to(c, &self.namespace, service));
                self.log.story(&client, Goes { node: &node, service, routed }, &l)
            }),
            ready: self.ready,
            begun: self.begun,
            brought: self.brought,
            link: Link::between(&self.session, anchor).map(|l| l.encode()).unwrap_or_default(),
        }
    }
}
