//! Which Secrets the pods of a ServiceAccount may use, if an annotation of the account limits them to its own
//! (`limitSecretReferences` of `k8s.io/kubernetes/plugin/pkg/admission/serviceaccount`).

use std::collections::BTreeSet;

use crate::api::MetaExt;
use crate::api::types::{EnvFromSource, EnvVar, PodSpec, ServiceAccount};

/// The annotation of a ServiceAccount, with a boolean as Go's `strconv.ParseBool` reads it.
const ENFORCE: &str = "kubernetes.io/enforce-mountable-secrets";

/// Why a pod of a ServiceAccount may not have the Secrets that it names; `None` if it may.
pub(super) fn refusal(account: &ServiceAccount, spec: &PodSpec) -> Option<String> {
    let limit = Limit::of(account)?;
    let volumes = spec.volumes.iter().flatten().filter_map(|v| v.secret.as_ref());
    let mut of_volumes = volumes.map(|s| s.secret_name.as_deref().unwrap_or_default());
    if let Some(secret) = of_volumes.find(|secret| !limit.secrets.contains(secret)) {
        return Some(format!(
            "volume with secret.secretName=\"{secret}\" is not allowed because service account {} does not reference that secret",
            limit.account
        ));
    }
    let init = spec.init_containers.iter().flatten().map(|c| ("init container", c));
    let mut containers = init.chain(spec.containers.iter().map(|c| ("container", c)));
    let of_container = containers
        .find_map(|(what, c)| limit.refuses(what, &c.name, c.env.as_deref(), c.env_from.as_deref()));
    if of_container.is_some() {
        return of_container;
    }
    let pull: BTreeSet<&str> = account.image_pull_secrets.iter().flatten().map(|s| s.name.as_str()).collect();
    let mut of_images = spec.image_pull_secrets.iter().flatten().enumerate();
    let (i, secret) = of_images.find(|(_, secret)| !pull.contains(secret.name.as_str()))?;
    Some(format!(
        "imagePullSecrets[{i}].name=\"{}\" is not allowed because service account {} does not reference that imagePullSecret",
        secret.name, limit.account
    ))
}

/// Why the ephemeral containers of a pod may not have the Secrets that they name; `None` if they may.
pub(super) fn refusal_of_ephemeral(account: &ServiceAccount, spec: &PodSpec) -> Option<String> {
    let limit = Limit::of(account)?;
    spec.ephemeral_containers
        .iter()
        .flatten()
        .find_map(|c| limit.refuses("ephemeral container", &c.name, c.env.as_deref(), c.env_from.as_deref()))
}

/// The Secrets that an account limits its pods to.
struct Limit<'a> {
    account: &'a str,
    secrets: BTreeSet<&'a str>,
}

impl<'a> Limit<'a> {
    /// The limit of an account; `None` if it has none.
    fn of(account: &'a ServiceAccount) -> Option<Limit<'a>> {
        let word = account.metadata.annotation(ENFORCE)?;
        matches!(word, "1" | "t" | "T" | "true" | "TRUE" | "True").then(|| Limit {
            account: account.metadata.name(),
            secrets: account.secrets.iter().flatten().filter_map(|s| s.name.as_deref()).collect(),
        })
    }

    /// Why a container may not have the environment that it asks for.
    fn refuses(
        &self,
        what: &str,
        container: &str,
        env: Option<&[EnvVar]>,
        env_from: Option<&[EnvFromSource]>,
    ) -> Option<String> {
        let variables = env.into_iter().flatten().filter_map(|variable| {
            let secret = variable.value_from.as_ref()?.secret_key_ref.as_ref()?.name.as_str();
            Some((format!("envVar {}", variable.name), secret))
        });
        let sources = env_from
            .into_iter()
            .flatten()
            .filter_map(|source| Some(("envFrom".to_owned(), source.secret_ref.as_ref()?.name.as_str())));
        let (by, secret) = variables.chain(sources).find(|(_, secret)| !self.secrets.contains(secret))?;
        Some(format!(
            "{what} {container} with {by} referencing secret.secretName=\"{secret}\" is not allowed because service account {} does not reference that secret",
            self.account
        ))
    }
}
