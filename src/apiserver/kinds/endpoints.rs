//! Endpoints.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/{conversion,defaults}.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/endpoint/strategy.go`,
//! `pkg/registry/core/endpoint/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, NAME, SelectableFields, Strategy};
use crate::api::names::is_valid_port_num;
use crate::api::types::{self as t, Endpoints};
use crate::api::well_known::ENDPOINTS_MANAGED_BY_LABEL;
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::printers::{created, listed, name};
use crate::apiserver::validation::container::protocol;
use crate::apiserver::validation::meta::{invalid_each, object_meta, object_meta_update};
use crate::apiserver::validation::names::{self, name_is_dns_subdomain};
use crate::apiserver::validation::{Errors, FieldError, Path, ip, list, semantic_eq, text};
use crate::apiserver::{defaults, warnings};

/// Its value where the endpoints controller does.
const CONTROLLER: &str = "endpoint-controller";

impl Strategy for Endpoints {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "Endpoints",
            "The set of all endpoints is the union of all subsets. Addresses are placed into subsets according to the IPs they share. A single address with multiple ports, some of which are ready and some of which are not (because they come from different containers) will result in the address being displayed in different subsets for the different ports. No address will appear in both Addresses and NotReadyAddresses in the same subset. Sets of addresses and ports that comprise a service.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = true;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage { prefix: Some("services/endpoints"), ..Storage::PLAIN };

    nothing_for! {
        convert, prepare_for_create, prepare_for_update, prepare_for_status_update, validate_status_update,
        field
    }

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        let ports = this.subsets.iter_mut().flatten().flat_map(|s| s.ports.iter_mut().flatten());
        ports.for_each(|p| defaults::default(&mut p.protocol, "TCP"));
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        validate_subsets(errs, list(&self.subsets));
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        // Addresses that were stored when there were fewer rules may stay, if all of them do.
        let mut wrong = Errors::new();
        validate_subsets(&mut wrong, list(&self.subsets));
        if !wrong.is_empty() && !semantic_eq(&self.subsets, &old.subsets) {
            errs.append(&mut wrong);
        }
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        warn_of_addresses(out, self);
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        warn_of_addresses(out, self);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let mut all = Vec::new();
        for subset in self.subsets.iter().flatten() {
            let addresses = || subset.addresses.iter().flatten();
            let ports = subset.ports.as_deref().unwrap_or_default();
            if ports.is_empty() {
                all.extend(addresses().map(|a| a.ip.clone()));
            }
            for port in ports {
                all.extend(addresses().map(|a| join(&a.ip, port.port)));
            }
        }
        // Subsets without a ready address make an empty cell.
        let none = if self.subsets.as_ref().is_none_or(Vec::is_empty) { "<none>" } else { "" };
        vec![name(&self.metadata), listed(&all, none), created(&self.metadata, now)]
    }
}

fn validate_subsets(errs: &mut Errors, subsets: &[t::EndpointSubset]) {
    for (i, subset) in subsets.iter().enumerate() {
        let path = Path::new("subsets").index(i);
        let (ready, not_ready) = (list(&subset.addresses), list(&subset.not_ready_addresses));
        if ready.is_empty() && not_ready.is_empty() {
            errs.push(FieldError::required(&path, "must specify `addresses` or `notReadyAddresses`"));
        }
        for (name, addresses) in [("addresses", ready), ("notReadyAddresses", not_ready)] {
            for (i, a) in addresses.iter().enumerate() {
                address(errs, a, &path.child(name).index(i));
            }
        }
        let ports = list(&subset.ports);
        for (i, p) in ports.iter().enumerate() {
            port(errs, p, ports.len() > 1, &path.child("ports").index(i));
        }
    }
}

fn address(errs: &mut Errors, a: &t::EndpointAddress, path: &Path) {
    ip::legacy_ip(errs, &a.ip, &path.child("ip"));
    let host = text(&a.hostname);
    if !host.is_empty() {
        invalid_each(errs, &path.child("hostname"), host, names::dns1123_label(host));
    }
    if let Some(node) = &a.node_name {
        invalid_each(errs, &path.child("nodeName"), node, names::dns1123_subdomain(node));
    }
    // This rule is asked of an address that is refused already, too.
    ip::endpoint_ip(errs, &a.ip, &path.child("ip"));
}

fn port(errs: &mut Errors, p: &t::EndpointPort, named: bool, path: &Path) {
    let name = text(&p.name);
    if named && name.is_empty() {
        errs.push(FieldError::required(&path.child("name"), ""));
    } else if !name.is_empty() {
        invalid_each(errs, &path.child("name"), name, names::dns1123_label(name));
    }
    let messages = is_valid_port_num(p.port.into());
    errs.extend(messages.into_iter().map(|m| FieldError::invalid(&path.child("port"), p.port, m)));
    protocol(errs, text(&p.protocol), &path.child("protocol"));
    if let Some(name) = &p.app_protocol {
        invalid_each(errs, &path.child("appProtocol"), name, names::qualified_name(name));
    }
}

/// `net.JoinHostPort`
fn join(ip: &str, port: i32) -> String {
    if ip.contains(':') { format!("[{ip}]:{port}") } else { format!("{ip}:{port}") }
}

/// Warns of addresses that are not written as they should be (`endpointsWarnings`). What the endpoints controller wrote
/// is not looked at: it writes every address in its canonical form.
fn warn_of_addresses(out: &mut Vec<String>, endpoints: &Endpoints) {
    if endpoints.metadata.labels_or_empty().get(ENDPOINTS_MANAGED_BY_LABEL).is_some_and(|by| by == CONTROLLER)
    {
        return;
    }
    for (i, subset) in list(&endpoints.subsets).iter().enumerate() {
        let path = Path::new("subsets").index(i);
        for (name, addresses) in
            [("addresses", &subset.addresses), ("notReadyAddresses", &subset.not_ready_addresses)]
        {
            for (j, address) in list(addresses).iter().enumerate() {
                warnings::ip(out, &address.ip, &path.child(name).index(j).child("ip"));
            }
        }
    }
}
