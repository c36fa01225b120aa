//! ServiceAccount: a pod gets a service account, and its containers the account's token
//! (`k8s.io/kubernetes/plugin/pkg/admission/serviceaccount`).

use super::{Plugin, hook, mountable_secrets};
use crate::api::pod::TOKEN_VOLUME_PREFIX;
use crate::api::pod_references::references_secrets;
use crate::api::quote::go_quote;
use crate::api::types::{
    ConfigMapProjection, DownwardAPIProjection, DownwardAPIVolumeFile, KeyToPath, ObjectFieldSelector, Pod,
    PodSpec, ProjectedVolumeSource, ServiceAccount, ServiceAccountTokenProjection, Volume, VolumeMount,
    VolumeProjection,
};
use crate::api::well_known::CONFIG_MIRROR_ANNOTATION;
use crate::api::{ApiKind, Key, Kind, MetaExt, Object, ObjectRef};
use crate::apimachinery::{Details, Status};
use crate::apiserver::ApiServer;
use crate::apiserver::refusal::name_in_refusal;

pub(super) const PLUGIN: Plugin =
    Plugin { admit_create: hook(&[Kind::POD], admit_create), ..Plugin::new("ServiceAccount") };

/// Where containers find the token.
const TOKEN_MOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

fn admit_create(api: &mut ApiServer, object: &mut Object) -> Result<(), Status> {
    let Some(pod) = Pod::from_object_mut(object) else { return Ok(()) };
    service_account(api, pod)?;
    match secrets_refusal(api, pod, mountable_secrets::refusal) {
        Some(why) => Err(Status::forbidden(Kind::POD, name_in_refusal(&pod.metadata), &why)),
        None => Ok(()),
    }
}

/// Refuses ephemeral containers whose Secrets the pod's service account does not allow.
///
/// # Errors
/// 500, as the plug-in does not say that it forbids them.
pub(super) fn validate_ephemeral_containers(api: &ApiServer, object: &Object) -> Result<(), Status> {
    let why = Pod::from_object(object)
        .and_then(|pod| secrets_refusal(api, pod, mountable_secrets::refusal_of_ephemeral));
    why.map_or(Ok(()), |why| Err(Status::new(500, "", why)))
}

/// What `refusal` has against the Secrets of a pod that has a service account.
fn secrets_refusal(
    api: &ApiServer,
    pod: &Pod,
    refusal: fn(&ServiceAccount, &PodSpec) -> Option<String>,
) -> Option<String> {
    let spec = pod.spec.as_deref()?;
    let name = spec.service_account_name.as_deref()?;
    let at = ObjectRef { kind: Kind::SERVICE_ACCOUNT, key: Key::new(pod.metadata.namespace(), name) };
    let account = api.etcd.get(&at).and_then(|r| ServiceAccount::from_object(&r.object))?;
    refusal(account, spec)
}

/// Why a mirror pod may not refer to what it refers to; `None` if it may.
fn mirror_refusal(spec: &PodSpec) -> Option<&'static str> {
    let projected = spec.volumes.iter().flatten().filter_map(|v| v.projected.as_ref());
    let mut sources = projected.flat_map(|p| p.sources.iter().flatten());
    if spec.service_account_name.as_deref().is_some_and(|name| !name.is_empty()) {
        Some("a mirror pod may not reference service accounts")
    } else if references_secrets(spec) {
        Some("a mirror pod may not reference secrets")
    } else if sources.any(|s| s.service_account_token.is_some()) {
        Some("a mirror pod may not use ServiceAccountToken volume projections")
    } else {
        None
    }
}

/// Sets the pod's service account (`default` if it names none), refuses one that does not exist, and mounts its token.
fn service_account(api: &mut ApiServer, pod: &mut Pod) -> Result<(), Status> {
    // The kubelet creates a mirror pod to show a static pod, which has no service account.
    if pod.metadata.annotation(CONFIG_MIRROR_ANNOTATION).is_some() {
        let spec = pod.spec.as_deref();
        return spec
            .and_then(mirror_refusal)
            .map_or(Ok(()), |why| Err(Status::forbidden(Kind::POD, name_in_refusal(&pod.metadata), why)));
    }
    let namespace = pod.metadata.namespace().to_owned();
    let pod_name = name_in_refusal(&pod.metadata).to_owned();
    let Some(whole) = pod.spec.as_mut() else { return Ok(()) };
    let spec: &mut PodSpec = whole;
    let name =
        spec.service_account_name.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| "default".into());
    spec.service_account_name = Some(name.clone());
    spec.service_account = Some(name.clone());
    let at = ObjectRef { kind: Kind::SERVICE_ACCOUNT, key: Key::new(&namespace, &name) };
    let Some(account) = api.etcd.get(&at).and_then(|r| ServiceAccount::from_object(&r.object)).cloned()
    else {
        let why = format!(
            "error looking up service account {namespace}/{name}: serviceaccount {} not found",
            go_quote(&name)
        );
        let mut s = Status::forbidden(Kind::POD, &pod_name, &why);
        s.details = Some(Box::new(Details::resource(Kind::POD, &pod_name)));
        return Err(s);
    };
    if spec.image_pull_secrets.as_ref().is_none_or(Vec::is_empty) {
        spec.image_pull_secrets = account.image_pull_secrets.clone().filter(|s| !s.is_empty());
    }
    let mounts_token =
        spec.automount_service_account_token.or(account.automount_service_account_token).unwrap_or(true);
    if !mounts_token {
        return Ok(());
    }
    let existing = spec
        .volumes
        .iter()
        .flatten()
        .find(|v| v.name.starts_with(TOKEN_VOLUME_PREFIX) && v.projected.is_some())
        .map(|v| v.name.clone());
    let volume = existing.clone().unwrap_or_else(|| format!("{TOKEN_VOLUME_PREFIX}{}", api.random_suffix()));
    let mut needed = false;
    let containers = spec.init_containers.iter_mut().flatten().chain(spec.containers.iter_mut());
    for c in containers {
        let mounts = c.volume_mounts.get_or_insert_default();
        if !mounts.iter().any(|m| m.mount_path == TOKEN_MOUNT) {
            needed = true;
            // Every pod has this mount, so there is no room for others beside it.
            mounts.reserve_exact(1);
            mounts.push(VolumeMount {
                name: volume.clone(),
                read_only: Some(true),
                mount_path: TOKEN_MOUNT.into(),
                ..Default::default()
            });
        }
    }
    if needed && existing.is_none() {
        spec.volumes.get_or_insert_default().push(token_volume(volume));
        whole.part_token_volume();
    }
    Ok(())
}

/// The volume with the token, the certificate authority and the name of the namespace.
fn token_volume(name: String) -> Volume {
    let sources = vec![
        VolumeProjection {
            service_account_token: Some(ServiceAccountTokenProjection {
                // An hour and a little, so that it can be told from one that asked for an hour.
                expiration_seconds: Some(3607),
                path: "token".into(),
                audience: None,
            }),
            ..Default::default()
        },
        VolumeProjection {
            config_map: Some(ConfigMapProjection {
                name: "kube-root-ca.crt".into(),
                items: Some(vec![KeyToPath { key: "ca.crt".into(), path: "ca.crt".into(), mode: None }]),
                optional: None,
            }),
            ..Default::default()
        },
        VolumeProjection {
            downward_api: Some(DownwardAPIProjection {
                items: Some(vec![DownwardAPIVolumeFile {
                    path: "namespace".into(),
                    field_ref: Some(ObjectFieldSelector {
                        api_version: Some("v1".into()),
                        field_path: "metadata.namespace".into(),
                    }),
                    ..Default::default()
                }]),
            }),
            ..Default::default()
        },
    ];
    Volume {
        name,
        projected: Some(ProjectedVolumeSource { default_mode: Some(0o644), sources: Some(sources) }),
        ..Default::default()
    }
}
