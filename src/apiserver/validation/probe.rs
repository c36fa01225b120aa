//! Probes and lifecycle handlers.

use crate::api::names::{is_valid_port_name, is_valid_port_num};
use crate::api::types as t;
use t::IntOrString;

use super::field::{Errors, FieldError, Path};
use super::meta::non_negative;
use super::{list, names, text};

/// The actions of a probe or of a lifecycle event; at most one may be there.
#[derive(Default)]
struct Handler<'a> {
    exec: Option<&'a t::ExecAction>,
    http_get: Option<&'a t::HTTPGetAction>,
    tcp_socket: Option<&'a t::TCPSocketAction>,
    grpc: Option<&'a t::GRPCAction>,
    sleep: Option<&'a t::SleepAction>,
}

/// A port's number, or the name of one.
pub(in crate::apiserver) fn port_number_or_name(errs: &mut Errors, port: &IntOrString, path: &Path) {
    match port {
        IntOrString::Int(n) => {
            let messages = is_valid_port_num((*n).into()).into_iter();
            errs.extend(messages.map(|m| FieldError::invalid(path, *n, m)));
        }
        IntOrString::String(name) => super::meta::invalid_each(errs, path, name, is_valid_port_name(name)),
    }
}

fn http_get(errs: &mut Errors, get: &t::HTTPGetAction, path: &Path) {
    if text(&get.path).is_empty() {
        errs.push(FieldError::required(&path.child("path"), ""));
    }
    port_number_or_name(errs, &get.port, &path.child("port"));
    let scheme = text(&get.scheme);
    if !matches!(scheme, "HTTP" | "HTTPS") {
        errs.push(FieldError::not_supported(&path.child("scheme"), scheme, &["HTTP", "HTTPS"]));
    }
    for header in list(&get.http_headers) {
        let messages = names::http_header_name(&header.name);
        super::meta::invalid_each(errs, &path.child("httpHeaders"), &header.name, messages);
    }
}

/// `grace` is the pod's grace period in seconds.
fn handler(errs: &mut Errors, handler: &Handler<'_>, grace: Option<i64>, path: &Path) {
    let mut count = 0;
    // Only the first action is looked into.
    let mut first = |errs: &mut Errors, name: &'static str| {
        count += 1;
        if count > 1 {
            errs.push(FieldError::forbidden(&path.child(name), "may not specify more than 1 handler type"));
        }
        count == 1
    };
    if let Some(exec) = handler.exec
        && first(errs, "exec")
        && list(&exec.command).is_empty()
    {
        errs.push(FieldError::required(&path.child("exec").child("command"), ""));
    }
    if let Some(get) = handler.http_get
        && first(errs, "httpGet")
    {
        http_get(errs, get, &path.child("httpGet"));
    }
    if let Some(tcp) = handler.tcp_socket
        && first(errs, "tcpSocket")
    {
        port_number_or_name(errs, &tcp.port, &path.child("tcpSocket").child("port"));
    }
    if let Some(grpc) = handler.grpc
        && first(errs, "grpc")
    {
        port_number_or_name(errs, &IntOrString::Int(grpc.port), &path.child("grpc").child("port"));
    }
    if let Some(sleep) = handler.sleep
        && first(errs, "sleep")
        && let Some(grace) = grace
        && (sleep.seconds < 0 || sleep.seconds > grace)
    {
        errs.push(FieldError::invalid(
            &path.child("sleep"),
            sleep.seconds,
            format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})"),
        ));
    }
    if count == 0 {
        errs.push(FieldError::required(path, "must specify a handler type"));
    }
}

/// What happens after a container's start and before its stop.
pub(in crate::apiserver) fn lifecycle(
    errs: &mut Errors,
    lifecycle: Option<&t::Lifecycle>,
    grace: Option<i64>,
    path: &Path,
) {
    let Some(lifecycle) = lifecycle else { return };
    for (name, h) in [("postStart", &lifecycle.post_start), ("preStop", &lifecycle.pre_stop)] {
        if let Some(h) = h {
            let h = Handler {
                exec: h.exec.as_ref(),
                http_get: h.http_get.as_ref(),
                tcp_socket: h.tcp_socket.as_ref(),
                sleep: h.sleep.as_ref(),
                grpc: None,
            };
            handler(errs, &h, grace, &path.child(name));
        }
    }
}

/// The three probes of a container.
pub(in crate::apiserver) fn probes(errs: &mut Errors, container: &t::Container, path: &Path) {
    if let Some(p) = &container.liveness_probe {
        let at = path.child("livenessProbe");
        probe(errs, p, &at);
        success_once(errs, p, &at);
    }
    if let Some(p) = &container.readiness_probe {
        let at = path.child("readinessProbe");
        probe(errs, p, &at);
        if let Some(seconds) = p.termination_grace_period_seconds {
            let at = at.child("terminationGracePeriodSeconds");
            errs.push(FieldError::invalid(&at, seconds, "must not be set for readinessProbes"));
        }
    }
    if let Some(p) = &container.startup_probe {
        let at = path.child("startupProbe");
        probe(errs, p, &at);
        success_once(errs, p, &at);
    }
}

fn success_once(errs: &mut Errors, probe: &t::Probe, path: &Path) {
    let threshold = probe.success_threshold.unwrap_or_default();
    if threshold != 1 {
        errs.push(FieldError::invalid(&path.child("successThreshold"), threshold, "must be 1"));
    }
}

fn probe(errs: &mut Errors, probe: &t::Probe, path: &Path) {
    let h = Handler {
        exec: probe.exec.as_ref(),
        http_get: probe.http_get.as_ref(),
        tcp_socket: probe.tcp_socket.as_ref(),
        grpc: probe.grpc.as_ref(),
        sleep: None,
    };
    handler(errs, &h, None, path);
    for (name, value) in [
        ("initialDelaySeconds", probe.initial_delay_seconds),
        ("timeoutSeconds", probe.timeout_seconds),
        ("periodSeconds", probe.period_seconds),
        ("successThreshold", probe.success_threshold),
        ("failureThreshold", probe.failure_threshold),
    ] {
        non_negative(errs, value.unwrap_or_default(), &path.child(name));
    }
    if let Some(seconds) = probe.termination_grace_period_seconds.filter(|s| *s <= 0) {
        let at = path.child("terminationGracePeriodSeconds");
        errs.push(FieldError::invalid(&at, seconds, "must be greater than 0"));
    }
}
