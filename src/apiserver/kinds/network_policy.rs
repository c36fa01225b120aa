//! NetworkPolicy.
//!
//! Read from Kubernetes' `pkg/apis/networking/types.go`, `pkg/apis/networking/v1/defaults.go`,
//! `pkg/apis/networking/validation/validation.go`, `pkg/registry/networking/networkpolicy/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change};
use crate::api::names::{is_valid_port_name, is_valid_port_num};
use crate::api::types::{IntOrString, NetworkPolicy, networking as net};
use crate::api::{Timestamp, intstr, labels};
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{invalid_each, label_selector, object_meta, object_meta_update};
use crate::apiserver::validation::{
    Errors, FieldError, Path, ip, json_strings, list, name_is_dns_subdomain, or_default,
};
use crate::apiserver::warnings;

impl Strategy for NetworkPolicy {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "Pod-Selector",
            "podSelector selects the pods to which this NetworkPolicy object applies. The array of rules is applied to any pods selected by this field. An empty selector matches all pods in the policy's namespace. Multiple network policies can select the same set of pods. In this case, the ingress rules for each are combined additively. This field is optional. If it is not specified, it defaults to an empty selector.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for!(convert, prepare_for_status_update, validate_status_update, field);

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        let spec = this.spec.get_or_insert_default();
        spec.pod_selector.get_or_insert_default();
        let into = spec.ingress.iter_mut().flatten().flat_map(|r| r.ports.iter_mut().flatten());
        let out = spec.egress.iter_mut().flatten().flat_map(|r| r.ports.iter_mut().flatten());
        into.chain(out).for_each(protocol);
        if spec.policy_types.as_ref().is_none_or(Vec::is_empty) {
            let types = spec.policy_types.insert(vec!["Ingress".into()]);
            if spec.egress.as_ref().is_some_and(|e| !e.is_empty()) {
                types.push("Egress".into());
            }
        }
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        if this.spec != old.spec {
            count_change(&mut Rc::make_mut(this).metadata, &old.metadata, true);
        }
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        validate_spec(errs, self, &[]);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        let none = net::NetworkPolicySpec::default();
        let before = or_default(&old.spec, &none);
        let from = list(&before.ingress).iter().flat_map(|r| list(&r.from));
        let to = list(&before.egress).iter().flat_map(|r| list(&r.to));
        let blocks = from.chain(to).filter_map(|p| p.ip_block.as_ref());
        let known: Vec<&str> = blocks
            .flat_map(|b| std::iter::once(&b.cidr).chain(list(&b.except)))
            .map(String::as_str)
            .collect();
        validate_spec(errs, self, &known);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        let Some(spec) = &self.spec else { return };
        let into = spec.ingress.iter().flatten().map(|r| &r.from).enumerate();
        let from = spec.egress.iter().flatten().map(|r| &r.to).enumerate();
        let rules =
            into.map(|(i, p)| ("ingress", "from", i, p)).chain(from.map(|(i, p)| ("egress", "to", i, p)));
        for (direction, field, i, peers) in rules {
            for (j, peer) in peers.iter().flatten().enumerate() {
                let Some(block) = &peer.ip_block else { continue };
                let at = Path::new("spec").child(direction).index(i).child(field).index(j).child("ipBlock");
                warnings::cidr(out, &block.cidr, &at.child("cidr"));
                for (k, except) in block.except.iter().flatten().enumerate() {
                    warnings::cidr(out, except, &at.child("except").index(k));
                }
            }
        }
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        self.warnings_on_create(out);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let selector = self.spec.as_ref().and_then(|s| s.pod_selector.clone()).unwrap_or_default();
        vec![name(&self.metadata), labels::format_label_selector(&selector), created(&self.metadata, now)]
    }
}

fn protocol(port: &mut net::NetworkPolicyPort) {
    port.protocol.get_or_insert_with(|| "TCP".into());
}

/// Validates the spec. `known` are ranges that the stored object has, which are not looked at again.
fn validate_spec(errs: &mut Errors, policy: &NetworkPolicy, known: &[&str]) {
    let path = Path::new("spec");
    let none = net::NetworkPolicySpec::default();
    let spec = or_default(&policy.spec, &none);
    label_selector(errs, spec.pod_selector.as_ref(), &path.child("podSelector"));
    for (i, rule) in list(&spec.ingress).iter().enumerate() {
        let at = path.child("ingress").index(i);
        ports_and_peers(errs, list(&rule.ports), ("from", list(&rule.from)), known, &at);
    }
    for (i, rule) in list(&spec.egress).iter().enumerate() {
        let at = path.child("egress").index(i);
        ports_and_peers(errs, list(&rule.ports), ("to", list(&rule.to)), known, &at);
    }
    let (at, types) = (path.child("policyTypes"), list(&spec.policy_types));
    if types.len() > 2 {
        errs.push(FieldError::invalid(&at, json_strings(types), "may not specify more than two policyTypes"));
        return;
    }
    for (i, kind) in types.iter().enumerate().filter(|(_, k)| !matches!(k.as_str(), "Ingress" | "Egress")) {
        errs.push(FieldError::not_supported(&at.index(i), kind, &["Ingress", "Egress"]));
    }
}

fn ports_and_peers(
    errs: &mut Errors,
    ports: &[net::NetworkPolicyPort],
    (field, peers): (&'static str, &[net::NetworkPolicyPeer]),
    known: &[&str],
    path: &Path,
) {
    for (i, port) in ports.iter().enumerate() {
        policy_port(errs, port, &path.child("ports").index(i));
    }
    for (i, peer) in peers.iter().enumerate() {
        let at = path.child(field).index(i);
        let selectors =
            [("podSelector", &peer.pod_selector), ("namespaceSelector", &peer.namespace_selector)];
        for (name, selector) in selectors {
            label_selector(errs, selector.as_ref(), &at.child(name));
        }
        let selected = selectors.iter().any(|(_, s)| s.is_some());
        match &peer.ip_block {
            Some(block) => ip_block(errs, block, known, &at.child("ipBlock")),
            None if !selected => errs.push(FieldError::required(&at, "must specify a peer")),
            None => {}
        }
        if selected && peer.ip_block.is_some() {
            errs.push(FieldError::forbidden(&at, "may not specify both ipBlock and another peer"));
        }
    }
}

fn policy_port(errs: &mut Errors, port: &net::NetworkPolicyPort, path: &Path) {
    if let Some(protocol) = &port.protocol
        && !matches!(protocol.as_str(), "TCP" | "UDP" | "SCTP")
    {
        errs.push(FieldError::not_supported(&path.child("protocol"), protocol, &["TCP", "UDP", "SCTP"]));
    }
    let (at, end) = (path.child("port"), path.child("endPort"));
    let refuse_end = |errs: &mut Errors, message: &str| {
        errs.extend(port.end_port.map(|n| FieldError::invalid(&end, n, message)));
    };
    match &port.port {
        Some(IntOrString::Int(number)) => {
            let messages = is_valid_port_num((*number).into()).into_iter();
            errs.extend(messages.map(|m| FieldError::invalid(&at, *number, m)));
            if port.end_port.is_some_and(|end| end < *number) {
                // The value in Kubernetes' message is that of `port`.
                errs.push(FieldError::invalid(&end, *number, "must be greater than or equal to `port`"));
            }
            for message in port.end_port.map(|end| is_valid_port_num(end.into())).unwrap_or_default() {
                refuse_end(errs, &message);
            }
        }
        Some(name @ IntOrString::String(_)) => {
            refuse_end(errs, "may not be specified when `port` is non-numeric");
            let name = intstr::to_string(name);
            invalid_each(errs, &at, &name, is_valid_port_name(&name));
        }
        None => refuse_end(errs, "may not be specified when `port` is not specified"),
    }
}

fn ip_block(errs: &mut Errors, block: &net::IPBlock, known: &[&str], path: &Path) {
    let at = path.child("cidr");
    if block.cidr.is_empty() {
        errs.push(FieldError::required(&at, ""));
        return;
    }
    let check = |errs: &mut Errors, value: &str, at: &Path| {
        if !known.contains(&value) {
            ip::legacy_cidr(errs, value, at);
        }
        ip::parse_cidr(value)
    };
    let Some(all) = check(errs, &block.cidr, &at) else { return };
    for (i, except) in list(&block.except).iter().enumerate() {
        let at = path.child("except").index(i);
        if let Some(range) = check(errs, except, &at)
            && !ip::is_strict_subset(range, all)
        {
            errs.push(FieldError::invalid(&at, except, "must be a strict subset of `cidr`"));
        }
    }
}
