//! Who sends a request (`k8s.io/apiserver/pkg/authentication`, `pkg/serviceaccount/jwt.go`).
//!
//! A request without `Authorization` is one with the administrator's client certificate. A bearer token is one of those that
//! the server was given at its start (`--token-auth-file`), one that a Secret holds ([`super::secret_tokens`]), or one of a ServiceAccount:
//! it is signed with the cluster's key (`api::service_account_token`), and the account and what it is bound to are still there.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

use crate::api::service_account_token::{ISSUER, LEGACY_ISSUER, claims_of};
use crate::api::{Kind, Object, ObjectRef};
use crate::apimachinery::{HttpRequest, Status, UserInfo};
use crate::apiserver::ApiServer;

/// How long a token whose time is over, and what it is bound to once that is being deleted, still count (`jwt.DefaultLeeway`), in
/// seconds.
const LEEWAY: i64 = 60;

/// What whoever sends two spaces before his token is told (`bearertoken.go`).
const SPACE_BEFORE_TOKEN: &str =
    "the provided Authorization header contains extra space before the bearer token, and is ignored";

/// A user whose token is valid, and for whom the token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::apiserver) struct Authenticated {
    pub(in crate::apiserver) user: UserInfo,
    pub(in crate::apiserver) audiences: Vec<String>,
    /// What whoever sends the token is told.
    pub(in crate::apiserver) warning: Option<&'static str>,
}

fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

impl ApiServer {
    /// Gives the server the bearer tokens of users.
    pub fn set_token_auth(&mut self, tokens: BTreeMap<String, UserInfo>) {
        self.token_auth = Rc::new(tokens);
    }

    /// The user who sends a request. The answer has the warnings. Of `Authorization` two words count, and a third one does not
    /// (`k8s.io/apiserver/pkg/authentication/request/bearertoken/bearertoken.go`).
    ///
    /// # Errors
    /// 401: the token is not valid.
    pub(super) fn authenticate(
        &self,
        request: &HttpRequest,
        warnings: &mut Vec<String>,
    ) -> Result<Rc<UserInfo>, Status> {
        let given = request.identity.iter().find(|(name, _)| name.eq_ignore_ascii_case("Authorization"));
        let Some((_, credentials)) = given else { return Ok(Rc::new(UserInfo::administrator())) };
        let mut parts = credentials.trim().splitn(3, ' ');
        let scheme = parts.next().unwrap_or_default();
        let token = parts.next().filter(|_| scheme.eq_ignore_ascii_case("Bearer"));
        let Some(token) = token.filter(|token| !token.is_empty()) else {
            if token.is_some() && parts.next().is_some() {
                warnings.push(SPACE_BEFORE_TOKEN.to_owned());
            }
            return Ok(Rc::new(UserInfo::anonymous()));
        };
        let Some(found) = self.user_of_token(token, &[ISSUER.to_owned()]) else {
            return Err(Status::new(401, "Unauthorized", "Unauthorized"));
        };
        warnings.extend(found.warning.map(str::to_owned));
        Ok(Rc::new(found.user))
    }

    /// The user of a bearer token that is for one of these audiences; `None` if the token is not valid.
    pub(in crate::apiserver) fn user_of_token(
        &self,
        token: &str,
        audiences: &[String],
    ) -> Option<Authenticated> {
        if let Some(user) = self.token_auth.get(token) {
            let user = user.clone().authenticated();
            return Some(Authenticated { user, audiences: Vec::new(), warning: None });
        }
        if let Some(found) = self.user_of_bootstrap_token(token, audiences) {
            return Some(found);
        }
        let claims = claims_of(token)?;
        if text(&claims, "/iss") == LEGACY_ISSUER {
            return self.user_of_legacy_token(token, &claims, audiences);
        }
        let now = self.now.as_second();
        let second = |claim: &str| claims.get(claim).and_then(Value::as_i64);
        if text(&claims, "/iss") != ISSUER
            || second("exp")? < now - LEEWAY
            || second("nbf").is_some_and(|at| at > now + LEEWAY)
        {
            return None;
        }
        let listed = claims.get("aud").and_then(Value::as_array).into_iter().flatten();
        let listed: Vec<&str> = listed.filter_map(Value::as_str).collect();
        let meant: Vec<String> = audiences.iter().filter(|a| listed.contains(&a.as_str())).cloned().collect();
        if meant.is_empty() {
            return None;
        }
        let user = self.user_of_claims(&claims)?.authenticated();
        Some(Authenticated { user, audiences: meant, warning: None })
    }

    fn user_of_claims(&self, claims: &Value) -> Option<UserInfo> {
        let of = claims.get("kubernetes.io")?;
        let namespace = text(of, "/namespace");
        let is_there = |kind: Kind, namespace: &str, part: &str| {
            let (name, uid) = (text(of, &format!("{part}/name")), text(of, &format!("{part}/uid")));
            let object = self.etcd.get(&ObjectRef::new(kind, namespace, name)).map(|r| &r.object);
            let lasts = |o: &Object| {
                let deleted = o.meta().deletion_timestamp.as_ref();
                deleted.is_none_or(|at| at.0.as_second() >= self.now.as_second() - LEEWAY)
            };
            object.is_some_and(|o| o.uid() == uid && lasts(o))
        };
        // A kubelet here makes the tokens of files by itself, and does not know the account's uid: a server would have written that of the
        // account that was there when the token was issued.
        let known = text(of, "/serviceaccount/uid");
        let uid = if known.is_empty() {
            self.account_at(namespace, text(of, "/serviceaccount/name"), claims)?
        } else if is_there(Kind::SERVICE_ACCOUNT, namespace, "/serviceaccount") {
            known.to_owned()
        } else {
            return None;
        };
        let mut extra = BTreeMap::new();
        let mut add = |key: &str, value: &str| {
            if !value.is_empty() {
                extra.insert(format!("authentication.kubernetes.io/{key}"), vec![value.to_owned()]);
            }
        };
        if let Some(id) = claims.get("jti").and_then(Value::as_str) {
            add("credential-id", &format!("JTI={id}"));
        }
        if of.get("secret").is_some() && !is_there(Kind::SECRET, namespace, "/secret") {
            return None;
        }
        if of.get("pod").is_some() {
            if !is_there(Kind::POD, namespace, "/pod") {
                return None;
            }
        } else if of.get("node").is_some() && !is_there(Kind::NODE, "", "/node") {
            return None;
        }
        for part in ["pod", "node"] {
            add(&format!("{part}-name"), text(of, &format!("/{part}/name")));
            add(&format!("{part}-uid"), text(of, &format!("/{part}/uid")));
        }
        Some(UserInfo { uid, extra, ..UserInfo::of_account(namespace, text(of, "/serviceaccount/name")) })
    }

    /// The uid of an account that has been there since a token was issued; `None` if there is none.
    fn account_at(&self, namespace: &str, name: &str, claims: &Value) -> Option<String> {
        let at = ObjectRef::new(Kind::SERVICE_ACCOUNT, namespace, name);
        let account = &self.etcd.get(&at)?.object;
        let issued = claims.get("iat").and_then(Value::as_i64)?;
        let meta = account.meta();
        let created = meta.creation_timestamp.as_ref().is_some_and(|t| t.0.as_second() <= issued);
        let deleted = meta.deletion_timestamp.as_ref();
        let lasts = deleted.is_none_or(|t| t.0.as_second() >= self.now.as_second() - LEEWAY);
        (created && lasts).then(|| account.uid().to_owned())
    }
}
