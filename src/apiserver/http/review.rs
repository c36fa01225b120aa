//! Reviews: who one is and what one may do (`pkg/registry/authorization`, `pkg/registry/authentication`).
//! They are answered and not stored. Nobody is asked who they are here, so everybody is the anonymous
//! user, and everybody may do everything (`authorizerfactory.NewAlwaysAllowAuthorizer`).

use serde_json::{Value, json};

use crate::api::go_types::{self, Json};
use crate::apimachinery::{HttpRequest, Status};
use crate::apiserver::{ANONYMOUS, UNAUTHENTICATED};

/// The answer to a review; `None` if the request is none.
pub(super) fn of(kind: &str, request: &HttpRequest) -> Result<Option<Value>, Status> {
    let (api_version, status) = match kind {
        "SelfSubjectAccessReview" | "SubjectAccessReview" | "LocalSubjectAccessReview" => {
            ("authorization.k8s.io/v1", json!({"allowed": true}))
        }
        "SelfSubjectRulesReview" => (
            "authorization.k8s.io/v1",
            json!({
                "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
                "incomplete": false,
            }),
        ),
        "SelfSubjectReview" => (
            "authentication.k8s.io/v1",
            json!({"userInfo": {"username": ANONYMOUS, "groups": [UNAUTHENTICATED]}}),
        ),
        _ => return Ok(None),
    };
    if request.method != "POST" {
        return Ok(None);
    }
    let media = request.content_type.split(';').next().unwrap_or_default().trim();
    let body = match media {
        "" | "application/json" => go_types::parse(&request.body)
            .map_err(|e| Status::bad_request(format!("couldn't get version/kind; json parse error: {e}")))?,
        // The answer is the same whatever was asked. The question is not read, so it is not sent back.
        "application/vnd.kubernetes.protobuf" => Json::Null,
        _ => {
            return Err(Status::new(
                415,
                "UnsupportedMediaType",
                "the body of the request was in an unknown format - accepted media types include: application/json, application/vnd.kubernetes.protobuf",
            ));
        }
    };
    let mut review = json!({
        "kind": kind, "apiVersion": api_version, "metadata": {}, "status": status,
    });
    if let Some(spec) = body.get("spec").filter(|s| matches!(s, Json::Object(_))) {
        review["spec"] = spec.to_value();
    }
    Ok(Some(review))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::apiserver::{ApiServer, http::http};

    #[test]
    fn everybody_may_do_everything() {
        let mut api = ApiServer::new(1);
        let mut ask = |method: &str, resource: &str, content_type: &str, body: &[u8]| {
            http(
                &mut api,
                &HttpRequest {
                    method: method.into(),
                    path: format!("/apis/authorization.k8s.io/v1/{resource}"),
                    content_type: content_type.into(),
                    body: body.to_vec(),
                    ..HttpRequest::default()
                },
            )
        };
        let body = br#"{"spec":{"resourceAttributes":{"verb":"create","resource":"pods"}}}"#;
        let answer = ask("POST", "selfsubjectaccessreviews", "application/json", body);
        let review: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!((answer.status, &review["status"]["allowed"]), (201, &true.into()));
        assert_eq!(review["spec"]["resourceAttributes"]["verb"], "create");
        assert_eq!(ask("POST", "namespaces/default/localsubjectaccessreviews", "", b"{}").status, 201);
        assert_eq!(
            ask("POST", "selfsubjectrulesreviews", "application/vnd.kubernetes.protobuf", b"k8s").status,
            201
        );
        assert_eq!(ask("POST", "selfsubjectrulesreviews", "text/plain", b"{}").status, 415);
        assert_eq!(ask("POST", "selfsubjectrulesreviews", "", b"{").status, 400);
        assert_eq!(ask("DELETE", "selfsubjectaccessreviews", "", b"").status, 405);
    }
}
