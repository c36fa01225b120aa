//! Requests for watches (`k8s.io/apiserver/pkg/endpoints/handlers/get.go`).

use super::negotiate::Media;
use super::path::Target;
use super::read::{Cursor, Selectors, check_list_options, initial_events, revision_of, too_large};
use super::stream::Stream;
use super::watch::Watch;
use super::{Call, Result};
use crate::apimachinery::{HttpResponse, Status};

impl Call<'_> {
    /// Answers a watch: what is there, or what has happened since the revision it names.
    pub(super) fn watch(&mut self, target: &Target, media: Media) -> Result<HttpResponse> {
        let kind = target.kind;
        let mut watch = Watch::new(kind.as_str(), kind.api_version(), self, media)?;
        let (api, query) = (&*self.api, &self.query);
        let mut selectors = Selectors::parse(target, query)?;
        check_list_options(query, query.on("watch"))?;
        if let Some(name) = &target.name {
            selectors.only(name)?;
        }
        let asked = revision_of(query.text("resourceVersion")).map_err(|e| Status::new(500, "", e))?;
        let initial = initial_events(query);
        let current = api.etcd.revision();
        if let Some(asked) = asked.filter(|asked| initial && *asked > current) {
            watch.refused = Some(Box::new(too_large(asked, current)));
        } else if initial || (asked.is_none() && !query.has("sendInitialEvents")) {
            let data = api.with_defaults(api.etcd.snapshot(), kind);
            watch.initial = Some(Cursor::new(data, kind, target.namespace.clone(), selectors.clone()));
            watch.initial_bookmark = initial && query.on("allowWatchBookmarks");
        } else if let Some(asked) = asked {
            watch.revision = asked;
        }
        watch.watched = Some((kind, target.namespace.clone(), selectors));
        watch.view.clone_from(&target.view);
        Ok(self.stream_watch(watch))
    }

    fn stream_watch(&mut self, watch: Watch) -> HttpResponse {
        let content_type = Media { yaml: false, ..watch.media }.content_type().into();
        self.stream = Some(Stream::watch(watch));
        HttpResponse { status: 200, content_type, ..HttpResponse::default() }
    }

    /// Answers a watch of a kind that is not built: nothing will ever happen.
    pub(super) fn watch_unbuilt(
        &mut self,
        kind: &'static str,
        api_version: &str,
        media: Media,
    ) -> Result<HttpResponse> {
        check_list_options(&self.query, self.query.on("watch"))?;
        let mut watch = Watch::new(kind, api_version, self, media)?;
        watch.initial_bookmark = initial_events(&self.query) && self.query.on("allowWatchBookmarks");
        Ok(self.stream_watch(watch))
    }
}
