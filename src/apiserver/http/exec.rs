//! `pods/exec` and `pods/attach` (`pkg/registry/core/pod`: `ExecLocation`, `AttachLocation`; `k8s.io/kubelet/pkg/cri/streaming`;
//! KEP-4006).

use serde_json::json;

use super::log::{unknown_pod, unreachable};
use super::{Call, Result};
use crate::api::types::Pod;
use crate::api::{ApiKind as _, Key, Kind};
use crate::apimachinery::{
    AttachOptions, Attached, Cause, Channels, Details, ExecEnd, ExecOptions, Executed, HttpResponse,
    KubeletError, Status,
};

/// The subprotocol of the answer.
const PROTOCOL: &str = "v5.channel.k8s.io";

/// What stands on the channel of errors when a command has ended.
fn status_of(end: &ExecEnd, command: &[String]) -> Option<String> {
    let status = match end {
        ExecEnd::Runs => return None,
        ExecEnd::Exited(0) => json!({"metadata": {}, "status": "Success"}),
        ExecEnd::Exited(code) => {
            let causes = json!([{"reason": "ExitCode", "message": code.to_string()}]);
            let message = format!(
                "command terminated with non-zero exit code: error executing command [{}], exit code {code}",
                command.join(" ")
            );
            json!({
                "metadata": {}, "status": "Failure", "message": message, "reason": "NonZeroExitCode",
                "details": {"causes": causes},
            })
        }
        ExecEnd::NotStarted(why) => {
            let why = format!("error executing command in container: {why}");
            let message = format!("Internal error occurred: Internal error occurred: {why}");
            json!({
                "metadata": {}, "status": "Failure", "message": message, "reason": "InternalError",
                "details": {"causes": [{"message": why}]}, "code": 500,
            })
        }
    };
    Some(status.to_string())
}

/// The status for options that contradict themselves (`ValidatePodExecOptions`).
fn invalid(pod: &str, field: &str, message: &str) -> Status {
    let cause = Cause { reason: "FieldValueRequired".into(), message: message.into(), field: field.into() };
    let text = format!("PodExecOptions \"{pod}\" is invalid: {field}: {message}");
    let details = Details {
        name: pod.into(),
        kind: "PodExecOptions".into(),
        causes: vec![cause],
        ..Details::default()
    };
    Status::new(422, "Invalid", text).with(details)
}

impl Call<'_> {
    /// Executes a command in a container of a pod that has a node. The container was checked. The body of the request is
    /// what the command reads; the answer has all that it printed.
    pub(super) fn exec(&mut self, namespace: &str, name: &str) -> Result<HttpResponse> {
        let (container, node) = self.container_and_node(namespace, name)?;
        let command: Vec<String> = self.query.all("command").into_iter().map(str::to_owned).collect();
        if command.is_empty() {
            return Err(invalid(name, "command", "Required value"));
        }
        let stdin =
            if self.query.on("stdin") { String::from_utf8_lossy(&self.request.body) } else { "".into() };
        let stdin_open = self.query.on("stdin") && self.request.unfinished;
        let (stdin, no_streams) = (stdin.into_owned(), self.asks_for_no_stream());
        let options = ExecOptions { container, command, stdin, stdin_open, no_streams };
        let host = self.kubelet_host(&node)?;
        let (key, now) = (Key::new(namespace, name), self.api.now);
        let Executed { stdout, stderr, order, end, writes, exchanges } = self
            .kubelets
            .exec(&node, &key, &options, self.api, now)
            .map_err(|e| refused(e, "exec", &host, &key, &options.container))?;
        self.changed = writes;
        self.exchanges = exchanges;
        let status = status_of(&end, &options.command);
        Ok(switched(Channels { stdout, stderr, order, status, instance: String::new() }))
    }

    /// Attaches the client to the process of a container of a pod that has a node. The container was checked. The body of the request
    /// is what is written to the process; the answer has all that it has printed since it was started, of which a client leaves out
    /// what was there when it attached.
    pub(super) fn attach(&mut self, namespace: &str, name: &str) -> Result<HttpResponse> {
        let (container, node) = self.container_and_node(namespace, name)?;
        let stdin =
            if self.query.on("stdin") { String::from_utf8_lossy(&self.request.body) } else { "".into() };
        let options = AttachOptions {
            container,
            stdin: stdin.into_owned(),
            closes: self.query.on("stdin") && !self.request.unfinished,
            instance: self.request.attached.clone(),
            no_streams: self.asks_for_no_stream(),
        };
        let host = self.kubelet_host(&node)?;
        let (key, now) = (Key::new(namespace, name), self.api.now);
        let attached = self.kubelets.attach(&node, &key, &options, self.api, now);
        let Attached { stdout, stderr, order, instance, ended, took } =
            attached.map_err(|e| refused(e, "attach", &host, &key, &options.container))?;
        self.changed = took;
        // The streams end with the process, however that has ended.
        let status = if ended { status_of(&ExecEnd::Exited(0), &[]) } else { None };
        Ok(switched(Channels { stdout, stderr, order, status, instance }))
    }

    /// Whether a request is for none of the streams. A terminal has no standard error of its own (`NewOptions` of
    /// `k8s.io/kubelet/pkg/cri/streaming/remotecommand`).
    fn asks_for_no_stream(&self) -> bool {
        let on = |stream: &str| self.query.on(stream);
        !on("stdin") && !on("stdout") && (!on("stderr") || on("tty"))
    }

    /// The container that a request means, and the node of its pod.
    fn container_and_node(&self, namespace: &str, name: &str) -> Result<(String, String)> {
        let pod = Pod::from_object(self.object(Kind::POD, namespace, name)?);
        let spec = pod.and_then(|p| p.spec.as_ref()).ok_or_else(|| Status::not_found(Kind::POD, name))?;
        let container = match self.query.text("container") {
            "" => spec.containers.first().map(|c| c.name.clone()).unwrap_or_default(),
            named => named.to_owned(),
        };
        Ok((container, spec.node_name.as_deref().unwrap_or_default().to_owned()))
    }
}

/// The answer with streams.
fn switched(channels: Channels) -> HttpResponse {
    let content_type = PROTOCOL.to_owned();
    HttpResponse { status: 101, content_type, channels: Some(Box::new(channels)), ..HttpResponse::default() }
}

/// What the server says of a kubelet that has refused `exec` or `attach`.
fn refused(error: KubeletError, part: &str, host: &str, pod: &Key, container: &str) -> Status {
    match error {
        KubeletError::Refused(why) => Status::bad_request(why),
        KubeletError::Failed(why) => {
            Status::new(500, "InternalError", format!("Internal error occurred: {why}"))
        }
        KubeletError::NotFound => unknown_pod(&format!("pods/{part}"), &pod.name),
        KubeletError::Unreachable => {
            let path = format!("/{part}/{}/{}/{container}", pod.namespace, pod.name);
            unreachable("Post", host, &path)
        }
    }
}
