//! `kubectl create service` (`kubectl/pkg/cmd/create/create_service.go`).

use serde_json::{Value, json};

use super::command::{self, CREATED, CliCommand, VALIDATE, sub};
use super::flags::{Args, Flag, int, slice, text};
use super::generate::{make, name};
use super::invocation::{Invocation, Result, fail};
use super::output::PRINT;
use crate::api::Kind;
use crate::api::names::{is_dns1123_subdomain, is_valid_port_name, is_valid_port_num};
use crate::api::quote::go_quote;

const TCP: &[Flag] = &[slice("tcp")];
const CLUSTER_IP: &[Flag] = &[text("clusterip")];
const NODE_PORT: &[Flag] = &[int("node-port")];
const EXTERNAL_NAME: &[Flag] = &[text("external-name")];

/// `create service TYPE`
pub(super) const TYPES: &[CliCommand] = &[
    sub("clusterip", &[], &[PRINT, CREATED, VALIDATE, TCP, CLUSTER_IP], &[], cluster_ip),
    sub("nodeport", &[], &[PRINT, CREATED, VALIDATE, TCP, NODE_PORT], &[], node_port),
    sub("loadbalancer", &[], &[PRINT, CREATED, VALIDATE, TCP], &[], load_balancer),
    sub(
        "externalname",
        &[],
        &[PRINT, CREATED, VALIDATE, TCP, EXTERNAL_NAME],
        &["external-name"],
        external_name,
    ),
];

/// `create service` without a type.
pub(super) fn group(cx: &mut Invocation<'_>, args: &Args) -> Result {
    command::group(cx, args, "kubectl create service", "Create a service using a specified subcommand.\n")
}

fn cluster_ip(cx: &mut Invocation<'_>, args: &Args) -> Result {
    service(cx, args, "ClusterIP")
}
fn node_port(cx: &mut Invocation<'_>, args: &Args) -> Result {
    service(cx, args, "NodePort")
}
fn load_balancer(cx: &mut Invocation<'_>, args: &Args) -> Result {
    service(cx, args, "LoadBalancer")
}
fn external_name(cx: &mut Invocation<'_>, args: &Args) -> Result {
    service(cx, args, "ExternalName")
}

fn service(cx: &mut Invocation<'_>, args: &Args, type_: &str) -> Result {
    let name = name(args)?;
    let headless = args.text("clusterip") == "None";
    if args.all("tcp").is_empty() && type_ != "ExternalName" && !headless {
        return fail("at least one tcp port specifier must be provided");
    }
    let external = args.text("external-name");
    if type_ == "ExternalName" && !is_dns1123_subdomain(external).is_empty() {
        return fail(format!("invalid service external name {external}"));
    }
    let mut ports = Vec::new();
    for spec in args.all("tcp") {
        let (port, target) = match parse_ports(spec) {
            Ok(ports) => ports,
            Err(why) => return fail(why),
        };
        let mut p =
            json!({"name": spec.replace(':', "-"), "port": port, "protocol": "TCP", "targetPort": target});
        if let Some(n) = args.int("node-port").filter(|n| *n > 0) {
            p["nodePort"] = n.into();
        }
        ports.push(p);
    }
    let mut spec = json!({"selector": {"app": name}, "type": type_});
    if !ports.is_empty() {
        spec["ports"] = Value::Array(ports);
    }
    if !args.text("clusterip").is_empty() {
        spec["clusterIP"] = args.text("clusterip").into();
    }
    if type_ == "ExternalName" {
        spec["externalName"] = external.into();
    }
    let value = json!({"metadata": {"labels": {"app": name}, "name": name}, "spec": spec, "status": {"loadBalancer": {}}});
    make(cx, args, Kind::SERVICE, value, &format!("{type_} service"))
}

/// A port and its target, as `PORT` or `PORT:TARGET`; what stands behind a second colon is not looked at (`parsePorts`).
fn parse_ports(spec: &str) -> std::result::Result<(u16, Value), String> {
    let mut parts = spec.split(':');
    let port = parts.next().unwrap_or_default();
    let wrong = |what: &str| format!("strconv.ParseUint: parsing {}: {what}", go_quote(port));
    if port.is_empty() || !port.bytes().all(|b| b.is_ascii_digit()) {
        return Err(wrong("invalid syntax"));
    }
    let port: u16 = port.parse().map_err(|_| wrong("value out of range"))?;
    let Some(target) = parts.next() else { return Ok((port, port.into())) };
    let (target, errors) = match target.parse::<i64>() {
        Ok(number) => (number.into(), is_valid_port_num(number)),
        Err(_) => (target.into(), is_valid_port_name(target)),
    };
    if errors.is_empty() { Ok((port, target)) } else { Err(errors.join(",")) }
}
