//! Reviews: who one is and what one may do (`pkg/registry/{authentication,authorization}`), and requests for tokens.
//! They are decoded and checked as every object, answered, and not stored.

mod access;
mod asked;
mod token;

use std::rc::Rc;

use serde_json::{Value, json};

use super::decode::Expected;
use super::path::Review;
use super::query::write_options;
use super::{Call, Result, answer, method_not_allowed, negotiate};
use crate::api::go_types::{self, GoStruct};
use crate::api::service_account_token::ISSUER;
use crate::api::types::rbac::PolicyRule;
use crate::apimachinery::{HttpResponse, Response, Status, UserInfo};
use crate::apiserver::ApiServer;
use crate::apiserver::authorization::Access;
use crate::apiserver::defaults;
use crate::apiserver::validation::BadValue;

const AUTHENTICATION: &str = "authentication.k8s.io/v1";
const AUTHORIZATION: &str = "authorization.k8s.io/v1";

impl Review {
    fn expected(self) -> Expected {
        let (api_version, layout) = match self {
            Review::SelfSubject => (AUTHENTICATION, go_types::self_subject_review()),
            Review::Token => (AUTHENTICATION, go_types::token_review()),
            Review::SelfSubjectAccess => (AUTHORIZATION, go_types::self_subject_access_review()),
            Review::SelfSubjectRules => (AUTHORIZATION, go_types::self_subject_rules_review()),
            Review::SubjectAccess => (AUTHORIZATION, go_types::subject_access_review()),
            Review::LocalSubjectAccess => (AUTHORIZATION, go_types::local_subject_access_review()),
        };
        Expected { kind: layout.name, api_version, also: None, layout }
    }
}

/// The text at a path of a value; empty if there is none.
fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

impl ApiServer {
    /// Whether a user may do what a review asks about.
    fn access_status(&self, access: &Access) -> Value {
        let decision = self.authorize(access);
        let mut status = json!({"allowed": decision.allowed});
        if !decision.reason.is_empty() {
            status["reason"] = decision.reason.into();
        }
        status
    }

    /// Answers the SubjectAccessReview of a component.
    ///
    /// # Errors
    /// 422: it asks no question.
    pub(in crate::apiserver) fn review_access(&self, asked: &Value) -> Result<Response> {
        access::check(Review::SubjectAccess, asked)?;
        let mut answered = asked.clone();
        answered["status"] = self.access_status(&asked::access(Rc::new(asked::user(asked)), asked));
        Ok(Response::AccessReview(Rc::new(answered)))
    }
}

impl Call<'_> {
    /// Answers a review. `namespace` is that of the path.
    #[inline(never)]
    pub(super) fn review(&mut self, review: Review, namespace: Option<&str>) -> Result<HttpResponse> {
        let mut asked = self.sent(review.expected(), namespace.unwrap_or_default())?;
        match review {
            Review::SelfSubject => {
                asked["metadata"] = json!({"creationTimestamp": crate::api::seconds(self.api.now)});
                asked["status"] = json!({"userInfo": self.sender().to_value()});
            }
            Review::Token => {
                if text(&asked, "/spec/token").is_empty() {
                    return Err(Status::bad_request("token is required for TokenReview in authentication"));
                }
                asked["status"] = self.token_status(&asked);
            }
            Review::SelfSubjectRules => {
                let namespace = text(&asked, "/spec/namespace").to_owned();
                if namespace.is_empty() {
                    return Err(Status::bad_request("no namespace on request"));
                }
                asked["metadata"] = json!({});
                asked["spec"] = json!({});
                asked["status"] = self.rules_status(&namespace);
            }
            Review::SelfSubjectAccess | Review::SubjectAccess | Review::LocalSubjectAccess => {
                access::check(review, &asked)?;
                let user = match review {
                    Review::SelfSubjectAccess => self.sender(),
                    _ => Rc::new(asked::user(&asked)),
                };
                asked["status"] = self.api.access_status(&asked::access(user, &asked));
            }
        }
        self.reviewed(review.expected(), asked)
    }

    /// Who sends the request.
    fn sender(&self) -> Rc<UserInfo> {
        self.cx.user.clone().unwrap_or_default()
    }

    /// Whose token it is.
    fn token_status(&mut self, asked: &Value) -> Value {
        let audiences = asked.pointer("/spec/audiences").and_then(Value::as_array);
        let audiences: Vec<String> =
            audiences.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        let audiences = if audiences.is_empty() { vec![ISSUER.to_owned()] } else { audiences };
        let Some(found) = self.api.user_of_token(text(asked, "/spec/token"), &audiences) else {
            return json!({"error": "invalid bearer token"});
        };
        self.warnings.extend(found.warning.map(str::to_owned));
        let mut status = json!({"authenticated": true, "user": found.user.to_value()});
        if !found.audiences.is_empty() {
            status["audiences"] = json!(found.audiences);
        }
        status
    }

    /// What the sender may do in a namespace.
    fn rules_status(&self, namespace: &str) -> Value {
        let rules = self.api.rules_for(&self.sender(), namespace);
        let of_resources = rules.rules.iter().filter(|r| r.resources.as_ref().is_some_and(|l| !l.is_empty()));
        let of_paths =
            rules.rules.iter().filter(|r| r.non_resource_urls.as_ref().is_some_and(|l| !l.is_empty()));
        let list = |rule: &PolicyRule, lists: [(&str, &Option<Vec<String>>); 3]| {
            let mut value = json!({"verbs": rule.verbs});
            for (key, list) in lists {
                if let Some(list) = list.as_ref().filter(|l| !l.is_empty()) {
                    value[key] = json!(list);
                }
            }
            value
        };
        let of_resources = of_resources.map(|r| {
            list(
                r,
                [
                    ("apiGroups", &r.api_groups),
                    ("resources", &r.resources),
                    ("resourceNames", &r.resource_names),
                ],
            )
        });
        let of_paths =
            of_paths.map(|r| list(r, [("nonResourceURLs", &r.non_resource_urls), ("", &None), ("", &None)]));
        let mut status = json!({
            "resourceRules": of_resources.collect::<Vec<_>>(),
            "nonResourceRules": of_paths.collect::<Vec<_>>(),
            "incomplete": rules.incomplete,
        });
        let error = rules.error();
        if !error.is_empty() {
            status["evaluationError"] = error.into();
        }
        status
    }

    /// The body of a request that makes an object which is not stored.
    fn sent(&mut self, expected: Expected, namespace: &str) -> Result<Value> {
        if self.request.method != "POST" {
            return Err(method_not_allowed());
        }
        let options = write_options(&self.query, "CreateOptions", false)?;
        let mut body = self.body_value(expected, &options)?;
        defaults::omit_empty_of(expected.layout, &mut body);
        let own = text(&body, "/metadata/namespace").to_owned();
        if !own.is_empty() && !namespace.is_empty() && own != namespace {
            return Err(Status::bad_request(
                "the namespace of the provided object does not match the namespace sent on the request",
            ));
        }
        for part in ["metadata", "spec"] {
            if expected.layout.field(part).is_some() && !body[part].is_object() {
                body[part] = json!({});
            }
        }
        if let Some(meta) = body["metadata"].as_object_mut() {
            match namespace {
                "" => meta.remove("namespace"),
                namespace => meta.insert("namespace".into(), namespace.into()),
            };
        }
        Ok(body)
    }

    /// The answer to a request that made an object which is not stored.
    fn reviewed(&self, expected: Expected, mut object: Value) -> Result<HttpResponse> {
        let Expected { kind, api_version, layout, .. } = expected;
        object["kind"] = kind.into();
        object["apiVersion"] = api_version.into();
        go_types::write_unset(layout, &mut object);
        Ok(answer::json(201, &object, negotiate::negotiate(&self.request.accept)?))
    }
}

/// The JSON of a part of an object, as a message quotes it.
fn quoted(layout: &'static GoStruct, value: &Value) -> BadValue {
    BadValue::Json(go_types::to_json(layout, value, None))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::apimachinery::HttpRequest;
    use crate::apiserver::{ApiServer, http::http};

    fn ask(method: &str, path: &str, content_type: &str, body: &[u8]) -> (u16, Value) {
        let answer = http(
            &mut ApiServer::new(1),
            &HttpRequest {
                method: method.into(),
                path: format!("/apis/{path}"),
                content_type: content_type.into(),
                body: body.to_vec(),
                ..HttpRequest::default()
            },
        );
        (answer.status, serde_json::from_str(&answer.body).unwrap())
    }

    fn post(resource: &str, spec: Value) -> (u16, Value) {
        ask(
            "POST",
            &format!("authorization.k8s.io/v1/{resource}"),
            "",
            json!({"spec": spec}).to_string().as_bytes(),
        )
    }

    #[test]
    fn an_administrator_may_do_everything() {
        let (status, review) = post(
            "selfsubjectaccessreviews",
            json!({"resourceAttributes": {"verb": "create", "group": "", "resource": "pods"}}),
        );
        assert_eq!((status, &review["status"]["allowed"]), (201, &true.into()));
        // What is empty is not sent back.
        assert_eq!(review["spec"], json!({"resourceAttributes": {"verb": "create", "resource": "pods"}}));
        let (status, review) = post("selfsubjectrulesreviews", json!({"namespace": "d"}));
        assert_eq!((status, &review["spec"]), (201, &json!({})));
        assert_eq!(post("selfsubjectrulesreviews", json!({})).0, 400);
        let one = |content_type: &str, body: &[u8]| {
            ask("POST", "authorization.k8s.io/v1/selfsubjectrulesreviews", content_type, body).0
        };
        assert_eq!(one("application/vnd.kubernetes.protobuf", b"k8s"), 400);
        assert_eq!(one("text/plain", b"{}"), 415);
        assert_eq!(one("", b"{"), 400);
        for method in ["GET", "DELETE"] {
            assert_eq!(ask(method, "authorization.k8s.io/v1/selfsubjectaccessreviews", "", b"").0, 405);
        }
    }

    #[test]
    fn what_is_no_token_is_not_valid() {
        let review = |spec: Value| {
            ask(
                "POST",
                "authentication.k8s.io/v1/tokenreviews",
                "",
                json!({"spec": spec}).to_string().as_bytes(),
            )
        };
        let (status, answer) = review(json!({"token": "x"}));
        assert_eq!((status, answer["status"]["error"].as_str()), (201, Some("invalid bearer token")));
        assert_eq!(review(json!({})).0, 400);
        let (_, me) = ask("POST", "authentication.k8s.io/v1/selfsubjectreviews", "", b"{}");
        assert_eq!(me["status"]["userInfo"]["username"], "kubernetes-admin");
    }
}
