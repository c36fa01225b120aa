//! `pods/log` (`pkg/registry/core/pod`: `LogLocation`, `rest/log.go`; `pkg/apis/core/validation`:
//! `ValidatePodLogOptions`).

use jiff::SignedDuration;

use super::followed_log::FollowedLog;
use super::{Call, Result, Stream};
use crate::api::go_types::{RFC3339, unparsable_time};
use crate::api::quote::go_quote;
use crate::api::types::{Node, Pod};
use crate::api::{ApiKind as _, Key, Kind, Timestamp};
use crate::apimachinery::{
    Cause, ContainerLog, Details, HttpResponse, KubeletError, LogOptions, Query, Status,
};

/// The port of a kubelet.
const KUBELET_PORT: u16 = 10250;

/// The options of a request for a log.
///
/// # Errors
/// 400 for what is no number, 422 for what contradicts itself.
fn options(query: &Query, pod: &str, now: Timestamp) -> Result<LogOptions> {
    let mut causes: Vec<Cause> = Vec::new();
    let mut refuse = |reason: &str, field: &str, message: String| {
        causes.push(Cause { reason: reason.into(), message, field: field.into() });
    };
    let (tail, limit) = (query.number("tailLines")?, query.number("limitBytes")?);
    let seconds = query.number("sinceSeconds")?;
    let since_time = match query.text("sinceTime") {
        "" => None,
        text => {
            Some(text.parse::<Timestamp>().map_err(|_| Status::bad_request(unparsable_time(text, RFC3339)))?)
        }
    };
    if let Some(tail) = tail.filter(|t| *t < 0) {
        let m = format!("Invalid value: {tail}: must be greater than or equal to 0");
        refuse("FieldValueInvalid", "tailLines", m);
    }
    if let Some(limit) = limit.filter(|l| *l < 1) {
        refuse("FieldValueInvalid", "limitBytes", format!("Invalid value: {limit}: must be greater than 0"));
    }
    if seconds.is_some() && since_time.is_some() {
        let m = "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified";
        refuse("FieldValueForbidden", "", m.into());
    } else if let Some(seconds) = seconds.filter(|s| *s < 1) {
        let m = format!("Invalid value: {seconds}: must be greater than 0");
        refuse("FieldValueInvalid", "sinceSeconds", m);
    }
    let stderr = match query.text("stream") {
        "" | "All" => None,
        "Stdout" => Some(false),
        "Stderr" => Some(true),
        other => {
            let m = format!(
                "Unsupported value: {}: supported values: \"All\", \"Stderr\", \"Stdout\"",
                go_quote(other)
            );
            refuse("FieldValueNotSupported", "stream", m);
            None
        }
    };
    if tail.is_some() && stderr.is_some() {
        let m = "Forbidden: `tailLines` and specific `stream` are mutually exclusive for now";
        refuse("FieldValueForbidden", "", m.into());
    }
    if !causes.is_empty() {
        let text = |c: &Cause| match c.field.as_str() {
            "" => format!("<nil>: {}", c.message),
            field => format!("{field}: {}", c.message),
        };
        let texts: Vec<String> = causes.iter().map(text).collect();
        let joined = match texts.as_slice() {
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        let message = format!("PodLogOptions {} is invalid: {joined}", go_quote(pod));
        let details =
            Details { name: pod.into(), kind: "PodLogOptions".into(), causes, ..Details::default() };
        return Err(Status::new(422, "Invalid", message).with(details));
    }
    let count = |n: i64| usize::try_from(n).unwrap_or(usize::MAX);
    Ok(LogOptions {
        container: query.text("container").into(),
        follow: query.on("follow"),
        previous: query.on("previous"),
        since: since_time.or_else(|| now.checked_sub(SignedDuration::from_secs(seconds?)).ok()),
        timestamps: query.on("timestamps"),
        tail_lines: tail.map(count),
        limit_bytes: limit.map(count),
        stderr,
    })
}

/// The status for a pod that its kubelet does not know (`NewGenericServerResponse` without a verb).
pub(super) fn unknown_pod(resource: &str, name: &str) -> Status {
    let message = format!("the server could not find the requested resource ( {resource} {name})");
    let details = Details { kind: resource.into(), name: name.into(), ..Details::default() };
    Status::new(404, "NotFound", message).with(details)
}

/// The status for a kubelet that cannot be reached.
pub(super) fn unreachable(verb: &str, host: &str, path: &str) -> Status {
    let why = format!("{verb} \"https://{host}{path}\": dial tcp {host}: connect: no route to host");
    Status::new(500, "", why)
}

impl Call<'_> {
    /// The address and the port of a node's kubelet.
    pub(super) fn kubelet_host(&mut self, node: &str) -> Result<String> {
        let address = Node::from_object(self.object(Kind::NODE, "", node)?)
            .and_then(|n| n.status.as_ref()?.addresses.as_ref())
            .and_then(|all| all.iter().find(|a| a.type_ == "InternalIP").map(|a| a.address.clone()));
        Ok(format!("{}:{KUBELET_PORT}", address.as_deref().unwrap_or(node)))
    }

    /// Answers a request for the log of a container of a pod that has a node. The container was checked.
    pub(super) fn log(&mut self, namespace: &str, name: &str) -> Result<HttpResponse> {
        let now = self.api.now;
        let mut options = options(&self.query, name, now)?;
        let pod = Pod::from_object(self.object(Kind::POD, namespace, name)?);
        let spec = pod.and_then(|p| p.spec.as_ref()).ok_or_else(|| Status::not_found(Kind::POD, name))?;
        if options.container.is_empty() {
            options.container = spec.containers.first().map(|c| c.name.clone()).unwrap_or_default();
        }
        let node = spec.node_name.as_deref().unwrap_or_default().to_owned();
        let host = self.kubelet_host(&node)?;
        let pod = Key::new(namespace, name);
        let ContainerLog { text, next, ended } =
            self.kubelets.log(&node, &pod, &options, None, now).map_err(|e| match e {
                KubeletError::Refused(why) => Status::bad_request(why),
                KubeletError::Failed(why) => Status::new(500, "", why),
                KubeletError::NotFound => unknown_pod("pods/log", name),
                KubeletError::Unreachable => {
                    let path = format!("/containerLogs/{namespace}/{name}/{}", options.container);
                    unreachable("Get", &host, &path)
                }
            })?;
        if !options.follow {
            return Ok(HttpResponse::text(200, &text));
        }
        let log = FollowedLog { node, pod, options, first: Some(text), next, ended };
        self.stream = Some(Stream::log(log));
        Ok(HttpResponse::text(200, ""))
    }
}
