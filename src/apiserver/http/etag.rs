//! Answers that clients may keep: discovery and OpenAPI documents
//! (`k8s.io/apiserver/pkg/endpoints/discovery/aggregated/etag.go`, `k8s.io/kube-openapi/pkg/handler3`).

use crate::apimachinery::HttpResponse;

/// The tag of a body, without quotes (`computeETag`).
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn hash(body: &str) -> String {
    use sha2::{Digest, Sha512};
    Sha512::digest(body.as_bytes()).iter().map(|b| format!("{b:02X}")).collect()
}

/// Gives an answer the tag of its content. A client that has the same content gets 304 and no body.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn tagged(answer: HttpResponse, if_none_match: &str) -> HttpResponse {
    let etag = format!("\"{}\"", hash(&answer.body));
    let known =
        if_none_match.split(',').map(|tag| tag.trim().trim_start_matches("W/")).any(|tag| tag == etag);
    if known {
        let HttpResponse { cache_control, .. } = answer;
        return HttpResponse { status: 304, etag, cache_control, ..HttpResponse::default() };
    }
    HttpResponse { etag, ..answer }
}

/// A document of OpenAPI v3 (`HandleGroupVersion`). A client that names the hash of the document may keep the answer for
/// ever; one that names another hash is sent to the document that there is. `path` is the document's own.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn document(answer: HttpResponse, path: &str, wanted: &str, if_none_match: &str) -> HttpResponse {
    let hash = hash(&answer.body);
    if wanted.is_empty() {
        return tagged(answer, if_none_match);
    }
    if wanted != hash {
        return HttpResponse {
            status: 301,
            content_type: answer.content_type,
            etag: format!("\"{hash}\""),
            location: format!("{path}?hash={hash}"),
            ..HttpResponse::default()
        };
    }
    tagged(HttpResponse { cache_control: "public, immutable", ..answer }, if_none_match)
}

/// The page keeps no answers.
#[cfg(target_arch = "wasm32")]
pub(super) fn tagged(answer: HttpResponse, _if_none_match: &str) -> HttpResponse {
    answer
}

/// The page keeps no answers, and asks for documents without their hash.
#[cfg(target_arch = "wasm32")]
pub(super) fn document(
    answer: HttpResponse,
    _path: &str,
    _wanted: &str,
    _if_none_match: &str,
) -> HttpResponse {
    answer
}
