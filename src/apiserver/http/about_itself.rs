//! What the server says of itself: discovery, health, version, the documents of OpenAPI.

use super::negotiate::{self, Media, Shape};
use super::path::RequestPath;
use super::{Call, Result, aggregated, answer, discovery, etag, health, method_not_allowed, openapi};
use crate::api::service_account_token::{ISSUER, key_set};
use crate::apimachinery::{HttpResponse, Status};
use crate::apiserver::serving::INSIDE;

/// What whoever checks tokens of ServiceAccounts by himself asks for (`pkg/serviceaccount/openidmetadata.go`,
/// `pkg/routes/openidmetadata.go`). The media type is its own, whatever `Accept` says.
fn open_id(path: &RequestPath) -> HttpResponse {
    let (content_type, body) = if *path == RequestPath::OpenIdKeys {
        ("application/jwk-set+json", key_set())
    } else {
        let body = format!(
            r#"{{"issuer":"{ISSUER}","jwks_uri":"https://{INSIDE}/openid/v1/jwks","response_types_supported":["id_token"],"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["ES256"]}}"#
        );
        ("application/json", body)
    };
    HttpResponse {
        status: 200,
        content_type: content_type.into(),
        body,
        cache_control: "public, max-age=3600",
        ..HttpResponse::default()
    }
}

impl Call<'_> {
    /// Discovery, health, version.
    #[inline(never)]
    pub(super) fn about_itself(&self, path: &RequestPath) -> Result<HttpResponse> {
        if *path == RequestPath::Nothing {
            return Ok(HttpResponse::text(404, "404 page not found\n"));
        }
        // Health is served by Go's own multiplexer, which answers every method alike.
        if let RequestPath::Health { endpoint, check } = path {
            return Ok(health::answer(
                endpoint,
                check.as_deref(),
                &self.query,
                self.api.storage_answers().is_ok(),
            ));
        }
        if *path == RequestPath::Index {
            let elsewhere = self.api.aggregated.is_registered().then(aggregated::group);
            return Ok(discovery::index(&self.api.definitions, elsewhere));
        }
        if self.request.method != "GET" {
            return Err(method_not_allowed());
        }
        if matches!(path, RequestPath::OpenIdConfiguration | RequestPath::OpenIdKeys) {
            return Ok(open_id(path));
        }
        #[cfg(not(target_arch = "wasm32"))]
        if *path == RequestPath::OpenApi("v2".into())
            && openapi::swagger::wants_protobuf(&self.request.accept)
        {
            let document = openapi::swagger::document(&self.api.definitions, self.api.texts.as_deref());
            return Ok(HttpResponse {
                status: 200,
                content_type: openapi::swagger::PROTOBUF.into(),
                binary: openapi::swagger::to_protobuf(&document),
                ..HttpResponse::default()
            });
        }
        let media = negotiate::negotiate(&self.request.accept)?;
        let aggregated = media.shape == Shape::AggregatedDiscovery;
        let metrics = self.api.aggregated.is_registered();
        let plain = Media { shape: Shape::Whole, ..media };
        let definitions = &self.api.definitions;
        let answer = match path {
            RequestPath::CoreVersions | RequestPath::Groups if aggregated => {
                let core = *path == RequestPath::CoreVersions;
                let mut all = discovery::aggregated(core, definitions);
                if let Some(items) = all["items"].as_array_mut().filter(|_| metrics && !core) {
                    items.push(aggregated::discovered());
                }
                answer::json(200, &all, media)
            }
            RequestPath::CoreVersions => answer::json(200, &discovery::core_versions(), plain),
            RequestPath::Groups => {
                let mut all = discovery::groups(definitions);
                if let Some(groups) = all["groups"].as_array_mut().filter(|_| metrics) {
                    groups.push(aggregated::group());
                }
                answer::json(200, &all, plain)
            }
            RequestPath::Group(name) => answer::json(200, &discovery::one_group(name, definitions), plain),
            RequestPath::Resources { group, version } => {
                answer::json(200, &discovery::resources(group, version, definitions), plain)
            }
            #[cfg(not(target_arch = "wasm32"))]
            RequestPath::OpenApi(rest) if rest == "v2" => {
                answer::json(200, &openapi::swagger::document(definitions, self.api.texts.as_deref()), plain)
            }
            RequestPath::OpenApi(rest) if rest == "v3" => {
                answer::json(200, &openapi::index(definitions, &|path| self.document_hash(path)), plain)
            }
            RequestPath::OpenApi(rest) => {
                let answer = self.document(rest).map(|document| answer::json(200, &document, plain));
                let answer = answer.ok_or_else(Status::no_such_path)?;
                let path = format!("/openapi/{rest}");
                let (wanted, known) = (self.query.text("hash"), &self.request.if_none_match);
                return Ok(etag::document(answer, &path, wanted, known));
            }
            RequestPath::Version => HttpResponse {
                status: 200,
                content_type: plain.content_type().into(),
                body: discovery::version(),
                ..HttpResponse::default()
            },
            _ => return Err(Status::no_such_path()),
        };
        Ok(match path {
            RequestPath::OpenApi(_) => etag::tagged(answer, &self.request.if_none_match),
            _ if aggregated => {
                let answer = HttpResponse { cache_control: "public", ..answer };
                etag::tagged(answer, &self.request.if_none_match)
            }
            _ => answer,
        })
    }

    /// A document of OpenAPI v3, by its path after `/openapi`; `None` if there is none.
    fn document(&self, path: &str) -> Option<serde_json::Value> {
        openapi::document(path.strip_prefix("v3/")?, &self.api.definitions, self.api.texts.as_deref())
    }

    /// The hash of a document of OpenAPI v3, by its path after `/openapi/v3/`. Documents of built-in kinds are hashed once.
    #[cfg(not(target_arch = "wasm32"))]
    fn document_hash(&self, path: &str) -> Option<String> {
        let known = self.api.document_hashes.borrow().get(path).cloned();
        known.or_else(|| {
            let document = self.document(&format!("v3/{path}"))?;
            let hash = etag::hash(&answer::json(200, &document, Media::default()).body);
            if openapi::is_built_in(path) {
                self.api.document_hashes.borrow_mut().insert(path.to_owned(), hash.clone());
            }
            Some(hash)
        })
    }

    /// The page keeps no documents.
    #[cfg(target_arch = "wasm32")]
    fn document_hash(&self, _path: &str) -> Option<String> {
        None
    }
}
