//! The sources of volumes in descriptions: those of pods and those of PersistentVolumes.

use serde_json::Value;

use super::{Writer, annotations};
use crate::api::types::{PersistentVolumeClaimTemplate, Volume};
use crate::api::volume::{BETA_CLASS, access_modes_as_string};

/// A line of a source: its title and the field that it shows.
type Line = (&'static str, Shown);

/// What a line shows of a source.
#[derive(Clone, Copy)]
enum Shown {
    /// A text; empty if there is none.
    Text(&'static str),
    /// A text, and what stands there if there is none.
    TextOr(&'static str, &'static str),
    /// A number; 0 if there is none.
    Number(&'static str),
    /// A number; `<none>` if there is none.
    NumberOrNone(&'static str),
    /// A bool.
    Bool(&'static str),
    /// A list as Go prints it, in brackets.
    List(&'static str),
    /// A list with commas.
    Joined(&'static str),
    /// A map as Go prints it.
    Map(&'static str),
    /// A reference to a Secret as Go prints it.
    Secret(&'static str),
}

use Shown::{Bool, Joined, List, Map, Number, NumberOrNone, Secret, Text, TextOr};

/// A kind of source: its field in a volume, what it is, and its lines.
type Source = (&'static str, &'static str, &'static [Line]);

const ISCSI: &[Line] = &[
    ("TargetPortal:", Text("targetPortal")),
    ("IQN:", Text("iqn")),
    ("Lun:", Number("lun")),
    ("ISCSIInterface", Text("iscsiInterface")),
    ("FSType:", Text("fsType")),
    ("ReadOnly:", Bool("readOnly")),
    ("Portals:", List("portals")),
    ("DiscoveryCHAPAuth:", Bool("chapAuthDiscovery")),
    ("SessionCHAPAuth:", Bool("chapAuthSession")),
    ("SecretRef:", Secret("secretRef")),
    ("InitiatorName:", TextOr("initiatorName", "<none>")),
];

const SCALE_IO: &[Line] = &[
    ("Gateway:", Text("gateway")),
    ("System:", Text("system")),
    ("Protection Domain:", Text("protectionDomain")),
    ("Storage Pool:", Text("storagePool")),
    ("Storage Mode:", Text("storageMode")),
    ("VolumeName:", Text("volumeName")),
    ("FSType:", Text("fsType")),
    ("ReadOnly:", Bool("readOnly")),
];

/// The sources that are a type and some fields.
const SOURCES: &[Source] = &[
    (
        "hostPath",
        "HostPath (bare host directory volume)",
        &[("Path:", Text("path")), ("HostPathType:", TextOr("type", "<none>"))],
    ),
    (
        "gcePersistentDisk",
        "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)",
        &[
            ("PDName:", Text("pdName")),
            ("FSType:", Text("fsType")),
            ("Partition:", Number("partition")),
            ("ReadOnly:", Bool("readOnly")),
        ],
    ),
    (
        "awsElasticBlockStore",
        "AWSElasticBlockStore (a Persistent Disk resource in AWS)",
        &[
            ("VolumeID:", Text("volumeID")),
            ("FSType:", Text("fsType")),
            ("Partition:", Number("partition")),
            ("ReadOnly:", Bool("readOnly")),
        ],
    ),
    (
        "gitRepo",
        "GitRepo (a volume that is pulled from git when the pod is created)",
        &[("Repository:", Text("repository")), ("Revision:", Text("revision"))],
    ),
    (
        "secret",
        "Secret (a volume populated by a Secret)",
        &[("SecretName:", Text("secretName")), ("Optional:", Bool("optional"))],
    ),
    (
        "configMap",
        "ConfigMap (a volume populated by a ConfigMap)",
        &[("Name:", Text("name")), ("Optional:", Bool("optional"))],
    ),
    (
        "nfs",
        "NFS (an NFS mount that lasts the lifetime of a pod)",
        &[("Server:", Text("server")), ("Path:", Text("path")), ("ReadOnly:", Bool("readOnly"))],
    ),
    (
        "iscsi",
        "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod)",
        ISCSI,
    ),
    (
        "glusterfs",
        "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)",
        &[("EndpointsName:", Text("endpoints")), ("Path:", Text("path")), ("ReadOnly:", Bool("readOnly"))],
    ),
    (
        "persistentVolumeClaim",
        "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
        &[("ClaimName:", Text("claimName")), ("ReadOnly:", Bool("readOnly"))],
    ),
    (
        "rbd",
        "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)",
        &[
            ("CephMonitors:", List("monitors")),
            ("RBDImage:", Text("image")),
            ("FSType:", Text("fsType")),
            ("RBDPool:", Text("pool")),
            ("RadosUser:", Text("user")),
            ("Keyring:", Text("keyring")),
            ("SecretRef:", Secret("secretRef")),
            ("ReadOnly:", Bool("readOnly")),
        ],
    ),
    (
        "quobyte",
        "Quobyte (a Quobyte mount on the host that shares a pod's lifetime)",
        &[("Registry:", Text("registry")), ("Volume:", Text("volume")), ("ReadOnly:", Bool("readOnly"))],
    ),
    (
        "azureDisk",
        "AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)",
        &[
            ("DiskName:", Text("diskName")),
            ("DiskURI:", Text("diskURI")),
            ("Kind: ", Text("kind")),
            ("FSType:", Text("fsType")),
            ("CachingMode:", Text("cachingMode")),
            ("ReadOnly:", Bool("readOnly")),
        ],
    ),
    (
        "vsphereVolume",
        "vSphereVolume (a Persistent Disk resource in vSphere)",
        &[
            ("VolumePath:", Text("volumePath")),
            ("FSType:", Text("fsType")),
            ("StoragePolicyName:", Text("storagePolicyName")),
        ],
    ),
    (
        "cinder",
        "Cinder (a Persistent Disk resource in OpenStack)",
        &[
            ("VolumeID:", Text("volumeID")),
            ("FSType:", Text("fsType")),
            ("ReadOnly:", Bool("readOnly")),
            ("SecretRef:", Secret("secretRef")),
        ],
    ),
    (
        "photonPersistentDisk",
        "PhotonPersistentDisk (a Persistent Disk resource in photon platform)",
        &[("PdID:", Text("pdID")), ("FSType:", Text("fsType"))],
    ),
    ("portworxVolume", "PortworxVolume (a Portworx Volume resource)", &[("VolumeID:", Text("volumeID"))]),
    ("scaleIO", "ScaleIO (a persistent volume backed by a block device in ScaleIO)", SCALE_IO),
    (
        "local",
        "LocalVolume (a persistent volume backed by local storage on a node)",
        &[("Path:", Text("path"))],
    ),
    (
        "cephfs",
        "CephFS (a CephFS mount on the host that shares a pod's lifetime)",
        &[
            ("Monitors:", List("monitors")),
            ("Path:", Text("path")),
            ("User:", Text("user")),
            ("SecretFile:", Text("secretFile")),
            ("SecretRef:", Secret("secretRef")),
            ("ReadOnly:", Bool("readOnly")),
        ],
    ),
    (
        "storageos",
        "StorageOS (a StorageOS Persistent Disk resource)",
        &[
            ("VolumeName:", Text("volumeName")),
            ("VolumeNamespace:", Text("volumeNamespace")),
            ("FSType:", Text("fsType")),
            ("ReadOnly:", Bool("readOnly")),
        ],
    ),
    (
        "fc",
        "FC (a Fibre Channel disk)",
        &[
            ("TargetWWNs:", Joined("targetWWNs")),
            ("LUN:", NumberOrNone("lun")),
            ("FSType:", Text("fsType")),
            ("ReadOnly:", Bool("readOnly")),
        ],
    ),
    (
        "azureFile",
        "AzureFile (an Azure File Service mount on the host and bind mount to the pod)",
        &[
            ("SecretName:", Text("secretName")),
            ("ShareName:", Text("shareName")),
            ("ReadOnly:", Bool("readOnly")),
        ],
    ),
    (
        "flexVolume",
        "FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)",
        &[
            ("Driver:", Text("driver")),
            ("FSType:", Text("fsType")),
            ("SecretRef:", Secret("secretRef")),
            ("ReadOnly:", Bool("readOnly")),
            ("Options:", Map("options")),
        ],
    ),
    (
        "flocker",
        "Flocker (a Flocker volume mounted by the Flocker agent)",
        &[("DatasetName:", Text("datasetName")), ("DatasetUUID:", Text("datasetUUID"))],
    ),
    (
        "image",
        "Image (a container image or OCI artifact)",
        &[("Reference:", Text("reference")), ("PullPolicy:", Text("pullPolicy"))],
    ),
];

/// The sources of PersistentVolumes that show other fields than those of pods.
const OF_PERSISTENT_VOLUMES: &[Source] = &[
    (
        "glusterfs",
        "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)",
        &[
            ("EndpointsName:", Text("endpoints")),
            ("EndpointsNamespace:", TextOr("endpointsNamespace", "<unset>")),
            ("Path:", Text("path")),
            ("ReadOnly:", Bool("readOnly")),
        ],
    ),
    (
        "azureFile",
        "AzureFile (an Azure File Service mount on the host and bind mount to the pod)",
        &[
            ("SecretName:", Text("secretName")),
            ("SecretNamespace:", Text("secretNamespace")),
            ("ShareName:", Text("shareName")),
            ("ReadOnly:", Bool("readOnly")),
        ],
    ),
];

/// The type of a CSI volume.
const CSI: &str = "CSI (a Container Storage Interface (CSI) volume source)";

/// A value of a source as Go prints it.
fn shown(source: &Value, what: Shown) -> String {
    let items = |key: &str| {
        let items = source.get(key).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    let text = |key: &str| source.get(key).and_then(Value::as_str);
    match what {
        Text(key) => text(key).unwrap_or_default().to_owned(),
        TextOr(key, none) => text(key).unwrap_or(none).to_owned(),
        Number(key) => source.get(key).and_then(Value::as_i64).unwrap_or(0).to_string(),
        NumberOrNone(key) => {
            source.get(key).and_then(Value::as_i64).map_or_else(|| "<none>".to_owned(), |n| n.to_string())
        }
        Bool(key) => (source.get(key).and_then(Value::as_bool) == Some(true)).to_string(),
        List(key) => format!("[{}]", items(key).join(" ")),
        Joined(key) => items(key).join(", "),
        Map(key) => {
            let entries = source.get(key).and_then(Value::as_object).into_iter().flatten();
            let entries = entries.map(|(k, v)| format!("{k}:{}", v.as_str().unwrap_or_default()));
            format!("map[{}]", entries.collect::<Vec<_>>().join(" "))
        }
        Secret(key) => match source.get(key) {
            None => "nil".to_owned(),
            Some(to) => {
                let part = |key: &str| to.get(key).and_then(Value::as_str);
                let name = part("name").unwrap_or_default();
                match part("namespace") {
                    Some(namespace) => format!("&SecretReference{{Name:{name},Namespace:{namespace},}}"),
                    None => format!("&LocalObjectReference{{Name:{name},}}"),
                }
            }
        },
    }
}

/// The lines of a source, if its kind is in one of the tables.
fn by_table(w: &mut Writer, volume: &Value, tables: &[&[Source]]) -> bool {
    let found = tables.iter().copied().flatten().find_map(|s| Some((s, volume.get(s.0)?)));
    let Some(((_, type_, lines), source)) = found else { return false };
    w.line(2, &format!("Type:\t{type_}"));
    lines.iter().for_each(|(title, what)| w.line(2, &format!("{title}\t{}", shown(source, *what))));
    true
}

fn csi(w: &mut Writer, source: &Value, persistent: bool) {
    w.line(2, &format!("Type:\t{CSI}"));
    let handle: &[Line] = if persistent { &[("VolumeHandle:", Text("volumeHandle"))] } else { &[] };
    let before: &[Line] = &[("Driver:", Text("driver")), ("FSType:", Text("fsType"))];
    for (title, what) in before.iter().chain(handle).chain(&[("ReadOnly:", Bool("readOnly"))]) {
        w.line(2, &format!("{title}\t{}", shown(source, *what)));
    }
    let attributes = source.get("volumeAttributes").and_then(Value::as_object);
    let all: Vec<String> = attributes
        .into_iter()
        .flatten()
        .map(|(k, v)| super::shortened(&format!("{k}={}", v.as_str().unwrap_or_default())))
        .collect();
    if all.is_empty() {
        return w.line(2, "VolumeAttributes:\t<none>");
    }
    for (i, attribute) in all.iter().enumerate() {
        // kubectl writes a line in pieces, and each has the blanks of its level.
        let title = if i == 0 { "VolumeAttributes:" } else { "    " };
        w.line(2, &format!("{title}\t    {attribute}"));
    }
}

/// The source of a PersistentVolume, of which `spec` is the JSON.
pub(super) fn of_persistent_volume(w: &mut Writer, spec: &Value) {
    if let Some(source) = spec.get("csi") {
        csi(w, source, true);
    } else if !by_table(w, spec, &[OF_PERSISTENT_VOLUMES, SOURCES]) {
        w.line(1, "<unknown>");
    }
}

/// The volumes of a pod, or of a pod template, which stand further in.
pub(super) fn all(w: &mut Writer, volumes: &[Volume], space: &str) {
    if volumes.is_empty() {
        return w.line(0, &format!("{space}Volumes:\t<none>"));
    }
    w.line(0, &format!("{space}Volumes:"));
    for volume in volumes {
        w.line(1, &format!("{}{}:", if space.is_empty() { "" } else { " " }, volume.name));
        one(w, volume);
    }
}

fn one(w: &mut Writer, volume: &Volume) {
    if let Some(e) = &volume.empty_dir {
        w.line(2, "Type:\tEmptyDir (a temporary directory that shares a pod's lifetime)");
        w.line(2, &format!("Medium:\t{}", e.medium.as_deref().unwrap_or_default()));
        let limit = e.size_limit.as_ref().map(|q| q.0.as_str()).filter(|q| *q != "0");
        w.line(2, &format!("SizeLimit:\t{}", limit.unwrap_or("<unset>")));
    } else if let Some(projected) = &volume.projected {
        w.line(2, "Type:\tProjected (a volume that contains injected data from multiple sources)");
        for source in projected.sources.iter().flatten() {
            let mut named = |title: &str, name: &str, optional: Option<bool>| {
                w.line(2, &format!("{title}:\t{name}"));
                w.line(2, &format!("Optional:\t{}", optional == Some(true)));
            };
            if let Some(s) = &source.secret {
                named("SecretName", &s.name, s.optional);
            } else if source.downward_api.is_some() {
                w.line(2, "DownwardAPI:\ttrue");
            } else if let Some(m) = &source.config_map {
                named("ConfigMapName", &m.name, m.optional);
            } else if let Some(t) = &source.service_account_token {
                w.line(2, &format!("TokenExpirationSeconds:\t{}", t.expiration_seconds.unwrap_or(3600)));
            }
        }
    } else if let Some(downward) = &volume.downward_api {
        w.line(2, "Type:\tDownwardAPI (a volume populated by information about the pod)");
        w.line(2, "Items:");
        for item in downward.items.iter().flatten() {
            if let Some(field) = &item.field_ref {
                w.line(3, &format!("{} -> {}", field.field_path, item.path));
            }
            if let Some(field) = &item.resource_field_ref {
                w.line(3, &format!("{} -> {}", field.resource, item.path));
            }
        }
    } else if let Some(ephemeral) = &volume.ephemeral {
        w.line(
            2,
            "Type:\tEphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)",
        );
        if let Some(template) = &ephemeral.volume_claim_template {
            w.nested = 2;
            claim_template(w, template);
            w.nested = 0;
        }
    } else {
        let value = crate::api::to_value(volume);
        match value.get("csi") {
            Some(source) => csi(w, source, false),
            None if by_table(w, &value, &[SOURCES]) => {}
            None => w.line(1, "<unknown>"),
        }
    }
}

/// The claim that is made for an ephemeral volume.
fn claim_template(w: &mut Writer, template: &PersistentVolumeClaimTemplate) {
    let (spec, meta) = (&template.spec, template.metadata.clone().unwrap_or_default());
    let marked = meta.annotations.as_ref().and_then(|a| a.get(BETA_CLASS)).map(String::as_str);
    let class = marked.or(spec.storage_class_name.as_deref()).unwrap_or_default();
    w.line(0, &format!("StorageClass:\t{}", class));
    let volume = spec.volume_name.as_deref().unwrap_or_default();
    w.line(0, &format!("Volume:\t{volume}"));
    w.map(0, "Labels", meta.labels.as_ref());
    annotations(w, 0, meta.annotations.as_ref());
    // What the claim has is not known of a template that names its volume.
    let (capacity, modes) = if volume.is_empty() {
        (String::new(), String::new())
    } else {
        ("0".to_owned(), access_modes_as_string(None))
    };
    w.line(0, &format!("Capacity:\t{capacity}"));
    w.line(0, &format!("Access Modes:\t{modes}"));
    if let Some(mode) = &spec.volume_mode {
        w.line(0, &format!("VolumeMode:\t{mode}"));
    }
    if let Some(source) = &spec.data_source {
        w.line(0, "DataSource:");
        if let Some(group) = &source.api_group {
            w.line(1, &format!("APIGroup:\t{group}"));
        }
        w.line(1, &format!("Kind:\t{}", source.kind));
        w.line(1, &format!("Name:\t{}", source.name));
    }
}
