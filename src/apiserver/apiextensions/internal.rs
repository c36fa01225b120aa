//! A definition's spec as Kubernetes' internal types have it: what all versions have in common stands
//! at the top (`Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec`).
//! Validation names the fields of this form.

use super::types::{
    CustomResourceColumnDefinition, CustomResourceDefinition, CustomResourceDefinitionVersion,
    CustomResourceSubresources, CustomResourceValidation, JSONSchemaProps, SelectableField,
};

/// The internal form of a spec.
pub(super) struct Spec<'a> {
    /// The definition.
    pub crd: &'a CustomResourceDefinition,
    /// The name of the first version; empty if there is none.
    pub version: &'a str,
    /// What all versions have, if it is the same for all.
    pub common: Parts<'a>,
    /// What is each version's own.
    pub versions: Vec<Version<'a>>,
}

/// What may be common or a version's own.
#[derive(Clone, Copy, Default)]
pub(super) struct Parts<'a> {
    /// `schema` of a version, `validation` of the spec.
    pub schema: Option<&'a CustomResourceValidation>,
    /// `subresources`
    pub subresources: Option<&'a CustomResourceSubresources>,
    /// `additionalPrinterColumns`; `None` if there is none.
    pub columns: Option<&'a [CustomResourceColumnDefinition]>,
    /// `selectableFields`; `None` if there is none.
    pub selectable: Option<&'a [SelectableField]>,
}

/// A version.
pub(super) struct Version<'a> {
    /// The version, as it was written.
    pub version: &'a CustomResourceDefinitionVersion,
    /// What is its own.
    pub own: Parts<'a>,
}

impl<'a> Parts<'a> {
    fn of(v: &'a CustomResourceDefinitionVersion) -> Parts<'a> {
        Parts {
            schema: v.schema.as_ref(),
            subresources: v.subresources.as_ref(),
            columns: v.additional_printer_columns.as_deref().filter(|c| !c.is_empty()),
            selectable: v.selectable_fields.as_deref().filter(|f| !f.is_empty()),
        }
    }

    /// The schema itself.
    pub fn props(&self) -> Option<&'a JSONSchemaProps> {
        self.schema?.open_api_v3_schema.as_ref()
    }
}

impl<'a> Spec<'a> {
    /// The internal form of a definition's spec.
    pub fn of(crd: &'a CustomResourceDefinition) -> Spec<'a> {
        let written: Vec<Parts<'a>> = crd.spec.versions.iter().map(Parts::of).collect();
        let Some(first) = written.first().copied() else {
            return Spec { crd, version: "", common: Parts::default(), versions: Vec::new() };
        };
        let schema = written.iter().all(|p| p.schema == first.schema);
        let subresources = written.iter().all(|p| p.subresources == first.subresources);
        let columns = written.iter().all(|p| p.columns == first.columns);
        let selectable = written.iter().all(|p| p.selectable == first.selectable);
        let take = |parts: Parts<'a>, common: bool| Parts {
            schema: parts.schema.filter(|_| schema == common),
            subresources: parts.subresources.filter(|_| subresources == common),
            columns: parts.columns.filter(|_| columns == common),
            selectable: parts.selectable.filter(|_| selectable == common),
        };
        Spec {
            crd,
            version: crd.spec.versions.first().map(|v| v.name.as_str()).unwrap_or_default(),
            common: take(first, true),
            versions: (crd.spec.versions.iter().zip(&written))
                .map(|(version, parts)| Version { version, own: take(*parts, false) })
                .collect(),
        }
    }

    /// All schemas, the common one first.
    pub fn schemas(&self) -> impl Iterator<Item = &'a JSONSchemaProps> {
        self.common.props().into_iter().chain(self.versions.iter().filter_map(|v| v.own.props()))
    }
}
