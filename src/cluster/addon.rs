//! Addons that are objects: they are created, or deleted again.

use super::Cluster;
use super::fault::NoSuchFault;
use crate::api::yaml::{self, Limits};
use crate::api::{Kind, Object};
use crate::apimachinery::{Body, Request, Response, Verb};
use crate::apiserver::Write;

/// The objects of a manifest, each with its kind.
fn objects(cluster: &Cluster, manifest: &str) -> Vec<(Kind, serde_json::Value)> {
    let documents = yaml::documents(manifest, &Limits::default()).unwrap_or_default();
    let of = |document: yaml::Document| {
        let text = |name: &str| document.value.get(name).and_then(|v| v.as_str()).unwrap_or_default();
        let kind = cluster.api().kind_of(text("apiVersion"), text("kind"))?;
        Some((kind, document.value))
    };
    documents.into_iter().filter_map(of).collect()
}

impl Cluster {
    /// Creates the objects of a manifest in its order, or deletes them in the same order. Those that are there already stay as
    /// they are. If one is refused, nothing has changed.
    pub(super) fn install(
        &mut self,
        manifest: &str,
        user: &str,
        installed: bool,
    ) -> Result<Vec<Write>, NoSuchFault> {
        let before = self.clone();
        let mut writes = Vec::new();
        for (kind, value) in objects(self, manifest) {
            let Ok(object) = Object::from_value(kind, value) else { continue };
            let verb = if installed { Verb::Create } else { Verb::Delete };
            let request = Request::new(&user.into(), verb, kind, object.key());
            let request = if installed { request.body(Body::Object(object)) } else { request };
            let (response, written) = self.request(&request);
            match response {
                Response::Failure(status) if !matches!(&*status.reason, "AlreadyExists" | "NotFound") => {
                    *self = before;
                    return Err(NoSuchFault);
                }
                _ => writes.extend(written),
            }
        }
        Ok(writes)
    }
}
