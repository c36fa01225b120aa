//! Defaults of references to fields: in environment variables and in files of volumes.

use super::{default, quantities};
use crate::api::types as t;
use t::Quantity;

pub(super) fn field_ref(field: &mut t::ObjectFieldSelector) {
    default(&mut field.api_version, "v1");
}

pub(super) fn resource_field_ref(resource: &mut t::ResourceFieldSelector) {
    // Go writes the divisor even when it is not set.
    quantities::canonical(resource.divisor.get_or_insert_with(|| Quantity("0".to_owned())));
}
