//! Requests for kinds that are not built here: lists of them are empty, and none can be made.

use super::negotiate::{self, Shape};
use super::{Call, Result, answer, table};
use crate::api::quote::go_quote;
use crate::apimachinery::{Details, HttpResponse, Status};

impl Call<'_> {
    /// Answers a request for a kind that is not built here: there are no objects of it.
    #[inline(never)]
    pub(super) fn unbuilt(
        &mut self,
        kind: &'static str,
        api_version: &str,
        name: Option<&str>,
        resource: &str,
    ) -> Result<HttpResponse> {
        if self.request.method != "GET" {
            let why = format!("{kind} is not built here: there are no objects of it, and none can be made");
            return Err(Status::new(405, "MethodNotAllowed", why).with(Details::default()));
        }
        if let Some(name) = name {
            let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
            return Err(Status::new(
                404,
                "NotFound",
                format!("{resource} {name} not found", name = go_quote(name)),
            )
            .with(Details {
                name: name.into(),
                group: group.into(),
                kind: plural.into(),
                ..Details::default()
            }));
        }
        let media = negotiate::negotiate(&self.request.accept)?;
        if self.query.on("watch") {
            return self.watch_unbuilt(kind, api_version, media);
        }
        let metadata = serde_json::json!({"resourceVersion": self.api.etcd.revision().to_string()});
        Ok(match media.shape {
            Shape::Table => answer::json(200, &table::none(media.meta, &metadata), media),
            _ => {
                let list = serde_json::json!({
                    "kind": format!("{kind}List"), "apiVersion": api_version, "metadata": metadata, "items": [],
                });
                answer::json(200, &list, media)
            }
        })
    }
}
