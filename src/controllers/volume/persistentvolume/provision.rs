//! Provisioning (`provisionClaim`). The controller creates no volume itself: it names the provisioner in an
//! annotation of the claim, and records an event that it waits for the provisioner.

use std::rc::Rc;

use super::{Claim, Cx, migration};
use crate::api::quote::go_quote;
use crate::api::types::StorageClass;
use crate::api::volume::{BETA_STORAGE_PROVISIONER, STORAGE_PROVISIONER, claim_class, migrated_driver};
use crate::api::{MetaExt, ObjectRef};
use crate::client::{Result, Why};

/// The name of the plug-in for `hostPath`.
pub(super) const HOST_PATH_PLUGIN: &str = "kubernetes.io/host-path";
/// The other plug-ins of kube-controller-manager, none of which creates or deletes volumes.
pub(super) const UNPROVISIONABLE_PLUGINS: [&str; 3] =
    ["kubernetes.io/nfs", "kubernetes.io/local-volume", "kubernetes.io/csi"];

/// Who creates the volumes of a class.
enum Provisioner<'a> {
    /// What runs beside Kubernetes, by its name.
    External(&'a str),
    /// The plug-in `hostPath`, which kube-controller-manager has itself. It creates volumes only with
    /// `--enable-hostpath-provisioner`.
    HostPath,
}

/// The provisioner of a class (`findProvisionablePlugin`). The error is the message of the event.
fn provisioner(class: &StorageClass) -> std::result::Result<Provisioner<'_>, String> {
    let name = class.provisioner.as_str();
    if let Some(driver) = migrated_driver(name) {
        return Ok(Provisioner::External(driver));
    }
    match name {
        HOST_PATH_PLUGIN => Ok(Provisioner::HostPath),
        _ if UNPROVISIONABLE_PLUGINS.contains(&name) => Err("no provisionable volume plugin matched".into()),
        _ if name.starts_with("kubernetes.io/") => Err(format!("no volume plugin matched name: {name}")),
        _ => Ok(Provisioner::External(name)),
    }
}

pub(super) async fn provision_claim(cx: &Cx, claim: Claim, class: Option<Rc<StorageClass>>) -> Result {
    let found = match &class {
        Some(class) => provisioner(class),
        None => Err(format!("storageclass.storage.k8s.io {:?} not found", claim_class(&claim))),
    };
    let failed =
        |claim: &Claim, message: String| cx.event(&**claim, "Warning", "ProvisioningFailed", message);
    match found {
        Ok(Provisioner::External(by)) => {
            let claim = match name_provisioner(cx, claim.clone(), by).await {
                Ok(claim) => claim,
                Err(e) => {
                    failed(&claim, format!("Error saving claim: {e}"));
                    return Err(e);
                }
            };
            let message = format!(
                "Waiting for a volume to be created either by the external provisioner '{by}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered."
            );
            cx.event(&*claim, "Normal", "ExternalProvisioning", message);
        }
        Ok(Provisioner::HostPath) => {
            if claim.spec.as_ref().is_some_and(|s| s.data_source.is_some()) {
                let message = format!(
                    "plugin {} is not a CSI plugin. Only CSI plugin can provision a claim with a datasource",
                    go_quote(HOST_PATH_PLUGIN)
                );
                failed(&claim, message);
                return Ok(());
            }
            let claim = name_provisioner(cx, claim, HOST_PATH_PLUGIN).await?;
            let options = class.iter().flat_map(|c| c.mount_options.iter().flatten());
            let options: Vec<&str> = options.map(String::as_str).collect();
            let message = if options.is_empty() {
                let plugin = go_quote(HOST_PATH_PLUGIN);
                format!("Failed to create provisioner: provisioning in volume plugin {plugin} is disabled")
            } else {
                format!(
                    "Mount options are not supported by the provisioner but StorageClass {} has mount options [{}]",
                    go_quote(claim_class(&claim)),
                    options.join(" ")
                )
            };
            failed(&claim, message);
        }
        Err(message) => failed(&claim, message),
    }
    Ok(())
}

/// Writes into the annotations of a claim who is to create its volume (`setClaimProvisioner`).
async fn name_provisioner(cx: &Cx, mut claim: Claim, by: &str) -> Result<Claim> {
    if claim.metadata.annotation(STORAGE_PROVISIONER) != Some(by) {
        let why = Why::new("provision_claim")
            .read("claim", ObjectRef::of(&*claim), "spec.storageClassName", claim_class(&claim))
            .with("provisioner", by);
        let annotations = &mut Rc::make_mut(&mut claim).metadata.annotations;
        let all = annotations.get_or_insert_default();
        all.insert(BETA_STORAGE_PROVISIONER.into(), by.to_owned());
        all.insert(STORAGE_PROVISIONER.into(), by.to_owned());
        migration::update_annotation(annotations, by);
        claim = cx.update(claim).because(why).await?;
    }
    Ok(claim)
}
