//! Answers that clients may keep: discovery and OpenAPI documents
//! (`k8s.io/apiserver/pkg/endpoints/discovery/aggregated/etag.go`, `k8s.io/kube-openapi/pkg/handler3`).

use crate::apimachinery::HttpResponse;

/// Gives an answer the tag of its content. A client that has the same content gets 304 and no body.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn tagged(answer: HttpResponse, if_none_match: &str) -> HttpResponse {
    use sha2::{Digest, Sha512};
    let digest = Sha512::digest(answer.body.as_bytes());
    let hash: String = digest.iter().map(|b| format!("{b:02X}")).collect();
    let etag = format!("\"{hash}\"");
    let known =
        if_none_match.split(',').map(|tag| tag.trim().trim_start_matches("W/")).any(|tag| tag == etag);
    if known {
        return HttpResponse { status: 304, etag, ..HttpResponse::default() };
    }
    HttpResponse { etag, ..answer }
}

/// The page keeps no answers.
#[cfg(target_arch = "wasm32")]
pub(super) fn tagged(answer: HttpResponse, _if_none_match: &str) -> HttpResponse {
    answer
}
