//! The controllers that write one condition of a definition each: whether it is established
//! (`pkg/controller/establish`), whether its schemas are structural (`nonstructuralschema`), whether a
//! definition in a protected group is approved (`apiapproval`).

use std::rc::Rc;

use super::update_status;
use crate::api::types::CustomResourceDefinition as Crd;
use crate::api::{Key, ObjectRef, Timestamp};
use crate::apiserver::apiextensions::types::CustomResourceDefinitionStatus;
use crate::apiserver::apiextensions::{conditions, names};
use crate::client::{Context, Reconciler, Result, Watches, Why};

/// A controller that writes one condition of definitions.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConditionController {
    name: &'static str,
    rule: &'static str,
    /// The status to write; `None` if it is up to date.
    decide: fn(&Crd, Timestamp) -> Option<CustomResourceDefinitionStatus>,
}

/// Sets `Established` once the names of a definition are accepted. Kubernetes waits for five seconds if
/// there are several API servers; here there is one.
pub(super) const ESTABLISHING: ConditionController = ConditionController {
    name: "crd-establishing-controller",
    rule: "establishing.sync",
    decide: names::establish,
};

/// Sets `NonStructuralSchema` if a schema of a definition is not structural.
pub(super) const NON_STRUCTURAL_SCHEMA: ConditionController = ConditionController {
    name: "crd-nonstructural-schema-condition-controller",
    rule: "non_structural_schema.sync",
    decide: names::non_structural,
};

/// Sets `KubernetesAPIApprovalPolicyConformant` for definitions in Kubernetes' own groups.
pub(super) const API_APPROVAL: ConditionController = ConditionController {
    name: "crd-api-approval-condition-controller",
    rule: "api_approval.sync",
    decide: names::approve,
};

impl Reconciler for ConditionController {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        self.name.into()
    }

    fn user(&self) -> Rc<str> {
        super::USER.into()
    }

    fn watches(&self) -> Watches {
        Watches::new().for_::<Crd>()
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let Some(crd) = cx.lister::<Crd>().get(&key).cloned() else { return Ok(()) };
        let Some(status) = (self.decide)(&crd, cx.now()) else { return Ok(()) };
        let conditions = status.conditions.as_deref().unwrap_or_default();
        let written = conditions.iter().find(|c| conditions::find_condition(&crd, &c.type_) != Some(c));
        let what = written.map_or(String::new(), |c| format!("{}={}", c.type_, c.status));
        let why = Why::new(self.rule)
            .read("definition", ObjectRef::of(&*crd), "status.conditions", &key.name)
            .with("condition", what);
        update_status(&cx, &crd, status, why).await?;
        Ok(())
    }
}
