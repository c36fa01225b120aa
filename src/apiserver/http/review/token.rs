//! Requests for a token of a ServiceAccount (`pkg/registry/core/serviceaccount/storage/token.go`,
//! `pkg/apis/authentication/validation`). Everything is checked as there; then the request is refused, because there is
//! no key here to sign a token with.

use serde_json::Value;

use super::{AUTHENTICATION, text};
use crate::api::quote::go_quote;
use crate::api::types::Pod;
use crate::api::{ApiKind as _, Kind, Object, go_types};
use crate::apimachinery::{HttpResponse, Status};
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
        let refused = |name: &str, error: FieldError| {
            Err(invalid_as("TokenRequest", "authentication.k8s.io", name, &[error]))
        };
        let own = text(&asked, "/metadata/name");
        if !own.is_empty() && own != name {
            let detail = "must match the service account name if specified";
            return refused(name, FieldError::invalid(&Path::new("metadata").child("name"), own, detail));
        }
        self.object(Kind::SERVICE_ACCOUNT, namespace, name)?;
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
        if let Some(bound) = asked.pointer("/spec/boundObjectRef") {
            self.check_bound(namespace, name, bound)?;
        }
        Err(Status::new(501, "", "Steady issues no tokens: it has no signing key and no authentication"))
    }

    /// Checks that the object exists to which the token is to be bound.
    fn check_bound(&self, namespace: &str, account: &str, bound: &Value) -> Result<()> {
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
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::apimachinery::HttpRequest;
    use crate::apiserver::{ApiServer, http::http};

    #[test]
    fn a_request_for_a_token_is_checked_before_it_is_refused() {
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
            ("builder", "{}".to_owned(), 501, "no signing key"),
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
            ("default", bound("Pod", "p", ""), 501, "no signing key"),
        ] {
            let (code, answer) = ask(&format!("/d/serviceaccounts/{account}/token"), &body);
            assert!(code == status && answer.contains(words), "{account} {body}: {code} {answer}");
        }
    }
}
