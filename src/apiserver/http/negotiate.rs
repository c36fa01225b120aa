//! What a client accepts (`k8s.io/apiserver/pkg/endpoints/handlers/negotiation`).

use crate::apimachinery::{Details, Status};

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Shape {
    /// The objects.
    #[default]
    Whole,
    /// Rows with cells.
    Table,
    /// Only `metadata`.
    Metadata,
    /// Only `metadata`, of a list.
    MetadataList,
    /// `apidiscovery.k8s.io/v2`: all groups with their resources at once.
    AggregatedDiscovery,
}

/// What was agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Media {
    /// YAML, not JSON.
    pub yaml: bool,
    /// The form.
    pub shape: Shape,
}

impl Media {
    /// `application/json`
    pub fn content_type(self) -> &'static str {
        match (self.yaml, self.shape) {
            (_, Shape::AggregatedDiscovery) => {
                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
            }
            (true, _) => "application/yaml",
            (false, _) => "application/json",
        }
    }
}

/// The first of the accepted forms that there is.
///
/// # Errors
/// 406.
pub fn negotiate(accept: &str) -> Result<Media, Status> {
    if accept.trim().is_empty() {
        return Ok(Media::default());
    }
    accept.split(',').find_map(media).ok_or_else(|| {
        Status::new(
            406,
            "NotAcceptable",
            "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf",
        )
        .with(Details::default())
    })
}

fn media(range: &str) -> Option<Media> {
    let mut parts = range.split(';').map(str::trim);
    let yaml = match parts.next()? {
        "application/json" | "*/*" | "application/*" => false,
        "application/yaml" => true,
        _ => return None,
    };
    let (mut form, mut group, mut version) = ("", "", "");
    for p in parts {
        match p.split_once('=') {
            Some(("as", v)) => form = v,
            Some(("g", v)) => group = v,
            Some(("v", v)) => version = v,
            _ => {}
        }
    }
    let shape = match (form, group, version) {
        ("", ..) => Shape::Whole,
        ("Table", "meta.k8s.io", "v1") => Shape::Table,
        ("PartialObjectMetadata", "meta.k8s.io", "v1") => Shape::Metadata,
        ("PartialObjectMetadataList", "meta.k8s.io", "v1") => Shape::MetadataList,
        ("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2") => Shape::AggregatedDiscovery,
        _ => return None,
    };
    Some(Media { yaml, shape })
}
