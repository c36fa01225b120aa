//! Environment variables and where their values come from.

use crate::api::quantity::amount_of;
use crate::api::types as t;

use super::field::{Errors, FieldError, Path};
use super::meta::invalid_each;
use super::names::{self, name_is_dns_subdomain};
use super::{list, local_path, text};

/// Fields of a pod that a variable may take its value from.
const ENV_FIELDS: &[&str] = &[
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
/// Fields of a pod that a file may take its content from.
pub(super) const FILE_FIELDS: &[&str] =
    &["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
/// Resources of a container that a variable or a file may tell.
const RESOURCES: &[&str] = &[
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];

/// The variables of a container.
pub(in crate::apiserver) fn env(errs: &mut Errors, vars: &[t::EnvVar], path: &Path) {
    for (i, var) in vars.iter().enumerate() {
        let at = path.index(i);
        if var.name.is_empty() {
            errs.push(FieldError::required(&at.child("name"), ""));
        } else {
            invalid_each(errs, &at.child("name"), &var.name, names::env_var_name(&var.name));
        }
        if let Some(source) = &var.value_from {
            value_from(errs, source, text(&var.value), &at.child("valueFrom"));
        }
    }
}

fn value_from(errs: &mut Errors, source: &t::EnvVarSource, value: &str, path: &Path) {
    let mut sources = 0;
    if let Some(field) = &source.field_ref {
        sources += 1;
        field_ref(errs, field, ENV_FIELDS, &path.child("fieldRef"));
    }
    if let Some(resource) = &source.resource_field_ref {
        sources += 1;
        resource_field_ref(errs, resource, false, &path.child("resourceFieldRef"));
    }
    if let Some(key) = &source.config_map_key_ref {
        sources += 1;
        key_ref(errs, &key.name, &key.key, &path.child("configMapKeyRef"));
    }
    if let Some(key) = &source.secret_key_ref {
        sources += 1;
        key_ref(errs, &key.name, &key.key, &path.child("secretKeyRef"));
    }
    if let Some(file) = &source.file_key_ref {
        sources += 1;
        file_key_ref(errs, file, &path.child("fileKeyRef"));
    }
    if sources == 0 {
        errs.push(FieldError::invalid(
            path,
            "",
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
        ));
    } else if !value.is_empty() {
        errs.push(FieldError::invalid(path, "", "may not be specified when `value` is not empty"));
    } else if sources > 1 {
        errs.push(FieldError::invalid(path, "", "may not have more than one field specified at a time"));
    }
}

fn key_ref(errs: &mut Errors, name: &str, key: &str, path: &Path) {
    invalid_each(errs, &path.child("name"), name, names::dns1123_subdomain(name));
    if key.is_empty() {
        errs.push(FieldError::required(&path.child("key"), ""));
    } else {
        invalid_each(errs, &path.child("key"), key, names::config_map_key(key));
    }
}

fn file_key_ref(errs: &mut Errors, file: &t::FileKeySelector, path: &Path) {
    if file.key.is_empty() {
        errs.push(FieldError::required(&path.child("key"), ""));
    } else {
        invalid_each(errs, &path.child("key"), &file.key, names::env_var_name(&file.key));
    }
    if file.volume_name.is_empty() {
        errs.push(FieldError::required(&path.child("volumeName"), ""));
    } else {
        let at = path.child("volumeName");
        invalid_each(errs, &at, &file.volume_name, names::dns1123_label(&file.volume_name));
    }
    if file.path.is_empty() {
        errs.push(FieldError::required(&path.child("path"), ""));
    } else {
        local_path::no_backsteps(errs, &file.path, &path.child("path"));
    }
}

/// Validates that the files which variables are read from are in volumes of the pod of the type `emptyDir`
/// (`validateFileKeyRefVolumes`).
pub(super) fn file_key_ref_volumes(errs: &mut Errors, spec: &t::PodSpec, path: &Path) {
    let mut of_container = |name: &'static str, i: usize, vars: &Option<Vec<t::EnvVar>>| {
        for (j, var) in list(vars).iter().enumerate() {
            let Some(file) = var.value_from.as_ref().and_then(|v| v.file_key_ref.as_ref()) else { continue };
            let at = path.child(name).index(i).child("env").index(j).child("valueFrom").child("fileKeyRef");
            let at = at.child("volumeName");
            // Of two volumes of one name the last one counts.
            match list(&spec.volumes).iter().rfind(|v| v.name == file.volume_name) {
                None => errs.push(FieldError::not_found(&at, &file.volume_name)),
                Some(volume) if volume.empty_dir.is_none() => {
                    let message = "referenced volume must be of type emptyDir";
                    errs.push(FieldError::invalid(&at, &file.volume_name, message));
                }
                Some(_) => {}
            }
        }
    };
    for (name, containers) in
        [("initContainers", list(&spec.init_containers)), ("containers", &spec.containers[..])]
    {
        containers.iter().enumerate().for_each(|(i, c)| of_container(name, i, &c.env));
    }
    let ephemeral = list(&spec.ephemeral_containers).iter().enumerate();
    ephemeral.for_each(|(i, c)| of_container("ephemeralContainers", i, &c.env));
}

/// A reference to one of the pod's own fields, of those in `allowed`.
pub(in crate::apiserver) fn field_ref(
    errs: &mut Errors,
    field: &t::ObjectFieldSelector,
    allowed: &[&str],
    path: &Path,
) {
    let version = text(&field.api_version);
    if version.is_empty() {
        errs.push(FieldError::required(&path.child("apiVersion"), ""));
        return;
    }
    let at = path.child("fieldPath");
    let label = field.field_path.as_str();
    if label.is_empty() {
        errs.push(FieldError::required(&at, ""));
        return;
    }
    if version != "v1" {
        errs.push(FieldError::invalid(
            &at,
            label,
            format!("error converting fieldPath: unsupported pod version: {version}"),
        ));
        return;
    }
    // `metadata.labels['app']`
    let subscripted = label.strip_suffix("']").and_then(|l| l.split_once("['"));
    if let Some((base, key)) = subscripted {
        match base {
            "metadata.annotations" => {
                let key = key.to_lowercase();
                invalid_each(errs, path, &key, names::qualified_name(&key));
            }
            "metadata.labels" => invalid_each(errs, path, key, names::qualified_name(key)),
            _ => errs.push(FieldError::invalid(
                &at,
                label,
                format!("error converting fieldPath: field label does not support subscript: {label}"),
            )),
        }
        return;
    }
    // What is a field of a pod, but not of those allowed here, is told differently from what is none.
    const KNOWN: &[&str] = &[
        "metadata.annotations",
        "metadata.labels",
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.serviceAccountName",
        "spec.schedulerName",
        "status.phase",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
        "spec.host",
    ];
    if !KNOWN.contains(&label) {
        errs.push(FieldError::invalid(
            &at,
            label,
            format!("error converting fieldPath: field label not supported: {label}"),
        ));
    } else if !allowed.contains(&label) {
        errs.push(FieldError::not_supported(&at, label, allowed));
    }
}

/// A reference to a container's own resources; in a volume the container must be named.
pub(in crate::apiserver) fn resource_field_ref(
    errs: &mut Errors,
    field: &t::ResourceFieldSelector,
    in_volume: bool,
    path: &Path,
) {
    let resource = field.resource.as_str();
    let huge = resource.starts_with("requests.hugepages-") || resource.starts_with("limits.hugepages-");
    if in_volume && text(&field.container_name).is_empty() {
        errs.push(FieldError::required(&path.child("containerName"), ""));
    } else if resource.is_empty() {
        errs.push(FieldError::required(&path.child("resource"), ""));
    } else if !RESOURCES.contains(&resource) && !huge {
        errs.push(FieldError::not_supported(&path.child("resource"), resource, RESOURCES));
    }
    let divisor = amount_of(field.divisor.as_ref());
    if divisor == amount_of(None) {
        return;
    }
    let divisor = divisor.canonical();
    const SIZES: &[&str] =
        &["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];
    let (allowed, words): (&[&str], String) = match resource {
        "limits.cpu" | "requests.cpu" => {
            (&["1m", "1"], "1m and 1 are supported with the cpu resource".to_owned())
        }
        _ => {
            let what = match resource {
                "limits.memory" | "requests.memory" => "memory",
                "limits.ephemeral-storage" | "requests.ephemeral-storage" => "local ephemeral storage",
                _ if huge => "hugepages",
                _ => return,
            };
            (SIZES, format!("{} are supported with the {what} resource", SIZES.join(", ")))
        }
    };
    if !allowed.contains(&divisor.as_str()) {
        let message = format!("only divisor's values {words}");
        errs.push(FieldError::invalid(&path.child("divisor"), resource, message));
    }
}

/// Sources of many variables at once.
pub(in crate::apiserver) fn env_from(errs: &mut Errors, sources: &[t::EnvFromSource], path: &Path) {
    for (i, source) in sources.iter().enumerate() {
        let at = path.index(i);
        let prefix = text(&source.prefix);
        if !prefix.is_empty() {
            invalid_each(errs, &at.child("prefix"), prefix, names::env_var_name(prefix));
        }
        let mut count = 0;
        for (name, named) in [
            ("configMapRef", source.config_map_ref.as_ref().map(|r| &r.name)),
            ("secretRef", source.secret_ref.as_ref().map(|r| &r.name)),
        ] {
            let Some(named) = named else { continue };
            count += 1;
            let at = at.child(name).child("name");
            if named.is_empty() {
                errs.push(FieldError::required(&at, ""));
            } else {
                invalid_each(errs, &at, named, name_is_dns_subdomain(named, true));
            }
        }
        // Kubernetes reports these at the list.
        if count == 0 {
            let message = "must specify one of: `configMapRef` or `secretRef`";
            errs.push(FieldError::invalid(path, "", message));
        } else if count > 1 {
            let message = "may not have more than one field specified at a time";
            errs.push(FieldError::invalid(path, "", message));
        }
    }
}
