//! The kinds of the Gateway API, by the names that its definitions give them.

use super::objects::GROUP;
use crate::api::{CustomNames, Kind, Scope};

/// A kind of the Gateway API by its plural and its name. Handles of a kind are equal whatever their short names are.
pub fn kind_of(plural: &str, kind: &str, namespaced: bool) -> Kind {
    Kind::custom(&CustomNames {
        group: GROUP.to_owned(),
        version: "v1".to_owned(),
        kind: kind.to_owned(),
        list_kind: format!("{kind}List"),
        plural: plural.to_owned(),
        singular: kind.to_ascii_lowercase(),
        short_names: Vec::new(),
        categories: vec!["gateway-api".to_owned()],
        scope: if namespaced { Scope::Namespaced } else { Scope::Cluster },
        subresources: vec!["status".to_owned()],
    })
}
