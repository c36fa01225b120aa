//! Requests for a token of a ServiceAccount (`pkg/registry/core/serviceaccount/storage/token.go`,
//! `pkg/apis/authentication/validation`). Nothing is stored.

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::{AUTHENTICATION, text};
use crate::api::quote::go_quote;
use crate::api::service_account_token::{Bound, Claims, ISSUER};
use crate::api::types::Pod;
use crate::api::{ApiKind as _, Key, Kind, Object, go_types, later};
use crate::apimachinery::{Details, HttpResponse, Status};
use crate::apiserver::admission;
use crate::apiserver::http::decode::Expected;
use crate::apiserver::http::{Call, Result};
use crate::apiserver::validation::invalid_as;
use crate::apiserver::validation::{FieldError, Path};

/// The default of `spec.expirationSeconds`.
const AN_HOUR: i64 = 60 * 60;
/// The smallest `spec.expirationSeconds`.
const SMALLEST: i64 = 10 * 60;
/// The largest `spec.expirationSeconds`.
const LARGEST: i64 = 1 << 32;

impl Call<'_> {
    /// Answers a request for a token of a ServiceAccount.
    #[inline(never)]
    pub(in crate::apiserver::http) fn token(&mut self, namespace: &str, name: &str) -> Result<HttpResponse> {
        let layout = go_types::token_request();
        let expected = Expected { kind: layout.name, api_version: AUTHENTICATION, also: None, layout };
        let asked = self.sent(expected, namespace)?;
        let at = Key::new(namespace, name);
        admission::admit_subresource(self.api, Kind::SERVICE_ACCOUNT, &at, self.cx)?;
        let refused = |name: &str, error: FieldError| {
            Err(invalid_as("TokenRequest", "authentication.k8s.io", name, &[error]))
        };
        let own = text(&asked, "/metadata/name");
        if !own.is_empty() && own != name {
            let detail = "must match the service account name if specified";
            return refused(name, FieldError::invalid(&Path::new("metadata").child("name"), own, detail));
        }
        let account = self.object(Kind::SERVICE_ACCOUNT, namespace, name)?.uid().to_owned();
        let uid = text(&asked, "/metadata/uid").to_owned();
        if !uid.is_empty() && uid != account {
            let why = format!(
                "Operation cannot be fulfilled on TokenRequest.authentication.k8s.io {}: the UID in the token request ({uid}) does not match the UID of the service account ({account})",
                go_quote(name)
            );
            let details = Details {
                name: name.into(),
                group: "authentication.k8s.io".into(),
                kind: "TokenRequest".into(),
                ..Details::default()
            };
            return Err(Status::new(409, "Conflict", why).with(details));
        }
        let seconds = asked.pointer("/spec/expirationSeconds").and_then(Value::as_i64).unwrap_or(AN_HOUR);
        let path = Path::new("spec").child("expirationSeconds");
        if seconds < SMALLEST {
            let detail = "may not specify a duration less than 10 minutes";
            return refused("", FieldError::invalid(&path, seconds, detail));
        }
        if seconds > LARGEST {
            let detail = "may not specify a duration larger than 2^32 seconds";
            return refused("", FieldError::invalid(&path, seconds, detail));
        }
        let bound = match asked.pointer("/spec/boundObjectRef") {
            Some(bound) => Some(self.check_bound(namespace, name, bound)?.clone()),
            None => None,
        };
        let mut asked = asked;
        if asked.pointer("/spec/audiences").and_then(Value::as_array).is_none_or(Vec::is_empty) {
            asked["spec"]["audiences"] = json!([ISSUER]);
        }
        asked["spec"]["expirationSeconds"] = seconds.into();
        let now = self.api.now;
        asked["metadata"] = json!({
            "name": name, "namespace": namespace, "uid": account, "creationTimestamp": crate::api::seconds(now),
        });
        let id = self.api.new_uid();
        let token = self.issued(&asked, &account, &id, bound.as_ref());
        let ends = later(now, SignedDuration::from_secs(seconds));
        asked["status"] = json!({"token": token, "expirationTimestamp": crate::api::seconds(ends)});
        self.reviewed(expected, asked)
    }

    /// The token that is issued for a request, of which everything is filled in.
    fn issued(&self, asked: &Value, account: &str, id: &str, bound: Option<&Object>) -> String {
        let of = |object: &Object| (object.name().to_owned(), Some(object.uid().to_owned()));
        let is = |kind: Kind| bound.filter(|object| object.kind() == kind).map(of);
        // A token that is bound to a pod says on which node that is.
        let placed = bound.and_then(Pod::from_object).and_then(|pod| pod.spec.as_ref()?.node_name.clone());
        let placed = placed.filter(|node| !node.is_empty()).map(|node| {
            let uid = self.object(Kind::NODE, "", &node).ok().map(|node| node.uid().to_owned());
            (node, uid)
        });
        let (pod, secret, node) = (is(Kind::POD), is(Kind::SECRET), is(Kind::NODE).or(placed));
        fn borrowed(of: &Option<(String, Option<String>)>) -> Option<Bound<'_>> {
            of.as_ref().map(|(name, uid)| (name.as_str(), uid.as_deref()))
        }
        let audiences = asked.pointer("/spec/audiences").and_then(Value::as_array);
        let claims = Claims {
            id: Some(id),
            audiences: audiences.into_iter().flatten().filter_map(Value::as_str).collect(),
            from: self.api.now.as_second(),
            seconds: asked.pointer("/spec/expirationSeconds").and_then(Value::as_i64).unwrap_or(AN_HOUR),
            namespace: text(asked, "/metadata/namespace"),
            account: (text(asked, "/metadata/name"), Some(account)),
            pod: borrowed(&pod),
            node: borrowed(&node),
            secret: borrowed(&secret),
        };
        claims.text()
    }

    /// The object to which the token is to be bound.
    ///
    /// # Errors
    /// There is none, or the token cannot be bound to it.
    fn check_bound(&self, namespace: &str, account: &str, bound: &Value) -> Result<&Object> {
        let (group, version) = match text(bound, "/apiVersion").split_once('/') {
            Some((group, version)) => (group, version),
            None => ("", text(bound, "/apiVersion")),
        };
        let (kind, name, uid) = (text(bound, "/kind"), text(bound, "/name"), text(bound, "/uid"));
        let object: &Object = match (group, kind) {
            ("", "Pod") => {
                let object = self.object(Kind::POD, namespace, name)?;
                let spec = Pod::from_object(object).and_then(|pod| pod.spec.as_ref());
                if spec.and_then(|s| s.service_account_name.as_deref()) != Some(account) {
                    return Err(Status::bad_request(format!(
                        "cannot bind token for serviceaccount {} to pod running with different serviceaccount name.",
                        go_quote(account)
                    )));
                }
                object
            }
            ("", "Node") => self.object(Kind::NODE, "", name)?,
            ("", "Secret") => self.object(Kind::SECRET, namespace, name)?,
            _ => {
                let why = format!("cannot bind token to object of type {group}/{version}, Kind={kind}");
                return Err(Status::bad_request(why));
            }
        };
        if !uid.is_empty() && uid != object.uid() {
            let why = format!(
                "the UID in the bound object reference ({uid}) does not match the UID in record. The object might have been deleted and then recreated"
            );
            return Err(Status::precondition_failed(object.kind(), name, &why));
        }
        Ok(object)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::json;

    use crate::apimachinery::HttpRequest;
    use crate::apiserver::{ApiServer, http::http};

    #[test]
    fn a_request_for_a_token_is_checked_before_it_is_answered() {
        let mut api = ApiServer::new(1);
        let mut ask = |path: &str, body: &str| {
            let path = format!("/api/v1/namespaces{path}");
            let (method, body) = ("POST".into(), body.as_bytes().to_vec());
            let r = http(&mut api, &HttpRequest { method, path, body, ..HttpRequest::default() });
            (r.status, r.body)
        };
        ask("", r#"{"metadata":{"name":"d"}}"#);
        for name in ["default", "builder"] {
            ask("/d/serviceaccounts", &format!(r#"{{"metadata":{{"name":"{name}"}}}}"#));
        }
        ask("/d/pods", r#"{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}"#);
        let bound = |kind: &str, name: &str, uid: &str| {
            format!(
                r#"{{"spec":{{"boundObjectRef":{{"kind":"{kind}","apiVersion":"v1","name":"{name}","uid":"{uid}"}}}}}}"#
            )
        };
        for (account, body, status, words) in [
            ("builder", "{}".to_owned(), 201, "\"token\":\"eyJ"),
            ("nobody", "{}".to_owned(), 404, "serviceaccounts \\\"nobody\\\" not found"),
            (
                "builder",
                r#"{"metadata":{"name":"x"}}"#.to_owned(),
                422,
                "must match the service account name",
            ),
            ("builder", r#"{"spec":{"expirationSeconds":60}}"#.to_owned(), 422, "less than 10 minutes"),
            ("builder", r#"{"spec":{"expirationSeconds":4294967297}}"#.to_owned(), 422, "2^32 seconds"),
            ("builder", bound("ConfigMap", "c", ""), 400, "object of type /v1, Kind=ConfigMap"),
            ("builder", bound("Pod", "none", ""), 404, "pods \\\"none\\\" not found"),
            ("builder", bound("Pod", "p", ""), 400, "different serviceaccount name"),
            ("default", bound("Pod", "p", "other"), 409, "does not match the UID in record"),
            ("default", bound("Pod", "p", ""), 201, "\"token\":\"eyJ"),
            (
                "default",
                r#"{"metadata":{"uid":"x"}}"#.to_owned(),
                409,
                "does not match the UID of the service account",
            ),
        ] {
            let (code, answer) = ask(&format!("/d/serviceaccounts/{account}/token"), &body);
            assert!(code == status && answer.contains(words), "{account} {body}: {code} {answer}");
        }
    }

    /// `pkg/registry/core/serviceaccount/storage/token.go`, `Create`; `pkg/serviceaccount/claims.go`, `Claims`.
    #[test]
    fn a_token_says_whom_it_is_for_and_what_it_is_bound_to() {
        let mut api = ApiServer::new(1);
        let mut ask = |path: &str, body: serde_json::Value| {
            let path = format!("/api/v1/{path}");
            let (method, body) = ("POST".into(), body.to_string().into_bytes());
            let r = http(&mut api, &HttpRequest { method, path, body, ..HttpRequest::default() });
            assert_eq!(r.status, 201, "{}", r.body);
            serde_json::from_str::<serde_json::Value>(&r.body).unwrap()
        };
        ask("namespaces", json!({"metadata": {"name": "d"}}));
        ask("nodes", json!({"metadata": {"name": "n"}}));
        let account = ask("namespaces/d/serviceaccounts", json!({"metadata": {"name": "default"}}));
        let pod = json!({"metadata": {"name": "p"},
            "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]}});
        let pod = ask("namespaces/d/pods", pod);
        let path = "namespaces/d/serviceaccounts/default/token";
        let said = |answer: &serde_json::Value| {
            let token = answer["status"]["token"].as_str().unwrap();
            let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap();
            serde_json::from_slice::<serde_json::Value>(&claims).unwrap()
        };
        let answer = ask(path, json!({"spec": {"audiences": ["vault"], "expirationSeconds": 600}}));
        let claims = said(&answer);
        assert_eq!(
            (&claims["aud"], &claims["sub"]),
            (&json!(["vault"]), &json!("system:serviceaccount:d:default"))
        );
        assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 600);
        assert_eq!(claims["kubernetes.io"]["serviceaccount"]["uid"], account["metadata"]["uid"]);
        assert_eq!(claims["jti"].as_str().unwrap().len(), 36);
        assert_eq!(answer["metadata"]["uid"], account["metadata"]["uid"]);
        let bound = json!({"kind": "Pod", "apiVersion": "v1", "name": "p"});
        let claims = said(&ask(path, json!({"spec": {"boundObjectRef": bound, "expirationSeconds": 3607}})));
        assert_eq!(claims["kubernetes.io"]["pod"], json!({"name": "p", "uid": pod["metadata"]["uid"]}));
        assert_eq!(claims["kubernetes.io"]["node"]["name"], "n");
        // The life that admission asks for lasts a year for the API server.
        assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 365 * 24 * 3600);
        assert_eq!(
            claims["kubernetes.io"]["warnafter"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(),
            3607
        );
    }
}
