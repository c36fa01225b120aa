//! The rarer sources of volumes, of pods and of PersistentVolumes alike: most of their rules are
//! that a field must be there. They are read as JSON, since there are two structs of most.

use serde_json::Value;

use super::field::{Errors, FieldError, Path, json_strings};
use super::meta::invalid_each;
use super::names;
use crate::api::names::inclusive_range_error;

/// Fields that must be there, by the source.
const REQUIRED: &[(&str, &[&str])] = &[
    ("gcePersistentDisk", &["pdName"]),
    ("awsElasticBlockStore", &["volumeID"]),
    ("glusterfs", &["endpoints", "path"]),
    ("rbd", &["monitors", "image"]),
    ("cephfs", &["monitors"]),
    ("cinder", &["volumeID"]),
    ("flexVolume", &["driver"]),
    ("azureFile", &["secretName", "shareName"]),
    ("azureDisk", &["diskName", "diskURI"]),
    ("vsphereVolume", &["volumePath"]),
    ("photonPersistentDisk", &["pdID"]),
    ("portworxVolume", &["volumeID"]),
    ("scaleIO", &["gateway", "system", "volumeName"]),
];

/// Checks a source. `volume` is the name of the PersistentVolume it is the source of.
pub(in crate::apiserver) fn source(
    errs: &mut Errors,
    name: &str,
    value: &Value,
    volume: Option<&str>,
    path: &Path,
) {
    let source = Source { value, path };
    let required = REQUIRED.iter().find(|(n, _)| *n == name).map(|(_, fields)| *fields);
    for field in required.into_iter().flatten() {
        source.required(errs, field);
    }
    match name {
        "gcePersistentDisk" | "awsElasticBlockStore" => source.number(errs, "partition", 0..=255, 1),
        "iscsi" => iscsi(errs, &source, volume),
        "fc" => fibre_channel(errs, &source),
        "glusterfs" if volume.is_some() => {
            let at = path.child("endpointsNamespace");
            match value.get("endpointsNamespace").and_then(Value::as_str) {
                None => {}
                Some("") => errs.push(FieldError::invalid(
                    &at,
                    "",
                    "if the endpointnamespace is set, it must be a valid namespace name",
                )),
                Some(name) => invalid_each(errs, &at, name, names::dns1123_label(name)),
            }
        }
        "flocker" => flocker(errs, &source),
        "quobyte" => quobyte(errs, &source),
        "cinder" => source.secret(errs, volume.is_some()),
        "flexVolume" => {
            for key in value.get("options").and_then(Value::as_object).into_iter().flatten().map(|(k, _)| k) {
                let domain = key.split_once('/').map_or(key.as_str(), |(domain, _)| domain);
                let domain = format!(".{}", domain.to_lowercase());
                if domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io") {
                    let why = "kubernetes.io and k8s.io namespaces are reserved";
                    errs.push(FieldError::invalid(&path.child("options").key(key), key, why));
                }
            }
        }
        "azureFile" if volume.is_some() && value.get("secretNamespace").is_some() => {
            source.required(errs, "secretNamespace");
        }
        "azureDisk" => azure_disk(errs, &source),
        "storageos" => {
            for (field, must) in [("volumeName", true), ("volumeNamespace", false)] {
                let (text, at) = (source.text(field), path.child(field));
                if !text.is_empty() {
                    invalid_each(errs, &at, text, names::dns1123_label(text));
                } else if must {
                    errs.push(FieldError::required(&at, ""));
                }
            }
            source.secret(errs, volume.is_some());
        }
        _ => {}
    }
}

struct Source<'a> {
    value: &'a Value,
    path: &'a Path,
}

impl Source<'_> {
    fn text(&self, field: &str) -> &str {
        self.value.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    fn list(&self, field: &str) -> Vec<String> {
        let items = self.value.get(field).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn required(&self, errs: &mut Errors, field: &'static str) {
        if self.text(field).is_empty() && self.list(field).is_empty() {
            errs.push(FieldError::required(&self.path.child(field), ""));
        }
    }

    /// A number in a range; `said` is the least that the message names.
    fn number(
        &self,
        errs: &mut Errors,
        field: &'static str,
        range: std::ops::RangeInclusive<i64>,
        said: i64,
    ) {
        let number = self.value.get(field).and_then(Value::as_i64).unwrap_or(0);
        if !range.contains(&number) {
            let why = inclusive_range_error(said, *range.end());
            errs.push(FieldError::invalid(&self.path.child(field), number, why));
        }
    }

    /// A secret that is named is named in full.
    fn secret(&self, errs: &mut Errors, with_namespace: bool) {
        let Some(secret) = self.value.get("secretRef") else { return };
        let fields: &[&'static str] = if with_namespace { &["name", "namespace"] } else { &["name"] };
        for field in fields {
            if secret.get(field).and_then(Value::as_str).unwrap_or_default().is_empty() {
                errs.push(FieldError::required(&self.path.child("secretRef").child(field), ""));
            }
        }
    }
}

/// Whether a name of iSCSI's is well formed; `None` if it is of no known form.
fn iscsi_name(name: &str) -> Option<bool> {
    let alphanumeric = |rest: &str, n: usize| {
        let mut chars = rest.chars();
        chars.next().is_some() && chars.as_str().len() == n && chars.all(|c| c.is_ascii_alphanumeric())
    };
    if let Some(rest) = name.strip_prefix("eui") {
        return Some(alphanumeric(rest, 16));
    }
    if let Some(rest) = name.strip_prefix("naa") {
        return Some(alphanumeric(rest, 32));
    }
    let rest = name.strip_prefix("iqn")?;
    let digits = |text: &str, n: usize| text.len() == n && text.bytes().all(|b| b.is_ascii_digit());
    let dated = || {
        let (year, rest) = rest.strip_prefix('.')?.split_once('-')?;
        let (month, rest) = rest.split_once('.')?;
        let (host, name) = rest.split_once(':')?;
        let host_ok = !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c));
        let name_ok =
            !name.is_empty() && !name.chars().any(|c| ",;*&$|".contains(c) || c.is_ascii_whitespace());
        Some(digits(year, 4) && digits(month, 2) && host_ok && name_ok)
    };
    Some(dated() == Some(true))
}

/// What is said of a volume whose name and portal are too long for iSCSI.
pub(super) const TOO_LONG_FOR_ISCSI: &str = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";

/// Whether a volume's name and portal together are too long for the name of an interface of the initiator.
pub(super) fn too_long_for_iscsi(volume: &str, portal: &str) -> bool {
    volume.len() + 1 + portal.len() > 64
}

fn iscsi(errs: &mut Errors, source: &Source<'_>, volume: Option<&str>) {
    const FORMAT: &str = "must be valid format";
    // A PersistentVolume is told less.
    let unknown =
        if volume.is_some() { FORMAT } else { "must be valid format starting with iqn, eui, or naa" };
    source.required(errs, "targetPortal");
    let initiator = source.value.get("initiatorName").and_then(Value::as_str);
    let portal = source.text("targetPortal");
    if let (Some(volume), Some(_)) = (volume, initiator)
        && too_long_for_iscsi(volume, portal)
    {
        errs.push(FieldError::invalid(&source.path.child("targetportal"), portal, TOO_LONG_FOR_ISCSI));
    }
    let iqn = source.text("iqn");
    let mut check = |field: &'static str, name: &str| {
        let why = match iscsi_name(name) {
            None => unknown,
            Some(false) => FORMAT,
            Some(true) => return,
        };
        errs.push(FieldError::invalid(&source.path.child(field), name, why));
    };
    if !iqn.is_empty() {
        check("iqn", iqn);
    } else {
        source.required(errs, "iqn");
    }
    source.number(errs, "lun", 0..=255, 0);
    let on = |field: &str| source.value.get(field).and_then(Value::as_bool) == Some(true);
    if (on("chapAuthDiscovery") || on("chapAuthSession")) && source.value.get("secretRef").is_none() {
        errs.push(FieldError::required(&source.path.child("secretRef"), ""));
    }
    if volume.is_some() {
        source.secret(errs, false);
    }
    if let Some(name) = initiator {
        let why = match iscsi_name(name) {
            None => unknown,
            Some(false) => FORMAT,
            Some(true) => return,
        };
        errs.push(FieldError::invalid(&source.path.child("initiatorname"), name, why));
    }
}

fn fibre_channel(errs: &mut Errors, source: &Source<'_>) {
    let (targets, ids) = (source.list("targetWWNs"), source.list("wwids"));
    let at = source.path.child("targetWWNs");
    if targets.is_empty() && ids.is_empty() {
        errs.push(FieldError::required(&at, "must specify either targetWWNs or wwids, but not both"));
    }
    if targets.is_empty() {
        return;
    }
    if !ids.is_empty() {
        let why = "targetWWNs and wwids can not be specified simultaneously";
        errs.push(FieldError::invalid(&at, json_strings(&targets), why));
    }
    if source.value.get("lun").is_none() {
        let why = "lun is required if targetWWNs is specified";
        errs.push(FieldError::required(&source.path.child("lun"), why));
    } else {
        source.number(errs, "lun", 0..=255, 0);
    }
}

fn flocker(errs: &mut Errors, source: &Source<'_>) {
    let (name, uuid) = (source.text("datasetName"), source.text("datasetUUID"));
    if name.is_empty() && uuid.is_empty() {
        errs.push(FieldError::required(source.path, "one of datasetName and datasetUUID is required"));
    }
    if !name.is_empty() && !uuid.is_empty() {
        let why = "datasetName and datasetUUID can not be specified simultaneously";
        errs.push(FieldError::invalid(source.path, "resource", why));
    }
    if name.contains('/') {
        errs.push(FieldError::invalid(&source.path.child("datasetName"), name, "must not contain '/'"));
    }
}

fn quobyte(errs: &mut Errors, source: &Source<'_>) {
    const PAIRS: &str = "must be a host:port pair or multiple pairs separated by commas";
    let (registry, at) = (source.text("registry"), source.path.child("registry"));
    if registry.is_empty() {
        errs.push(FieldError::required(&at, PAIRS));
    } else if source.text("tenant").len() >= 65 {
        let why = "must be a UUID and may not exceed a length of 64 characters";
        errs.push(FieldError::required(&source.path.child("tenant"), why));
    } else {
        for pair in registry.split(',') {
            // As `net.SplitHostPort` has it: one colon, or an address in brackets before it.
            let fits = match pair.strip_prefix('[') {
                Some(rest) => rest.split_once(']').is_some_and(|(_, port)| {
                    port.strip_prefix(':').is_some_and(|p| !p.contains([':', '[', ']']))
                }),
                None => pair.matches(':').count() == 1 && !pair.contains(['[', ']']),
            };
            if !fits {
                errs.push(FieldError::invalid(&at, registry, PAIRS));
            }
        }
    }
    source.required(errs, "volume");
}

fn azure_disk(errs: &mut Errors, source: &Source<'_>) {
    for (field, values) in
        [("cachingMode", &["None", "ReadOnly", "ReadWrite"]), ("kind", &["Dedicated", "Managed", "Shared"])]
    {
        if let Some(given) = source.value.get(field).and_then(Value::as_str)
            && !values.contains(&given)
        {
            errs.push(FieldError::not_supported(&source.path.child(field), given, values));
        }
    }
    let Some(kind) = source.value.get("kind").and_then(Value::as_str) else { return };
    let (begins, form) = match kind {
        "Managed" => (
            "/subscriptions/",
            "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
        ),
        _ => ("https://", "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"),
    };
    let uri = source.text("diskURI");
    if !uri.starts_with(begins) {
        errs.push(FieldError::not_supported(&source.path.child("diskURI"), uri, &[form]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(name: &str, value: &Value, volume: Option<&str>) -> Vec<String> {
        let mut errs = Errors::default();
        source(&mut errs, name, value, volume, &Path::new("at"));
        errs.iter().map(|e| format!("{}: {}", e.field, e.body())).collect()
    }

    #[test]
    fn names_of_iscsi() {
        for good in [
            "iqn.2001-04.com.example:storage:disk1",
            "eui.0123456789abcdef",
            "naa.62004567ba64678d0123456789abcdef",
        ] {
            assert_eq!(iscsi_name(good), Some(true), "{good}");
        }
        for bad in ["iqn.2001-4.com.example:x", "iqn.2001-04.com.example", "eui.0123", "naa.62004567ba64678d"]
        {
            assert_eq!(iscsi_name(bad), Some(false), "{bad}");
        }
        assert_eq!(iscsi_name("disk"), None);
    }

    #[test]
    fn every_violation_in_its_order() {
        let iscsi = json!({"targetPortal": "", "iqn": "x", "lun": 300, "chapAuthSession": true, "initiatorName": "y"});
        assert_eq!(
            said("iscsi", &iscsi, None),
            [
                "at.targetPortal: Required value",
                "at.iqn: Invalid value: \"x\": must be valid format starting with iqn, eui, or naa",
                "at.lun: Invalid value: 300: must be between 0 and 255, inclusive",
                "at.secretRef: Required value",
                "at.initiatorname: Invalid value: \"y\": must be valid format starting with iqn, eui, or naa",
            ]
        );
        assert_eq!(
            said("fc", &json!({"targetWWNs": ["a"], "wwids": ["b"]}), None),
            [
                "at.targetWWNs: Invalid value: [\"a\"]: targetWWNs and wwids can not be specified simultaneously",
                "at.lun: Required value: lun is required if targetWWNs is specified",
            ]
        );
        assert_eq!(
            said(
                "azureDisk",
                &json!({"diskName": "d", "diskURI": "x", "kind": "Managed", "cachingMode": "Some"}),
                None
            ),
            [
                "at.cachingMode: Unsupported value: \"Some\": supported values: \"None\", \"ReadOnly\", \"ReadWrite\"",
                "at.diskURI: Unsupported value: \"x\": supported values: \"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}\"",
            ]
        );
        assert_eq!(
            said("cinder", &json!({"volumeID": "v", "secretRef": {}}), Some("v")),
            ["at.secretRef.name: Required value", "at.secretRef.namespace: Required value"]
        );
        assert_eq!(
            said("gcePersistentDisk", &json!({"pdName": "p", "partition": 256}), None),
            ["at.partition: Invalid value: 256: must be between 1 and 255, inclusive"]
        );
    }
}
