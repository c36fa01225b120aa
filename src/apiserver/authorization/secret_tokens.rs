//! Tokens that Secrets hold: those of ServiceAccounts (`pkg/serviceaccount/legacy.go`) and those of machines that join the cluster
//! (`plugin/pkg/auth/authenticator/token/bootstrap`). Such a token is good as long as its Secret has it.

use serde_json::Value;

use super::authentication::Authenticated;
use crate::api::bootstrap_token::{self, Usage};
use crate::api::service_account_token::{ISSUER, LegacyClaims};
use crate::api::types::{Secret, ServiceAccount};
use crate::api::well_known::SERVICE_ACCOUNT_TOKEN_KEY;
use crate::api::{ApiKind, MetaExt, ObjectRef};
use crate::apimachinery::UserInfo;
use crate::apiserver::ApiServer;

/// Label of a Secret: since when its token is not believed any more (`InvalidSinceLabelKey`).
const INVALID_SINCE_LABEL: &str = "kubernetes.io/legacy-token-invalid-since";
/// The name of the user who comes with a bootstrap token; the id of the token follows.
const BOOTSTRAP_USER_PREFIX: &str = "system:bootstrap:";
/// The advice to whoever comes with a token that its account names.
const AUTO_GENERATED: &str = "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.";

/// The audiences of a token that names none: those of the API server that are asked for; `None` if there are none of these.
fn implicit(audiences: &[String]) -> Option<Vec<String>> {
    let meant: Vec<String> = audiences.iter().filter(|a| *a == ISSUER).cloned().collect();
    (!meant.is_empty()).then_some(meant)
}

impl ApiServer {
    /// An object that is stored and is not being deleted.
    fn lasting<T: ApiKind>(&self, namespace: &str, name: &str) -> Option<&T> {
        let stored = self.etcd.get(&ObjectRef::new(T::KIND, namespace, name))?;
        let object = T::from_object(&stored.object)?;
        (!object.meta().is_deleting()).then_some(&**object)
    }

    /// The account of a token, by its claims, if the token's Secret still has it (`legacyValidator.Validate`).
    pub(super) fn user_of_legacy_token(
        &self,
        token: &str,
        claims: &Value,
        audiences: &[String],
    ) -> Option<Authenticated> {
        let audiences = implicit(audiences)?;
        let claims = LegacyClaims::read(claims)?;
        let secret: &Secret = self.lasting(claims.namespace, claims.secret)?;
        let held = secret.data.as_ref()?.get(SERVICE_ACCOUNT_TOKEN_KEY)?;
        let account: &ServiceAccount = self.lasting(claims.namespace, claims.account)?;
        let invalid = secret.metadata.label(INVALID_SINCE_LABEL).is_some_and(|since| !since.is_empty());
        if held.0 != token.as_bytes() || account.metadata.uid() != claims.uid || invalid {
            return None;
        }
        let user =
            UserInfo { uid: claims.uid.to_owned(), ..UserInfo::of_account(claims.namespace, claims.account) };
        let named = account.secrets.iter().flatten().any(|s| s.name.as_deref() == Some(claims.secret));
        let warning = named.then_some(AUTO_GENERATED);
        Some(Authenticated { user: user.authenticated(), audiences, warning })
    }

    /// The user of a bootstrap token, if its Secret lets it say who one is (`TokenAuthenticator.AuthenticateToken`).
    pub(super) fn user_of_bootstrap_token(&self, token: &str, audiences: &[String]) -> Option<Authenticated> {
        let (id, key) = bootstrap_token::parse(token)?;
        let name = format!("{}{id}", bootstrap_token::SECRET_NAME_PREFIX);
        let secret: &Secret = self.lasting(bootstrap_token::NAMESPACE, &name)?;
        let (_, held) = bootstrap_token::usable(secret, Usage::Authentication, self.now)?;
        if held != key.as_bytes() {
            return None;
        }
        let groups = bootstrap_token::groups(secret)?;
        let user = UserInfo { name: format!("{BOOTSTRAP_USER_PREFIX}{id}"), groups, ..UserInfo::default() };
        let audiences = implicit(audiences)?;
        Some(Authenticated { user: user.authenticated(), audiences, warning: None })
    }
}

#[cfg(test)]
#[path = "secret_tokens_tests.rs"]
mod tests;
