//! What answers that is no pod: kube-apiserver, and the hosts outside of the cluster.

use std::net::IpAddr;
use std::rc::Rc;

use crate::apiserver::http;
use crate::network::{Outcome, Question, Response};

/// What kube-apiserver answers to somebody without credentials.
pub(super) fn of_api_server(question: &Question) -> Outcome {
    let Question::Fetch { tls, method, path, .. } = question else { return Outcome::Connected };
    let respond = |status: u16, content_type: &str, body: String| {
        Outcome::Answered(Rc::new(Response {
            status,
            server: "".into(),
            content_type: content_type.into(),
            body: body.into(),
            takes: Default::default(),
            by: None,
            location: "".into(),
            headers: Default::default(),
        }))
    };
    if !tls {
        return respond(400, "", "Client sent an HTTP request to an HTTPS server.\n".to_owned());
    }
    let name = path.split('?').next().unwrap_or_default();
    if matches!(name, "/healthz" | "/livez" | "/readyz") {
        return respond(200, "text/plain; charset=utf-8", "ok".to_owned());
    }
    // Like the paths above, this one is open to everybody (the role `system:public-info-viewer`).
    if matches!(name, "/version" | "/version/") {
        return respond(200, "application/json", http::version());
    }
    let verb = method.to_ascii_lowercase();
    let message = format!("forbidden: User \"system:anonymous\" cannot {verb} path \"{name}\"");
    let status = serde_json::json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message,
        "reason": "Forbidden", "details": {}, "code": 403,
    });
    respond(403, "application/json", serde_json::to_string_pretty(&status).unwrap_or_default())
}

/// What becomes of a packet that leaves the cluster: hosts of the internet answer, and nobody has a private address.
pub(super) fn outside(question: &Question, to: IpAddr) -> Outcome {
    let private = match to {
        IpAddr::V4(a) => a.is_private() || a.is_link_local() || a.is_unspecified(),
        IpAddr::V6(a) => (a.segments().first().copied().unwrap_or(0) & 0xfe00) == 0xfc00,
    };
    match question {
        _ if private => Outcome::TimedOut,
        Question::Fetch { .. } => Outcome::Answered(Rc::new(Response {
            status: 200,
            server: "".into(),
            content_type: "text/html".into(),
            body: "".into(),
            takes: Default::default(),
            by: None,
            location: "".into(),
            headers: Default::default(),
        })),
        _ => Outcome::Connected,
    }
}
