//! What kube-proxy answers when a load balancer asks for the health of a Service on a node, and of kube-proxy itself
//! (`pkg/proxy/healthcheck`).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::api::Timestamp;
use crate::api::quote::go_quote;
use crate::api::types::Node;

use super::endpoints::local_ready_endpoints;
use super::names::{Family, ServiceName, ServicePortName};
use super::ruleset::Ruleset;
use super::services::ServicePort;
use super::timing::HEALTH_TIMEOUT;

/// The taint of a node that the cluster autoscaler is about to delete (`ToBeDeletedTaint`). Load balancers stop sending to
/// such a node (KEP-3836).
pub const TO_BE_DELETED_TAINT: &str = "ToBeDeletedByClusterAutoscaler";

/// An answer over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// 200, or 503 if the load balancer is to send to other nodes.
    pub status: u16,
    /// The headers of the answer.
    pub headers: Vec<(&'static str, String)>,
    /// The text of the answer, which is JSON.
    pub body: String,
}

fn answer(healthy: bool, body: String) -> Answer {
    let headers = [("Content-Type", "application/json"), ("X-Content-Type-Options", "nosniff")];
    let headers = headers.map(|(name, value)| (name, value.to_owned())).to_vec();
    Answer { status: if healthy { 200 } else { 503 }, headers, body }
}

impl Answer {
    /// What Go's server of HTTP answers on a path that nothing is registered for.
    pub fn not_found() -> Answer {
        Answer::text(404, "404 page not found\n")
    }

    /// A plain text.
    pub fn text(status: u16, body: &str) -> Answer {
        let headers = [("Content-Type", "text/plain; charset=utf-8"), ("X-Content-Type-Options", "nosniff")];
        let headers = headers.map(|(name, value)| (name, value.to_owned())).to_vec();
        Answer { status, headers, body: body.to_owned() }
    }
}

impl Ruleset {
    /// The ports on which kube-proxy answers for Services, each with its Service (`HealthCheckNodePorts`). Only Services
    /// with load balancers and `externalTrafficPolicy: Local` have one.
    pub fn health_check_node_ports(&self) -> BTreeMap<u16, ServiceName> {
        let of = |(name, port): (&ServicePortName, &ServicePort)| {
            Some((port.health_check_node_port?, name.service.clone()))
        };
        self.ports.iter().filter_map(of).collect()
    }

    /// What a Service's `healthCheckNodePort` answers: 200 if the node has a ready endpoint of the Service, and kube-proxy
    /// itself is healthy. `None` if nothing answers on the port.
    pub fn service_health(&self, port: u16, proxy_healthy: bool) -> Option<Answer> {
        let service = self.health_check_node_ports().remove(&port)?;
        let count = local_ready_endpoints(&self.endpoints).get(&service).copied().unwrap_or_default();
        let body = format!(
            "{{\n\t\"service\": {{\n\t\t\"namespace\": {},\n\t\t\"name\": {}\n\t}},\n\t\"localEndpoints\": {count},\n\t\
             \"serviceProxyHealthy\": {proxy_healthy}\n}}",
            go_quote(&service.namespace),
            go_quote(&service.name),
        );
        let mut answer = answer(count > 0 && proxy_healthy, body);
        answer.headers.push(("X-Load-Balancing-Endpoint-Weight", count.to_string()));
        Some(answer)
    }
}

/// What is known of one family's proxier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProxierHealth {
    /// When it last wrote rules; `None` before its first sync.
    pub last_updated: Option<Timestamp>,
    /// When it got to know the oldest change that it has not written yet; `None` if it has written all.
    pub oldest_pending: Option<Timestamp>,
}

/// What is known of a kube-proxy (`ProxyHealthServer`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProxyHealth {
    /// Its proxiers.
    pub proxiers: BTreeMap<Family, ProxierHealth>,
}

impl ProxyHealth {
    /// Proxiers that have all written their rules just now.
    pub fn current(families: &[Family], now: Timestamp) -> ProxyHealth {
        let mut health = ProxyHealth::default();
        families.iter().for_each(|family| health.updated(*family, now));
        health
    }

    /// A proxier has written all changes (`Updated`).
    pub fn updated(&mut self, family: Family, now: Timestamp) {
        let health = ProxierHealth { last_updated: Some(now), oldest_pending: None };
        self.proxiers.insert(family, health);
    }

    /// A proxier has got to know a change (`QueuedUpdate`).
    pub fn queued(&mut self, family: Family, now: Timestamp) {
        self.proxiers.entry(family).or_default().oldest_pending.get_or_insert(now);
    }

    /// Whether a proxier is healthy: it has not kept a change for longer than [`HEALTH_TIMEOUT`]. One that
    /// has not written anything yet is.
    fn is_healthy(proxier: &ProxierHealth, now: Timestamp) -> bool {
        let late = |since: Timestamp| now.duration_since(since) >= HEALTH_TIMEOUT;
        proxier.last_updated.is_none() || !proxier.oldest_pending.is_some_and(late)
    }

    /// Whether all proxiers are healthy.
    pub fn healthy(&self, now: Timestamp) -> bool {
        self.proxiers.values().all(|proxier| ProxyHealth::is_healthy(proxier, now))
    }

    fn body(&self, now: Timestamp, healthy: bool, eligible: Option<bool>) -> String {
        let updated = self.proxiers.iter().filter_map(|(family, p)| Some((family, p, p.last_updated?)));
        let status: Map<String, Value> = updated
            .clone()
            .map(|(family, p, at)| {
                let healthy = ProxyHealth::is_healthy(p, now);
                (family.name().to_owned(), json!({"lastUpdated": at.to_string(), "healthy": healthy}))
            })
            .collect();
        // If all is well, the time says so, whenever the last change was.
        let last = if healthy { Some(now) } else { updated.map(|(_, _, at)| at).max() };
        let last = last.map_or_else(|| "0001-01-01T00:00:00Z".to_owned(), |at| at.to_string());
        let mut parts = vec![format!("\"lastUpdated\":\"{last}\",\"currentTime\":\"{now}\"")];
        parts.extend(eligible.map(|eligible| format!("\"nodeEligible\":{eligible}")));
        parts.push(format!("\"healthy\":{}", self.healthy(now)));
        if !status.is_empty() {
            let one = |(family, health): (&String, &Value)| {
                let (at, healthy) = (&health["lastUpdated"], &health["healthy"]);
                format!("\"{family}\":{{\"lastUpdated\":{at},\"healthy\":{healthy}}}")
            };
            let all: Vec<String> = status.iter().map(one).collect();
            parts.push(format!("\"status\":{{{}}}", all.join(",")));
        }
        format!("{{{}}}", parts.join(","))
    }

    /// What `/healthz` answers (port 10256): 503 if a proxier is not healthy, or if the node is about to go away, so that
    /// load balancers send no new connections to it.
    pub fn healthz(&self, node: Option<&Node>, now: Timestamp) -> Answer {
        let eligible = node.is_some_and(is_eligible);
        let healthy = self.healthy(now) && eligible;
        answer(healthy, self.body(now, healthy, Some(eligible)))
    }

    /// What `/livez` answers: as `/healthz`, whatever becomes of the node.
    pub fn livez(&self, now: Timestamp) -> Answer {
        let healthy = self.healthy(now);
        answer(healthy, self.body(now, healthy, None))
    }
}

/// Whether load balancers may send to a node: it is neither deleted nor about to be (`NodeEligible`).
fn is_eligible(node: &Node) -> bool {
    let taints = node.spec.as_ref().and_then(|s| s.taints.as_deref()).unwrap_or_default();
    node.metadata.deletion_timestamp.is_none() && taints.iter().all(|t| t.key != TO_BE_DELETED_TAINT)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::Mode;
    use super::super::testing::*;
    use super::*;

    /// After `TestServer` in `pkg/proxy/healthcheck/healthcheck_test.go`.
    #[test]
    fn a_node_with_a_ready_endpoint_is_healthy_for_a_service() {
        let (services, mut slices) = overall(false);
        let config = config(Mode::Iptables);
        let without = synced(&config, &(services.clone(), slices.clone()));
        let answer = without.service_health(30000, true).unwrap();
        assert_eq!(answer.status, 503);
        slices[1] =
            slice("ns2", "svc2", &[("10.180.0.2", NODE), ("10.180.0.7", NODE), ("10.180.0.8", "other")]);
        let with = synced(&config, &(services, slices));
        let answer = with.service_health(30000, true).unwrap();
        assert_eq!(answer.status, 200);
        assert_eq!(
            answer.body,
            "{\n\t\"service\": {\n\t\t\"namespace\": \"ns2\",\n\t\t\"name\": \"svc2\"\n\t},\n\t\"localEndpoints\": 2,\n\t\
             \"serviceProxyHealthy\": true\n}"
        );
        assert!(answer.headers.contains(&("X-Load-Balancing-Endpoint-Weight", "2".to_owned())));
        assert_eq!(with.service_health(30000, false).unwrap().status, 503);
        assert_eq!(with.service_health(30001, true), None);
    }

    /// After `TestHealthzServer`.
    #[test]
    fn a_proxier_that_keeps_a_change_for_too_long_is_not_healthy() {
        let node: Node =
            serde_json::from_value(json!({"apiVersion": "v1", "kind": "Node", "metadata": {}})).unwrap();
        let mut health = ProxyHealth::default();
        health.updated(Family::Ipv4, at(0));
        health.queued(Family::Ipv4, at(10));
        health.queued(Family::Ipv4, at(20));
        let fine = health.healthz(Some(&node), at(69));
        assert_eq!(fine.status, 200);
        assert_eq!(
            fine.body,
            "{\"lastUpdated\":\"1970-01-01T00:01:09Z\",\"currentTime\":\"1970-01-01T00:01:09Z\",\"nodeEligible\":true,\
             \"healthy\":true,\"status\":{\"IPv4\":{\"lastUpdated\":\"1970-01-01T00:00:00Z\",\"healthy\":true}}}"
        );
        assert_eq!(health.healthz(Some(&node), at(70)).status, 503);
        assert_eq!(health.livez(at(70)).status, 503);
        health.updated(Family::Ipv4, at(71));
        assert_eq!(health.livez(at(71)).status, 200);

        let mut leaving = node.clone();
        leaving.spec = serde_json::from_value(json!({"taints": [
            {"key": TO_BE_DELETED_TAINT, "effect": "NoSchedule"}
        ]}))
        .unwrap();
        assert_eq!(health.healthz(Some(&leaving), at(71)).status, 503);
        assert_eq!(health.livez(at(71)).status, 200);
    }
}
