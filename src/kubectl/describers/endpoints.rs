//! Endpoints, EndpointSlices and ServiceAccounts.

use super::super::invocation::{Invocation, Result};
use super::{Writer, head};
use crate::api::Object;
use crate::api::types::{EndpointAddress, EndpointSlice, Endpoints, ServiceAccount};

const UNSET: &str = "<unset>";

pub(in super::super) fn endpoints(_: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(endpoints) = object.get::<Endpoints>() else { return Ok(true) };
    head::named(w, object);
    head::marks(w, object);
    w.line(0, "Subsets:");
    for subset in endpoints.subsets.iter().flatten() {
        let joined = |all: &Option<Vec<EndpointAddress>>| {
            let ips: Vec<&str> = all.iter().flatten().map(|a| a.ip.as_str()).collect();
            if ips.is_empty() { "<none>".to_owned() } else { ips.join(",") }
        };
        w.line(1, &format!("Addresses:\t{}", joined(&subset.addresses)));
        w.line(1, &format!("NotReadyAddresses:\t{}", joined(&subset.not_ready_addresses)));
        let ports = subset.ports.as_deref().unwrap_or_default();
        if !ports.is_empty() {
            w.line(1, "Ports:");
            w.line(2, "Name\tPort\tProtocol");
            w.line(2, "----\t----\t--------");
        }
        for port in ports {
            let name = port.name.as_deref().filter(|n| !n.is_empty()).unwrap_or(UNSET);
            let protocol = port.protocol.as_deref().unwrap_or_default();
            w.line(2, &format!("{name}\t{}\t{protocol}", port.port));
        }
        w.line(0, "");
    }
    Ok(true)
}

pub(in super::super) fn endpoint_slice(
    _: &mut Invocation<'_>,
    w: &mut Writer,
    object: &Object,
) -> Result<bool> {
    let Some(slice) = object.get::<EndpointSlice>() else { return Ok(true) };
    head::named(w, object);
    head::marks(w, object);
    w.line(0, &format!("AddressType:\t{}", slice.address_type));
    match slice.ports.as_deref().unwrap_or_default() {
        [] => w.line(0, "Ports: <unset>"),
        ports => {
            w.line(0, "Ports:");
            w.line(1, "Name\tPort\tProtocol");
            w.line(1, "----\t----\t--------");
            for port in ports {
                let name = port.name.as_deref().filter(|n| !n.is_empty()).unwrap_or(UNSET);
                let number = port.port.map_or_else(|| UNSET.to_owned(), |p| p.to_string());
                w.line(1, &format!("{name}\t{number}\t{}", port.protocol.as_deref().unwrap_or_default()));
            }
        }
    }
    let endpoints = slice.endpoints.as_deref().unwrap_or_default();
    w.line(0, if endpoints.is_empty() { "Endpoints: <none>" } else { "Endpoints:" });
    for endpoint in endpoints {
        let addresses = endpoint.addresses.join(", ");
        let addresses = if addresses.is_empty() { "<none>" } else { &addresses };
        w.line(1, &format!("- Addresses:\t{addresses}"));
        w.line(2, "Conditions:");
        let ready = endpoint.conditions.as_ref().and_then(|c| c.ready);
        w.line(3, &format!("Ready:\t{}", ready.map_or_else(|| UNSET.to_owned(), |r| r.to_string())));
        let or_unset = |text: &Option<String>| text.clone().unwrap_or_else(|| UNSET.to_owned());
        w.line(2, &format!("Hostname:\t{}", or_unset(&endpoint.hostname)));
        if let Some(target) = &endpoint.target_ref {
            let text = |t: &Option<String>| t.clone().unwrap_or_default();
            w.line(2, &format!("TargetRef:\t{}/{}", text(&target.kind), text(&target.name)));
        }
        w.line(2, &format!("NodeName:\t{}", or_unset(&endpoint.node_name)));
        w.line(2, &format!("Zone:\t{}", or_unset(&endpoint.zone)));
    }
    Ok(true)
}

pub(in super::super) fn service_account(
    _: &mut Invocation<'_>,
    w: &mut Writer,
    object: &Object,
) -> Result<bool> {
    let Some(account) = object.get::<ServiceAccount>() else { return Ok(true) };
    head::named(w, object);
    head::marks(w, object);
    let secrets = account.image_pull_secrets.iter().flatten();
    let names: Vec<&str> = secrets.map(|s| s.name.as_str()).collect();
    let shown = if names.is_empty() { "<none>".to_owned() } else { names.join("\n\t") };
    w.line(0, &format!("Image pull secrets:\t{shown}"));
    Ok(true)
}
