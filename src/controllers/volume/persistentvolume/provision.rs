//! Provisioning (`provisionClaim`). The controller creates no volume itself: it names the provisioner in an
//! annotation of the claim, and records an event that it waits for the provisioner.

use std::rc::Rc;

use super::{Claim, Cx};
use crate::api::types::StorageClass;
use crate::api::volume::{BETA_STORAGE_PROVISIONER, STORAGE_PROVISIONER, claim_class, migrated_driver};
use crate::api::{MetaExt, ObjectRef};
use crate::client::{Result, Why};

/// The provisioner of a class (`findProvisionablePlugin`). The error is the message of the event.
fn provisioner(class: &StorageClass) -> std::result::Result<&str, String> {
    let name = class.provisioner.as_str();
    if let Some(driver) = migrated_driver(name) {
        return Ok(driver);
    }
    match name {
        "kubernetes.io/host-path" | "kubernetes.io/nfs" | "kubernetes.io/local-volume" => {
            Err("no provisionable volume plugin matched".into())
        }
        _ if name.starts_with("kubernetes.io/") => Err(format!("no volume plugin matched name: {name}")),
        _ => Ok(name),
    }
}

pub(super) async fn provision_claim(cx: &Cx, claim: Claim, class: Option<Rc<StorageClass>>) -> Result {
    let found = match &class {
        Some(class) => provisioner(class),
        None => Err(format!("storageclass.storage.k8s.io {:?} not found", claim_class(&claim))),
    };
    let by = match found {
        Ok(by) => by,
        Err(message) => {
            cx.event(&*claim, "Warning", "ProvisioningFailed", message);
            return Ok(());
        }
    };
    let mut claim = claim;
    if claim.metadata.annotation(STORAGE_PROVISIONER) != Some(by) {
        let why = Why::new("provision_claim")
            .read("claim", ObjectRef::of(&*claim), "spec.storageClassName", claim_class(&claim))
            .with("provisioner", by);
        let annotations = Rc::make_mut(&mut claim).metadata.annotations.get_or_insert_default();
        annotations.insert(BETA_STORAGE_PROVISIONER.into(), by.to_owned());
        annotations.insert(STORAGE_PROVISIONER.into(), by.to_owned());
        claim = cx.update(claim).because(why).await?;
    }
    let message = format!(
        "Waiting for a volume to be created either by the external provisioner '{by}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered."
    );
    cx.event(&*claim, "Normal", "ExternalProvisioning", message);
    Ok(())
}
