//! `pods/exec` (`pkg/registry/core/pod`: `ExecLocation`; `k8s.io/kubelet/pkg/cri/streaming`; KEP-4006).

use serde_json::json;

use super::log::{unknown_pod, unreachable};
use super::{Call, Result};
use crate::api::types::Pod;
use crate::api::{ApiKind as _, Key, Kind};
use crate::apimachinery::{
    Cause, Channels, Details, ExecEnd, ExecOptions, Executed, HttpResponse, KubeletError, Status,
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
        let pod = Pod::from_object(self.object(Kind::POD, namespace, name)?);
        let spec = pod.and_then(|p| p.spec.as_ref()).ok_or_else(|| Status::not_found(Kind::POD, name))?;
        let container = match self.query.text("container") {
            "" => spec.containers.first().map(|c| c.name.clone()).unwrap_or_default(),
            named => named.to_owned(),
        };
        let node = spec.node_name.as_deref().unwrap_or_default().to_owned();
        let command: Vec<String> = self.query.all("command").into_iter().map(str::to_owned).collect();
        if command.is_empty() {
            return Err(invalid(name, "command", "Required value"));
        }
        let stdin =
            if self.query.on("stdin") { String::from_utf8_lossy(&self.request.body) } else { "".into() };
        let stdin_open = self.query.on("stdin") && self.request.unfinished;
        let options = ExecOptions { container, command, stdin: stdin.into_owned(), stdin_open };
        let host = self.kubelet_host(&node)?;
        let (key, now) = (Key::new(namespace, name), self.api.now);
        let Executed { stdout, stderr, end, writes, exchanges } =
            self.kubelets.exec(&node, &key, &options, self.api, now).map_err(|e| match e {
                KubeletError::Refused(why) => Status::bad_request(why),
                KubeletError::Failed(why) => {
                    Status::new(500, "InternalError", format!("Internal error occurred: {why}"))
                }
                KubeletError::NotFound => unknown_pod("pods/exec", name),
                KubeletError::Unreachable => {
                    let path = format!("/exec/{namespace}/{name}/{}", options.container);
                    unreachable("Post", &host, &path)
                }
            })?;
        self.changed = writes;
        self.exchanges = exchanges;
        let channels = Channels { stdout, stderr, status: status_of(&end, &options.command) };
        let content_type = PROTOCOL.to_owned();
        Ok(HttpResponse {
            status: 101,
            content_type,
            channels: Some(Box::new(channels)),
            ..HttpResponse::default()
        })
    }
}
