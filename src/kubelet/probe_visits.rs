//! The requests of a kubelet's own HTTP probes, as the server in the container gets them.
//!
//! Ticks whose answer would change nothing are no steps ([`super::prober`]); the server gets their requests nevertheless, and
//! writes them to its log. They are worked out when the log is read.

use std::net::IpAddr;
use std::rc::Rc;

use ipnet::IpNet;
use jiff::SignedDuration;

use super::container_state::{ContainerRuntime, ContainerState};
use super::fault::ProbeType;
use super::prober::{question, spec_of, tick_before, tick_from, whole};
use super::servers::Asked;
use super::timings::later;
use super::turn::Turn;
use crate::api::types::{Container, HTTPHeader};
use crate::api::{Timestamp, release};
use crate::network::question::HeaderFields;
use crate::network::visit::Visit;
use crate::network::{Outcome, Protocol};

/// The most requests of one probe that are worked out; the newest ones.
const TICKS_LIMIT: i64 = 1000;

/// From when until when each probe was asked, in the order of [`ProbeType::ALL`].
pub(super) type Probed = [Option<(Timestamp, Timestamp)>; 3];

impl ContainerRuntime {
    /// From when until when each probe of the current instance was asked, if nothing but a moment ends that.
    pub(super) fn probed(&self, until: Timestamp) -> Probed {
        let Some(r) = self.running() else { return [None; 3] };
        let stopping = r.stopping.map_or(until, |stopping| stopping.min(until));
        ProbeType::ALL.map(|type_| {
            // Of a container that is being stopped the readiness alone is asked.
            let until = if type_ == ProbeType::Readiness { until } else { stopping };
            let first = r.probed.get(type_ as usize).copied().flatten()?;
            let state = self.probes.get(type_ as usize).copied().unwrap_or_default();
            let over = state.on_hold || (type_ == ProbeType::Startup && state.result == Some(true));
            let last = state.asked.filter(|_| over).unwrap_or(until);
            Some((first, last.min(until)))
        })
    }
}

impl Turn<'_> {
    /// Notes when a probe of the current instance of a container is asked first.
    pub(super) fn note_first(&mut self, i: usize, type_: ProbeType, tick: Timestamp) {
        let Some(c) = self.rt.containers.get_mut(i) else { return };
        let ContainerState::Running(r) = &mut c.state else { return };
        if let Some(first) = r.probed.get_mut(type_ as usize) {
            first.get_or_insert(tick);
        }
    }

    /// The address from which the kubelet's requests come to the pod: that of the node's interface towards its pods.
    fn kubelet_address(&self, to: IpAddr) -> Option<IpAddr> {
        if self.spec.host_network == Some(true) {
            return Some(to);
        }
        let ranges = self.host.pod_cidrs.iter().filter_map(|c| c.parse::<IpNet>().ok());
        ranges.filter(|r| r.contains(&to)).find_map(|r| r.hosts().next())
    }

    /// The requests of probes that the running instance of a container has got after one moment until another one.
    pub(super) fn probe_visits(&self, i: usize, (after, until): (Timestamp, Timestamp)) -> Vec<Visit> {
        let mut all = Vec::new();
        for (k, c) in self.rt.containers.iter().enumerate() {
            let Some(spec) = self.container_spec(k) else { continue };
            all.extend(self.visits_of(spec, c.probed(until), after, |port, asked, at| {
                // A probe names a port of the pod, which can be another container's.
                let (listener, r) = self.listener(port, Protocol::Tcp, at).filter(|(l, _)| *l == i)?;
                let failing = |type_: ProbeType| {
                    c.failing.get(type_ as usize).copied().unwrap_or_default()
                        || c.running().is_some_and(|r| {
                            let (ready, live) = (type_ == ProbeType::Readiness, type_ == ProbeType::Liveness);
                            !r.behaviour.probe(ready, live, r.since, at).0
                        })
                };
                let (type_, asked) = asked;
                match self.fetched(listener, self.container_spec(listener)?, r, asked, false, at) {
                    Outcome::Answered(r) if failing(type_) => Some((503, 0, r.takes)),
                    Outcome::Answered(r) => Some((r.status, r.body.len(), r.takes)),
                    _ => None,
                }
            }));
        }
        all
    }

    /// The same of an instance that has ended, of its own probes.
    pub(super) fn past_probe_visits(
        &self,
        i: usize,
        probed: Probed,
        since: Timestamp,
        after: Timestamp,
    ) -> Vec<Visit> {
        let Some(spec) = self.container_spec(i) else { return Vec::new() };
        self.visits_of(spec, probed, after, |port, (_, asked), at| {
            self.with_past_server(i, spec, since, at, |server| {
                let listens = server.ports().is_some_and(|p| p.contains(&(port, Protocol::Tcp)));
                match server.answer(asked).filter(|_| listens)? {
                    Outcome::Answered(response) => {
                        Some((response.status, response.body.len(), self.takes(spec, response.takes, 0)))
                    }
                    _ => None,
                }
            })
        })
    }

    /// The requests of a container's HTTP probes, with what is answered to each: its status, the bytes of its body, and after
    /// how long.
    fn visits_of(
        &self,
        spec: &Container,
        probed: Probed,
        after: Timestamp,
        answer: impl Fn(u16, (ProbeType, &Asked<'_>), Timestamp) -> Option<(u16, usize, SignedDuration)>,
    ) -> Vec<Visit> {
        let mut all = Vec::new();
        let Some(base) = self.rt.probing_since else { return all };
        for (type_, (first, last)) in
            ProbeType::ALL.into_iter().zip(probed).filter_map(|(t, p)| Some((t, p?)))
        {
            let Some(probe) = spec_of(spec, type_) else { continue };
            let asks = question(self, spec, probe).and_then(|q| Some((q.to, q.port, q.http?)));
            let Some((to, port, http)) = asks.filter(|(.., http)| http.scheme == "http") else { continue };
            let Ok(address) = to.parse::<IpAddr>() else { continue };
            if !self.rt.addresses.iter().any(|a| a.parse() == Ok(address)) {
                continue;
            }
            let given = probe.http_get.iter().flat_map(|h| h.http_headers.iter().flatten());
            let given: Vec<&HTTPHeader> = given.collect();
            let named = |name: &str| given.iter().find(|h| h.name.eq_ignore_ascii_case(name));
            let text = |name: &str| named(name).map(|h| h.value.as_str()).unwrap_or_default();
            // `pkg/probe/http/request.go`
            let agent: Rc<str> = match named("user-agent") {
                Some(h) => h.value.as_str().into(),
                None => format!("kube-probe/1.{}", release::MINOR_NUMBER).into(),
            };
            let headers = given.iter().filter(|h| !h.name.eq_ignore_ascii_case("host"));
            let headers = headers.map(|h| (h.name.as_str().into(), h.value.as_str().into()));
            let headers = HeaderFields::new(headers.collect());
            let asked = Asked { port, method: "GET", host: &http.host, path: &http.path, headers: &headers };
            let (period, limit) = (whole(probe.period_seconds, 10, 1), whole(probe.timeout_seconds, 1, 1));
            let earliest = later(
                tick_before(base, period, last),
                SignedDuration::from_secs(-period.as_secs().saturating_mul(TICKS_LIMIT)),
            );
            let next = |at: Timestamp| tick_from(base, period, later(at, SignedDuration::from_nanos(1)));
            // A request that had come before the moment can end after it.
            let begin = later(after, SignedDuration::ZERO.saturating_sub(limit));
            let mut at = if first > begin { first } else { next(first.max(begin)) };
            let ended = |at, takes| later(at, takes) > after && later(at, takes) <= self.now;
            at = at.max(earliest);
            while at <= last {
                let met = answer(port, (type_, &asked), at);
                let met = met.map(|(status, bytes, takes)| (status, bytes, takes.min(limit), takes > limit));
                if let Some((status, bytes, takes, given_up)) = met.filter(|(.., takes, _)| ended(at, *takes))
                {
                    all.push(Visit {
                        came: at,
                        at: later(at, takes),
                        client: self.kubelet_address(address),
                        method: "GET".into(),
                        path: http.path.as_str().into(),
                        agent: agent.clone(),
                        referer: text("referer").into(),
                        forwarded: text("x-forwarded-for").into(),
                        status,
                        bytes,
                        given_up,
                    });
                }
                at = next(at);
            }
        }
        all
    }
}
