//! What a client accepts (`k8s.io/apiserver/pkg/endpoints/handlers/negotiation`, `github.com/munnerz/goautoneg`).

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

/// A version of the group `meta.k8s.io`, in which tables and `PartialObjectMetadata` are written. Both versions have the
/// same fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum MetaVersion {
    /// `v1`
    #[default]
    V1,
    /// `v1beta1`
    V1beta1,
}

impl MetaVersion {
    fn of(version: &str) -> Option<MetaVersion> {
        match version {
            "v1" => Some(MetaVersion::V1),
            "v1beta1" => Some(MetaVersion::V1beta1),
            _ => None,
        }
    }

    /// `meta.k8s.io/v1`
    pub fn api_version(self) -> &'static str {
        match self {
            MetaVersion::V1 => "meta.k8s.io/v1",
            MetaVersion::V1beta1 => "meta.k8s.io/v1beta1",
        }
    }
}

/// What was agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Media {
    /// YAML, not JSON.
    pub yaml: bool,
    /// The form.
    pub shape: Shape,
    /// The version of a form of `meta.k8s.io`.
    pub meta: MetaVersion,
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

/// The media types of kube-apiserver's answers.
const TYPES: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// The accepted form that a client likes best.
///
/// # Errors
/// 406.
pub fn negotiate(accept: &str) -> Result<Media, Status> {
    if accept.trim().is_empty() {
        return Ok(Media::default());
    }
    let clauses = clauses(accept);
    let known = !clauses.is_empty();
    clauses.into_iter().find_map(media).ok_or_else(|| {
        // A form that is known, but not in the conversion that is asked for, gets past Kubernetes' router.
        if known {
            return Status::new(
                406,
                "NotAcceptable",
                format!("only the following media types are accepted: {TYPES}"),
            );
        }
        Status::new(
            406,
            "NotAcceptable",
            format!("406: Not Acceptable\n\nAvailable representations: {TYPES}"),
        )
        .with(Details::default())
    })
}

/// A part of `Accept` between commas.
#[derive(Debug, PartialEq)]
struct Clause<'a> {
    type_: &'a str,
    subtype: &'a str,
    /// Parameters without `q`.
    parameters: Vec<(&'a str, &'a str)>,
    quality: f32,
}

impl<'a> Clause<'a> {
    fn parse(text: &'a str) -> Option<Clause<'a>> {
        let mut parts = text.split(';');
        let (type_, subtype) = match parts.next()?.trim().split_once('/') {
            Some((type_, subtype)) => (type_.trim(), subtype.trim()),
            None => ("*", Some("*").filter(|_| text.trim().starts_with('*'))?),
        };
        let mut clause = Clause { type_, subtype, parameters: Vec::new(), quality: 1.0 };
        for (name, value) in parts.filter_map(|p| p.split_once('=')) {
            match name.trim() {
                // A quality that is no number is none.
                "q" => clause.quality = value.trim().parse().unwrap_or(0.0),
                name => clause.parameters.push((name, value.trim())),
            }
        }
        Some(clause)
    }

    /// Whether the client likes this clause better than another one.
    fn is_before(&self, other: &Clause<'_>) -> bool {
        self.quality > other.quality
            || (self.type_ != "*" && other.type_ == "*")
            || (self.subtype != "*" && other.subtype == "*")
    }
}

/// The clauses of `Accept` about media types that are served, in the order in which they are tried. goautoneg's comparison is
/// no total order: where one clause has the better quality and another one is more specific, each is before the other. The
/// result depends on the way of sorting then; Go sorts up to twelve elements by insertion.
fn clauses(accept: &str) -> Vec<Clause<'_>> {
    let known =
        |c: &Clause<'_>| matches!((c.type_, c.subtype), ("application", "json" | "yaml" | "*") | ("*", "*"));
    let mut sorted: Vec<Clause<'_>> = Vec::new();
    for clause in accept.split(',').filter_map(Clause::parse).filter(known) {
        let before = sorted.iter().rev().take_while(|other| clause.is_before(other)).count();
        sorted.insert(sorted.len() - before, clause);
    }
    sorted
}

fn media(clause: Clause<'_>) -> Option<Media> {
    let yaml = clause.subtype == "yaml";
    let (mut converted, mut form, mut group, mut version) = (false, "", "", "");
    for (name, value) in clause.parameters {
        match name {
            "as" => form = value,
            "g" => group = value,
            "v" => version = value,
            _ => continue,
        }
        converted = true;
    }
    if !converted {
        return Some(Media { yaml, ..Media::default() });
    }
    if (form, group, version) == ("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2") {
        return Some(Media { yaml, shape: Shape::AggregatedDiscovery, meta: MetaVersion::default() });
    }
    let meta = MetaVersion::of(version).filter(|_| group == "meta.k8s.io")?;
    let shape = match form {
        "Table" => Shape::Table,
        "PartialObjectMetadata" => Shape::Metadata,
        "PartialObjectMetadataList" => Shape::MetadataList,
        _ => return None,
    };
    Some(Media { yaml, shape, meta })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn quality_comes_before_order() {
        let yaml = |accept: &str| negotiate(accept).unwrap().yaml;
        assert!(yaml("application/json;q=0.5, application/yaml"));
        assert!(yaml("*/*, application/yaml"));
        assert!(yaml("*/*;q=0.9, application/yaml;q=0.1"));
        assert!(!yaml("application/json, application/yaml;q=0.9"));
        assert!(!yaml("application/yaml;q=x, application/json;q=0.1"));
        assert!(yaml("text/html, application/yaml;q=0.8, */*;q=0.1"));
    }

    #[test]
    fn both_versions_of_the_meta_group_are_served() {
        for (form, shape) in [
            ("Table", Shape::Table),
            ("PartialObjectMetadata", Shape::Metadata),
            ("PartialObjectMetadataList", Shape::MetadataList),
        ] {
            for (version, meta) in [("v1", MetaVersion::V1), ("v1beta1", MetaVersion::V1beta1)] {
                let media =
                    negotiate(&format!("application/json;as={form};v={version};g=meta.k8s.io")).unwrap();
                assert_eq!((media.shape, media.meta), (shape, meta));
            }
            assert_eq!(
                negotiate(&format!("application/json;as={form};v=v2;g=meta.k8s.io")).unwrap_err().code,
                406
            );
        }
        // What Kubernetes calls a conversion without a kind is none that it knows.
        assert_eq!(negotiate("application/json;v=v1;g=meta.k8s.io").unwrap_err().code, 406);
        assert_eq!(
            negotiate("application/json;as=APIGroupDiscoveryList;v=v2beta1;g=apidiscovery.k8s.io")
                .unwrap_err()
                .code,
            406
        );
    }
}
