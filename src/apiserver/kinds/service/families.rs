//! The address families of a Service (`initIPFamilyFields` in `pkg/registry/core/service/storage/alloc.go`).

use super::fields::HEADLESS;
use super::validation::cluster_ips;
use crate::api::ip_family::{IPV4, IPV6, IpFamily, family_of};
use crate::api::types::ServiceSpec;
use crate::api::{Kind, Object};
use crate::apimachinery::Status;
use crate::apiserver::validation::{
    BadValue, Errors, FieldError, Path, go_json_string, invalid, json_strings, list, text,
};

/// A refusal, if there are errors.
pub(super) fn refuse(object: &Object, errors: &[FieldError]) -> Result<(), Status> {
    if errors.is_empty() { Ok(()) } else { Err(invalid(Kind::SERVICE, object.name(), errors)) }
}

/// A list of strings, as a message quotes it.
fn quoted(list: &[String]) -> BadValue {
    json_strings(list)
}

/// The policy, as a message quotes it: `null` if there is none.
fn policy_value(spec: &ServiceSpec) -> BadValue {
    let text = spec.ip_family_policy.as_deref().map_or("null".to_owned(), go_json_string);
    BadValue::Json(text)
}

/// Whether both versions have the same type, prefer two families and have the same addresses and families; such an update
/// changes none of them, also where the cluster has other families than before
/// (`isMatchingPreferDualStackClusterIPFields`).
pub(super) fn same_prefer_dual_stack(n: &ServiceSpec, o: &ServiceSpec) -> bool {
    let prefers = |s: &ServiceSpec| text(&s.ip_family_policy) == "PreferDualStack";
    text(&n.type_) != "ExternalName"
        && n.type_ == o.type_
        && prefers(n)
        && (prefers(o) || o.ip_family_policy.is_none())
        && list(&n.cluster_ips) == list(&o.cluster_ips)
        && list(&n.ip_families) == list(&o.ip_families)
}

/// The other one of the two families.
fn other(family: &str) -> String {
    if family == IPV4 { IPV6 } else { IPV4 }.to_owned()
}

/// Sets the families and their policy by what the client gave and by what the cluster has.
pub(super) fn init_families(
    cluster: IpFamily,
    object: &Object,
    spec: &mut ServiceSpec,
    old: Option<&ServiceSpec>,
) -> Result<(), Status> {
    if text(&spec.type_) == "ExternalName" {
        return Ok(());
    }
    let nowhere = text(&spec.cluster_ip) == HEADLESS && spec.selector.as_ref().is_none_or(|s| s.is_empty());
    if spec.ip_family_policy.is_none() {
        spec.ip_family_policy = match old.and_then(|o| o.ip_family_policy.clone()) {
            Some(policy) => Some(policy),
            None if nowhere => Some("RequireDualStack".to_owned()),
            None => Some("SingleStack".to_owned()),
        };
    }
    let mut errors = Errors::new();
    cluster_ips(&mut errors, spec, old, &Path::new("spec"));
    refuse(object, &errors)?;
    let path = Path::new("spec");
    let policy = path.child("ipFamilyPolicy");
    let single = text(&spec.ip_family_policy) == "SingleStack";
    if let Some(old) = old {
        reduced(&mut errors, spec, old, single, &policy);
    }
    if single {
        for (many, what) in
            [(list(&spec.cluster_ips).len(), "cluster IPs"), (list(&spec.ip_families).len(), "IP families")]
        {
            if many == 2 {
                let why = format!(
                    "must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified"
                );
                errors.push(FieldError::invalid(&policy, policy_value(spec), why));
            }
        }
    }
    let configured = cluster.families();
    let default = configured.first().copied().unwrap_or(IPV4);
    let ips = list(&spec.cluster_ips).to_vec();
    for (i, ip) in ips.iter().enumerate().take_while(|(_, ip)| *ip != HEADLESS) {
        if i < list(&spec.ip_families).len() {
            continue;
        }
        let family = family_of(ip);
        if configured.contains(&family) {
            spec.ip_families.get_or_insert_default().push(family.to_owned());
        } else {
            let at = path.child("clusterIPs").index(i);
            let why = format!("{family} is not configured on this cluster");
            errors.push(FieldError::invalid(&at, quoted(&ips), why));
        }
    }
    refuse(object, &errors)?;
    let families = spec.ip_families.get_or_insert_default();
    if nowhere {
        if families.is_empty() {
            families.push(default.to_owned());
        }
        if let ([one], false) = (families.as_slice(), single) {
            let second = other(one);
            families.push(second);
        }
        return Ok(());
    }
    if text(&spec.ip_family_policy) == "RequireDualStack" && configured.len() < 2 {
        let why = "this cluster is not configured for dual-stack services";
        errors.push(FieldError::invalid(&policy, policy_value(spec), why));
    }
    let unknown = |(_, family): &(usize, &String)| !configured.contains(&family.as_str());
    for (i, family) in list(&spec.ip_families).iter().enumerate().filter(unknown) {
        let at = path.child("ipFamilies").index(i);
        errors.push(FieldError::invalid(&at, family, "not configured on this cluster"));
    }
    refuse(object, &errors)?;
    let families = spec.ip_families.get_or_insert_default();
    if families.is_empty() {
        families.push(default.to_owned());
    }
    if let ([one], false, [_, _]) = (families.as_slice(), single, configured) {
        let second = other(one);
        families.push(second);
    }
    Ok(())
}

/// Refuses an update that has fewer addresses or families than before and does not set the policy `SingleStack`.
fn reduced(errors: &mut Errors, spec: &mut ServiceSpec, old: &ServiceSpec, single: bool, policy: &Path) {
    if single {
        // If nothing else changed, the policy alone decides how many there are.
        if spec.cluster_ips == old.cluster_ips {
            spec.cluster_ips.iter_mut().for_each(|ips| ips.truncate(1));
        }
        if spec.ip_families == old.ip_families {
            spec.ip_families.iter_mut().for_each(|families| families.truncate(1));
        }
        return;
    }
    for (new, old, what) in [
        (list(&spec.cluster_ips), list(&old.cluster_ips), "cluster IP"),
        (list(&spec.ip_families), list(&old.ip_families), "IP family"),
    ] {
        if !new.is_empty() && new.len() < old.len() {
            let why = format!("must be 'SingleStack' to release the secondary {what}");
            errors.push(FieldError::invalid(policy, policy_value(spec), why));
        }
    }
}
