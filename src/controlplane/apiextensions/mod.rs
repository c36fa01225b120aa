//! The controllers of CustomResourceDefinitions (`k8s.io/apiextensions-apiserver/pkg/controller`). They run
//! in kube-apiserver, and write what the functions of
//! [`apiserver::apiextensions`](crate::apiserver::apiextensions) decide.

mod conditions;
mod finalizer;
mod naming;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use super::USER;
use crate::api::types::CustomResourceDefinition as Crd;
use crate::apiserver::apiextensions::types::CustomResourceDefinitionStatus;
use crate::client::{Component, Context, Controller, Memory, Result, Why, WorkKey};

/// The controllers, in the order in which they take turns under the fair policy.
pub fn all() -> Vec<Box<dyn Component>> {
    vec![
        Controller::boxed(naming::NamingConditionController),
        Controller::boxed(conditions::ESTABLISHING),
        Controller::boxed(conditions::NON_STRUCTURAL_SCHEMA),
        Controller::boxed(conditions::API_APPROVAL),
        Controller::boxed(finalizer::CrdFinalizer),
    ]
}

/// Writes a definition's status. If the definition was changed or deleted meanwhile, that change leads to
/// another sync.
async fn update_status<S: Memory, K: WorkKey>(
    cx: &Context<S, K>,
    crd: &Rc<Crd>,
    status: CustomResourceDefinitionStatus,
    why: Why,
) -> Result<Option<Rc<Crd>>> {
    let mut new = crd.clone();
    Rc::make_mut(&mut new).status = Some(status);
    match cx.update_status(new).because(why).await {
        Ok(written) => Ok(Some(written)),
        Err(e) if e.is_not_found() || e.is_conflict() => Ok(None),
        Err(e) => Err(e.into()),
    }
}
