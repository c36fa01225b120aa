//! How a cluster begins: what a person can choose of it where nothing has been put into the cluster yet.

use serde::{Deserialize, Serialize};

use super::{Engine, Output};
use crate::api::ip_family::IpFamily;
use crate::session::Start;
use crate::session::link::MEMBERS;
use crate::session::scenario::Scenario;

/// The most nodes that a person can choose.
pub const NODES: usize = 9;

/// How a cluster begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterStart {
    /// The number of nodes, from 1 to [`NODES`]; a link may have asked for more.
    pub nodes: usize,
    /// The number of etcd members: 1, 3 or 5.
    pub etcd: usize,
    /// The address families of the cluster.
    pub ip_family: IpFamily,
}

impl ClusterStart {
    /// That of a run.
    pub(super) fn of(start: &Start) -> ClusterStart {
        ClusterStart { nodes: start.nodes, etcd: start.etcd, ip_family: start.ip_family }
    }

    /// That of a scenario; `None` if the scenario puts something into its cluster, which goes with how that begins.
    pub(super) fn of_scenario(scenario: &Scenario) -> Option<ClusterStart> {
        let is_empty = scenario.setup.is_empty() && scenario.manifest.is_empty();
        is_empty.then(|| ClusterStart::of(&scenario.start()))
    }

    fn is_possible(self) -> bool {
        (1..=NODES).contains(&self.nodes) && MEMBERS.contains(&self.etcd)
    }
}

impl Engine {
    /// Begins the scenario's run anew with another cluster, if that can be chosen. A run in which nothing has happened makes
    /// room for it, and any other stays among those that the page keeps.
    pub(super) fn begin_with(&mut self, cluster: ClusterStart) {
        if !self.at_rest() || !cluster.is_possible() {
            return;
        }
        let Some(scenario) = self.scenario.as_ref().filter(|s| ClusterStart::of_scenario(s).is_some()) else {
            return;
        };
        let ClusterStart { nodes, etcd, ip_family } = cluster;
        let scenario = Scenario { nodes, etcd, ip_family, ..scenario.clone() };
        self.out.push(Output::Hush);
        self.keep();
        let untouched = self.session.tip() == self.beginning && self.session.start().objects.is_none();
        let id = untouched.then(|| self.shown.run.clone());
        let session = scenario.open();
        let beginning = session.at();
        self.replace_run(Some(scenario), session, beginning, id);
        self.moved();
        // A reload is to find the cluster that was chosen.
        self.settle(true);
        self.preview();
    }
}
