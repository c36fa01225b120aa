//! The Go structs behind a pod template, in the order of their fields.
//! Written by `cargo xtask generate`; do not edit.

use super::Field;
use super::Kind::*;

const fn f(head: &'static str, json: &'static str, kind: super::Kind) -> Field {
    Field { head, json, kind }
}

pub(super) static POD_TEMPLATE_SPEC: &[Field] = &[
    f("ObjectMeta:(v1.ObjectMeta)", "metadata", Struct(OBJECT_META)),
    f("Spec:(v1.PodSpec)", "spec", Struct(POD_SPEC)),
];

pub(super) static OBJECT_META: &[Field] = &[
    f("Name:(string)", "name", Text),
    f("GenerateName:(string)", "generateName", Text),
    f("Namespace:(string)", "namespace", Text),
    f("SelfLink:(string)", "selfLink", Text),
    f("UID:(types.UID)", "uid", Text),
    f("ResourceVersion:(string)", "resourceVersion", Text),
    f("Generation:(int64)", "generation", Int),
    f("CreationTimestamp:(v1.Time)", "creationTimestamp", Time),
    f("DeletionTimestamp:(*v1.Time)", "deletionTimestamp", Pointer(&Time)),
    f("DeletionGracePeriodSeconds:(*int64)", "deletionGracePeriodSeconds", Pointer(&Int)),
    f("Labels:(map[string]string)", "labels", Map(&Text)),
    f("Annotations:(map[string]string)", "annotations", Map(&Text)),
    f("OwnerReferences:([]v1.OwnerReference)", "ownerReferences", List(&Struct(OWNER_REFERENCE))),
    f("Finalizers:([]string)", "finalizers", List(&Text)),
    f("ManagedFields:([]v1.ManagedFieldsEntry)", "managedFields", List(&Struct(MANAGED_FIELDS_ENTRY))),
];

pub(super) static POD_SPEC: &[Field] = &[
    f("Volumes:([]v1.Volume)", "volumes", List(&Struct(VOLUME))),
    f("InitContainers:([]v1.Container)", "initContainers", List(&Struct(CONTAINER))),
    f("Containers:([]v1.Container)", "containers", List(&Struct(CONTAINER))),
    f("EphemeralContainers:([]v1.EphemeralContainer)", "ephemeralContainers", List(&Struct(EPHEMERAL_CONTAINER))),
    f("RestartPolicy:(v1.RestartPolicy)", "restartPolicy", Text),
    f("TerminationGracePeriodSeconds:(*int64)", "terminationGracePeriodSeconds", Pointer(&Int)),
    f("ActiveDeadlineSeconds:(*int64)", "activeDeadlineSeconds", Pointer(&Int)),
    f("DNSPolicy:(v1.DNSPolicy)", "dnsPolicy", Text),
    f("NodeSelector:(map[string]string)", "nodeSelector", Map(&Text)),
    f("ServiceAccountName:(string)", "serviceAccountName", Text),
    f("DeprecatedServiceAccount:(string)", "serviceAccount", Text),
    f("AutomountServiceAccountToken:(*bool)", "automountServiceAccountToken", Pointer(&Bool)),
    f("NodeName:(string)", "nodeName", Text),
    f("HostNetwork:(bool)", "hostNetwork", Bool),
    f("HostPID:(bool)", "hostPID", Bool),
    f("HostIPC:(bool)", "hostIPC", Bool),
    f("ShareProcessNamespace:(*bool)", "shareProcessNamespace", Pointer(&Bool)),
    f("SecurityContext:(*v1.PodSecurityContext)", "securityContext", Pointer(&Struct(POD_SECURITY_CONTEXT))),
    f("ImagePullSecrets:([]v1.LocalObjectReference)", "imagePullSecrets", List(&Struct(LOCAL_OBJECT_REFERENCE))),
    f("Hostname:(string)", "hostname", Text),
    f("Subdomain:(string)", "subdomain", Text),
    f("Affinity:(*v1.Affinity)", "affinity", Pointer(&Struct(AFFINITY))),
    f("SchedulerName:(string)", "schedulerName", Text),
    f("Tolerations:([]v1.Toleration)", "tolerations", List(&Struct(TOLERATION))),
    f("HostAliases:([]v1.HostAlias)", "hostAliases", List(&Struct(HOST_ALIAS))),
    f("PriorityClassName:(string)", "priorityClassName", Text),
    f("Priority:(*int32)", "priority", Pointer(&Int)),
    f("DNSConfig:(*v1.PodDNSConfig)", "dnsConfig", Pointer(&Struct(POD_DNS_CONFIG))),
    f("ReadinessGates:([]v1.PodReadinessGate)", "readinessGates", List(&Struct(POD_READINESS_GATE))),
    f("RuntimeClassName:(*string)", "runtimeClassName", Pointer(&Text)),
    f("EnableServiceLinks:(*bool)", "enableServiceLinks", Pointer(&Bool)),
    f("PreemptionPolicy:(*v1.PreemptionPolicy)", "preemptionPolicy", Pointer(&Text)),
    f("Overhead:(v1.ResourceList)", "overhead", Map(&Quantity)),
    f("TopologySpreadConstraints:([]v1.TopologySpreadConstraint)", "topologySpreadConstraints", List(&Struct(TOPOLOGY_SPREAD_CONSTRAINT))),
    f("SetHostnameAsFQDN:(*bool)", "setHostnameAsFQDN", Pointer(&Bool)),
    f("OS:(*v1.PodOS)", "os", Pointer(&Struct(POD_OS))),
    f("HostUsers:(*bool)", "hostUsers", Pointer(&Bool)),
    f("SchedulingGates:([]v1.PodSchedulingGate)", "schedulingGates", List(&Struct(POD_SCHEDULING_GATE))),
    f("ResourceClaims:([]v1.PodResourceClaim)", "resourceClaims", List(&Struct(POD_RESOURCE_CLAIM))),
    f("Resources:(*v1.ResourceRequirements)", "resources", Pointer(&Struct(RESOURCE_REQUIREMENTS))),
    f("HostnameOverride:(*string)", "hostnameOverride", Pointer(&Text)),
    f("SchedulingGroup:(*v1.PodSchedulingGroup)", "schedulingGroup", Pointer(&Struct(POD_SCHEDULING_GROUP))),
];

pub(super) static OWNER_REFERENCE: &[Field] = &[
    f("APIVersion:(string)", "apiVersion", Text),
    f("Kind:(string)", "kind", Text),
    f("Name:(string)", "name", Text),
    f("UID:(types.UID)", "uid", Text),
    f("Controller:(*bool)", "controller", Pointer(&Bool)),
    f("BlockOwnerDeletion:(*bool)", "blockOwnerDeletion", Pointer(&Bool)),
];

pub(super) static MANAGED_FIELDS_ENTRY: &[Field] = &[
    f("Manager:(string)", "manager", Text),
    f("Operation:(v1.ManagedFieldsOperationType)", "operation", Text),
    f("APIVersion:(string)", "apiVersion", Text),
    f("Time:(*v1.Time)", "time", Pointer(&Time)),
    f("FieldsType:(string)", "fieldsType", Text),
    f("FieldsV1:(*v1.FieldsV1)", "fieldsV1", Pointer(&FieldsV1)),
    f("Subresource:(string)", "subresource", Text),
];

pub(super) static VOLUME: &[Field] = &[
    f("Name:(string)", "name", Text),
    f("VolumeSource:(v1.VolumeSource)", "", Struct(VOLUME_SOURCE)),
];

pub(super) static CONTAINER: &[Field] = &[
    f("Name:(string)", "name", Text),
    f("Image:(string)", "image", Text),
    f("Command:([]string)", "command", List(&Text)),
    f("Args:([]string)", "args", List(&Text)),
    f("WorkingDir:(string)", "workingDir", Text),
    f("Ports:([]v1.ContainerPort)", "ports", List(&Struct(CONTAINER_PORT))),
    f("EnvFrom:([]v1.EnvFromSource)", "envFrom", List(&Struct(ENV_FROM_SOURCE))),
    f("Env:([]v1.EnvVar)", "env", List(&Struct(ENV_VAR))),
    f("Resources:(v1.ResourceRequirements)", "resources", Struct(RESOURCE_REQUIREMENTS)),
    f("ResizePolicy:([]v1.ContainerResizePolicy)", "resizePolicy", List(&Struct(CONTAINER_RESIZE_POLICY))),
    f("RestartPolicy:(*v1.ContainerRestartPolicy)", "restartPolicy", Pointer(&Text)),
    f("RestartPolicyRules:([]v1.ContainerRestartRule)", "restartPolicyRules", List(&Struct(CONTAINER_RESTART_RULE))),
    f("VolumeMounts:([]v1.VolumeMount)", "volumeMounts", List(&Struct(VOLUME_MOUNT))),
    f("VolumeDevices:([]v1.VolumeDevice)", "volumeDevices", List(&Struct(VOLUME_DEVICE))),
    f("LivenessProbe:(*v1.Probe)", "livenessProbe", Pointer(&Struct(PROBE))),
    f("ReadinessProbe:(*v1.Probe)", "readinessProbe", Pointer(&Struct(PROBE))),
    f("StartupProbe:(*v1.Probe)", "startupProbe", Pointer(&Struct(PROBE))),
    f("Lifecycle:(*v1.Lifecycle)", "lifecycle", Pointer(&Struct(LIFECYCLE))),
    f("TerminationMessagePath:(string)", "terminationMessagePath", Text),
    f("TerminationMessagePolicy:(v1.TerminationMessagePolicy)", "terminationMessagePolicy", Text),
    f("ImagePullPolicy:(v1.PullPolicy)", "imagePullPolicy", Text),
    f("SecurityContext:(*v1.SecurityContext)", "securityContext", Pointer(&Struct(SECURITY_CONTEXT))),
    f("Stdin:(bool)", "stdin", Bool),
    f("StdinOnce:(bool)", "stdinOnce", Bool),
    f("TTY:(bool)", "tty", Bool),
];

pub(super) static EPHEMERAL_CONTAINER: &[Field] = &[
    f("EphemeralContainerCommon:(v1.EphemeralContainerCommon)", "", Struct(EPHEMERAL_CONTAINER_COMMON)),
    f("TargetContainerName:(string)", "targetContainerName", Text),
];

pub(super) static POD_SECURITY_CONTEXT: &[Field] = &[
    f("SELinuxOptions:(*v1.SELinuxOptions)", "seLinuxOptions", Pointer(&Struct(SE_LINUX_OPTIONS))),
    f("WindowsOptions:(*v1.WindowsSecurityContextOptions)", "windowsOptions", Pointer(&Struct(WINDOWS_SECURITY_CONTEXT_OPTIONS))),
    f("RunAsUser:(*int64)", "runAsUser", Pointer(&Int)),
    f("RunAsGroup:(*int64)", "runAsGroup", Pointer(&Int)),
    f("RunAsNonRoot:(*bool)", "runAsNonRoot", Pointer(&Bool)),
    f("SupplementalGroups:([]int64)", "supplementalGroups", List(&Int)),
    f("SupplementalGroupsPolicy:(*v1.SupplementalGroupsPolicy)", "supplementalGroupsPolicy", Pointer(&Text)),
    f("FSGroup:(*int64)", "fsGroup", Pointer(&Int)),
    f("Sysctls:([]v1.Sysctl)", "sysctls", List(&Struct(SYSCTL))),
    f("FSGroupChangePolicy:(*v1.PodFSGroupChangePolicy)", "fsGroupChangePolicy", Pointer(&Text)),
    f("SeccompProfile:(*v1.SeccompProfile)", "seccompProfile", Pointer(&Struct(SECCOMP_PROFILE))),
    f("AppArmorProfile:(*v1.AppArmorProfile)", "appArmorProfile", Pointer(&Struct(APP_ARMOR_PROFILE))),
    f("SELinuxChangePolicy:(*v1.PodSELinuxChangePolicy)", "seLinuxChangePolicy", Pointer(&Text)),
];

pub(super) static LOCAL_OBJECT_REFERENCE: &[Field] = &[
    f("Name:(string)", "name", Text),
];

pub(super) static AFFINITY: &[Field] = &[
    f("NodeAffinity:(*v1.NodeAffinity)", "nodeAffinity", Pointer(&Struct(NODE_AFFINITY))),
    f("PodAffinity:(*v1.PodAffinity)", "podAffinity", Pointer(&Struct(POD_AFFINITY))),
    f("PodAntiAffinity:(*v1.PodAntiAffinity)", "podAntiAffinity", Pointer(&Struct(POD_ANTI_AFFINITY))),
];

pub(super) static TOLERATION: &[Field] = &[
    f("Key:(string)", "key", Text),
    f("Operator:(v1.TolerationOperator)", "operator", Text),
    f("Value:(string)", "value", Text),
    f("Effect:(v1.TaintEffect)", "effect", Text),
    f("TolerationSeconds:(*int64)", "tolerationSeconds", Pointer(&Int)),
];

pub(super) static HOST_ALIAS: &[Field] = &[
    f("IP:(string)", "ip", Text),
    f("Hostnames:([]string)", "hostnames", List(&Text)),
];

pub(super) static POD_DNS_CONFIG: &[Field] = &[
    f("Nameservers:([]string)", "nameservers", List(&Text)),
    f("Searches:([]string)", "searches", List(&Text)),
    f("Options:([]v1.PodDNSConfigOption)", "options", List(&Struct(POD_DNS_CONFIG_OPTION))),
];

pub(super) static POD_READINESS_GATE: &[Field] = &[
    f("ConditionType:(v1.PodConditionType)", "conditionType", Text),
];

pub(super) static TOPOLOGY_SPREAD_CONSTRAINT: &[Field] = &[
    f("MaxSkew:(int32)", "maxSkew", Int),
    f("TopologyKey:(string)", "topologyKey", Text),
    f("WhenUnsatisfiable:(v1.UnsatisfiableConstraintAction)", "whenUnsatisfiable", Text),
    f("LabelSelector:(*v1.LabelSelector)", "labelSelector", Pointer(&Struct(LABEL_SELECTOR))),
    f("MinDomains:(*int32)", "minDomains", Pointer(&Int)),
    f("NodeAffinityPolicy:(*v1.NodeInclusionPolicy)", "nodeAffinityPolicy", Pointer(&Text)),
    f("NodeTaintsPolicy:(*v1.NodeInclusionPolicy)", "nodeTaintsPolicy", Pointer(&Text)),
    f("MatchLabelKeys:([]string)", "matchLabelKeys", List(&Text)),
];

pub(super) static POD_OS: &[Field] = &[
    f("Name:(v1.OSName)", "name", Text),
];

pub(super) static POD_SCHEDULING_GATE: &[Field] = &[
    f("Name:(string)", "name", Text),
];

pub(super) static POD_RESOURCE_CLAIM: &[Field] = &[
    f("Name:(string)", "name", Text),
    f("ResourceClaimName:(*string)", "resourceClaimName", Pointer(&Text)),
    f("ResourceClaimTemplateName:(*string)", "resourceClaimTemplateName", Pointer(&Text)),
];

pub(super) static RESOURCE_REQUIREMENTS: &[Field] = &[
    f("Limits:(v1.ResourceList)", "limits", Map(&Quantity)),
    f("Requests:(v1.ResourceList)", "requests", Map(&Quantity)),
    f("Claims:([]v1.ResourceClaim)", "claims", List(&Struct(RESOURCE_CLAIM))),
];

pub(super) static POD_SCHEDULING_GROUP: &[Field] = &[
    f("PodGroupName:(*string)", "podGroupName", Pointer(&Text)),
];

pub(super) static VOLUME_SOURCE: &[Field] = &[
    f("HostPath:(*v1.HostPathVolumeSource)", "hostPath", Pointer(&Struct(HOST_PATH_VOLUME_SOURCE))),
    f("EmptyDir:(*v1.EmptyDirVolumeSource)", "emptyDir", Pointer(&Struct(EMPTY_DIR_VOLUME_SOURCE))),
    f("GCEPersistentDisk:(*v1.GCEPersistentDiskVolumeSource)", "gcePersistentDisk", Pointer(&Struct(GCE_PERSISTENT_DISK_VOLUME_SOURCE))),
    f("AWSElasticBlockStore:(*v1.AWSElasticBlockStoreVolumeSource)", "awsElasticBlockStore", Pointer(&Struct(AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE))),
    f("GitRepo:(*v1.GitRepoVolumeSource)", "gitRepo", Pointer(&Struct(GIT_REPO_VOLUME_SOURCE))),
    f("Secret:(*v1.SecretVolumeSource)", "secret", Pointer(&Struct(SECRET_VOLUME_SOURCE))),
    f("NFS:(*v1.NFSVolumeSource)", "nfs", Pointer(&Struct(NFS_VOLUME_SOURCE))),
    f("ISCSI:(*v1.ISCSIVolumeSource)", "iscsi", Pointer(&Struct(ISCSI_VOLUME_SOURCE))),
    f("Glusterfs:(*v1.GlusterfsVolumeSource)", "glusterfs", Pointer(&Struct(GLUSTERFS_VOLUME_SOURCE))),
    f("PersistentVolumeClaim:(*v1.PersistentVolumeClaimVolumeSource)", "persistentVolumeClaim", Pointer(&Struct(PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE))),
    f("RBD:(*v1.RBDVolumeSource)", "rbd", Pointer(&Struct(RBD_VOLUME_SOURCE))),
    f("FlexVolume:(*v1.FlexVolumeSource)", "flexVolume", Pointer(&Struct(FLEX_VOLUME_SOURCE))),
    f("Cinder:(*v1.CinderVolumeSource)", "cinder", Pointer(&Struct(CINDER_VOLUME_SOURCE))),
    f("CephFS:(*v1.CephFSVolumeSource)", "cephfs", Pointer(&Struct(CEPH_FS_VOLUME_SOURCE))),
    f("Flocker:(*v1.FlockerVolumeSource)", "flocker", Pointer(&Struct(FLOCKER_VOLUME_SOURCE))),
    f("DownwardAPI:(*v1.DownwardAPIVolumeSource)", "downwardAPI", Pointer(&Struct(DOWNWARD_API_VOLUME_SOURCE))),
    f("FC:(*v1.FCVolumeSource)", "fc", Pointer(&Struct(FC_VOLUME_SOURCE))),
    f("AzureFile:(*v1.AzureFileVolumeSource)", "azureFile", Pointer(&Struct(AZURE_FILE_VOLUME_SOURCE))),
    f("ConfigMap:(*v1.ConfigMapVolumeSource)", "configMap", Pointer(&Struct(CONFIG_MAP_VOLUME_SOURCE))),
    f("VsphereVolume:(*v1.VsphereVirtualDiskVolumeSource)", "vsphereVolume", Pointer(&Struct(VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE))),
    f("Quobyte:(*v1.QuobyteVolumeSource)", "quobyte", Pointer(&Struct(QUOBYTE_VOLUME_SOURCE))),
    f("AzureDisk:(*v1.AzureDiskVolumeSource)", "azureDisk", Pointer(&Struct(AZURE_DISK_VOLUME_SOURCE))),
    f("PhotonPersistentDisk:(*v1.PhotonPersistentDiskVolumeSource)", "photonPersistentDisk", Pointer(&Struct(PHOTON_PERSISTENT_DISK_VOLUME_SOURCE))),
    f("Projected:(*v1.ProjectedVolumeSource)", "projected", Pointer(&Struct(PROJECTED_VOLUME_SOURCE))),
    f("PortworxVolume:(*v1.PortworxVolumeSource)", "portworxVolume", Pointer(&Struct(PORTWORX_VOLUME_SOURCE))),
    f("ScaleIO:(*v1.ScaleIOVolumeSource)", "scaleIO", Pointer(&Struct(SCALE_IO_VOLUME_SOURCE))),
    f("StorageOS:(*v1.StorageOSVolumeSource)", "storageos", Pointer(&Struct(STORAGE_OS_VOLUME_SOURCE))),
    f("CSI:(*v1.CSIVolumeSource)", "csi", Pointer(&Struct(CSI_VOLUME_SOURCE))),
    f("Ephemeral:(*v1.EphemeralVolumeSource)", "ephemeral", Pointer(&Struct(EPHEMERAL_VOLUME_SOURCE))),
    f("Image:(*v1.ImageVolumeSource)", "image", Pointer(&Struct(IMAGE_VOLUME_SOURCE))),
];

pub(super) static CONTAINER_PORT: &[Field] = &[
    f("Name:(string)", "name", Text),
    f("HostPort:(int32)", "hostPort", Int),
    f("ContainerPort:(int32)", "containerPort", Int),
    f("Protocol:(v1.Protocol)", "protocol", Text),
    f("HostIP:(string)", "hostIP", Text),
];

pub(super) static ENV_FROM_SOURCE: &[Field] = &[
    f("Prefix:(string)", "prefix", Text),
    f("ConfigMapRef:(*v1.ConfigMapEnvSource)", "configMapRef", Pointer(&Struct(CONFIG_MAP_ENV_SOURCE))),
    f("SecretRef:(*v1.SecretEnvSource)", "secretRef", Pointer(&Struct(SECRET_ENV_SOURCE))),
];

pub(super) static ENV_VAR: &[Field] = &[
    f("Name:(string)", "name", Text),
    f("Value:(string)", "value", Text),
    f("ValueFrom:(*v1.EnvVarSource)", "valueFrom", Pointer(&Struct(ENV_VAR_SOURCE))),
];

pub(super) static CONTAINER_RESIZE_POLICY: &[Field] = &[
    f("ResourceName:(v1.ResourceName)", "resourceName", Text),
    f("RestartPolicy:(v1.ResourceResizeRestartPolicy)", "restartPolicy", Text),
];

pub(super) static CONTAINER_RESTART_RULE: &[Field] = &[
    f("Action:(v1.ContainerRestartRuleAction)", "action", Text),
    f("ExitCodes:(*v1.ContainerRestartRuleOnExitCodes)", "exitCodes", Pointer(&Struct(CONTAINER_RESTART_RULE_ON_EXIT_CODES))),
];

pub(super) static VOLUME_MOUNT: &[Field] = &[
    f("Name:(string)", "name", Text),
    f("ReadOnly:(bool)", "readOnly", Bool),
    f("RecursiveReadOnly:(*v1.RecursiveReadOnlyMode)", "recursiveReadOnly", Pointer(&Text)),
    f("MountPath:(string)", "mountPath", Text),
    f("SubPath:(string)", "subPath", Text),
    f("MountPropagation:(*v1.MountPropagationMode)", "mountPropagation", Pointer(&Text)),
    f("SubPathExpr:(string)", "subPathExpr", Text),
];

pub(super) static VOLUME_DEVICE: &[Field] = &[
    f("Name:(string)", "name", Text),
    f("DevicePath:(string)", "devicePath", Text),
];

pub(super) static PROBE: &[Field] = &[
    f("ProbeHandler:(v1.ProbeHandler)", "", Struct(PROBE_HANDLER)),
    f("InitialDelaySeconds:(int32)", "initialDelaySeconds", Int),
    f("TimeoutSeconds:(int32)", "timeoutSeconds", Int),
    f("PeriodSeconds:(int32)", "periodSeconds", Int),
    f("SuccessThreshold:(int32)", "successThreshold", Int),
    f("FailureThreshold:(int32)", "failureThreshold", Int),
    f("TerminationGracePeriodSeconds:(*int64)", "terminationGracePeriodSeconds", Pointer(&Int)),
];

pub(super) static LIFECYCLE: &[Field] = &[
    f("PostStart:(*v1.LifecycleHandler)", "postStart", Pointer(&Struct(LIFECYCLE_HANDLER))),
    f("PreStop:(*v1.LifecycleHandler)", "preStop", Pointer(&Struct(LIFECYCLE_HANDLER))),
    f("StopSignal:(*v1.Signal)", "stopSignal", Pointer(&Text)),
];

pub(super) static SECURITY_CONTEXT: &[Field] = &[
    f("Capabilities:(*v1.Capabilities)", "capabilities", Pointer(&Struct(CAPABILITIES))),
    f("Privileged:(*bool)", "privileged", Pointer(&Bool)),
    f("SELinuxOptions:(*v1.SELinuxOptions)", "seLinuxOptions", Pointer(&Struct(SE_LINUX_OPTIONS))),
    f("WindowsOptions:(*v1.WindowsSecurityContextOptions)", "windowsOptions", Pointer(&Struct(WINDOWS_SECURITY_CONTEXT_OPTIONS))),
    f("RunAsUser:(*int64)", "runAsUser", Pointer(&Int)),
    f("RunAsGroup:(*int64)", "runAsGroup", Pointer(&Int)),
    f("RunAsNonRoot:(*bool)", "runAsNonRoot", Pointer(&Bool)),
    f("ReadOnlyRootFilesystem:(*bool)", "readOnlyRootFilesystem", Pointer(&Bool)),
    f("AllowPrivilegeEscalation:(*bool)", "allowPrivilegeEscalation", Pointer(&Bool)),
    f("ProcMount:(*v1.ProcMountType)", "procMount", Pointer(&Text)),
    f("SeccompProfile:(*v1.SeccompProfile)", "seccompProfile", Pointer(&Struct(SECCOMP_PROFILE))),
    f("AppArmorProfile:(*v1.AppArmorProfile)", "appArmorProfile", Pointer(&Struct(APP_ARMOR_PROFILE))),
];

pub(super) static EPHEMERAL_CONTAINER_COMMON: &[Field] = &[
    f("Name:(string)", "name", Text),
    f("Image:(string)", "image", Text),
    f("Command:([]string)", "command", List(&Text)),
    f("Args:([]string)", "args", List(&Text)),
    f("WorkingDir:(string)", "workingDir", Text),
    f("Ports:([]v1.ContainerPort)", "ports", List(&Struct(CONTAINER_PORT))),
    f("EnvFrom:([]v1.EnvFromSource)", "envFrom", List(&Struct(ENV_FROM_SOURCE))),
    f("Env:([]v1.EnvVar)", "env", List(&Struct(ENV_VAR))),
    f("Resources:(v1.ResourceRequirements)", "resources", Struct(RESOURCE_REQUIREMENTS)),
    f("ResizePolicy:([]v1.ContainerResizePolicy)", "resizePolicy", List(&Struct(CONTAINER_RESIZE_POLICY))),
    f("RestartPolicy:(*v1.ContainerRestartPolicy)", "restartPolicy", Pointer(&Text)),
    f("RestartPolicyRules:([]v1.ContainerRestartRule)", "restartPolicyRules", List(&Struct(CONTAINER_RESTART_RULE))),
    f("VolumeMounts:([]v1.VolumeMount)", "volumeMounts", List(&Struct(VOLUME_MOUNT))),
    f("VolumeDevices:([]v1.VolumeDevice)", "volumeDevices", List(&Struct(VOLUME_DEVICE))),
    f("LivenessProbe:(*v1.Probe)", "livenessProbe", Pointer(&Struct(PROBE))),
    f("ReadinessProbe:(*v1.Probe)", "readinessProbe", Pointer(&Struct(PROBE))),
    f("StartupProbe:(*v1.Probe)", "startupProbe", Pointer(&Struct(PROBE))),
    f("Lifecycle:(*v1.Lifecycle)", "lifecycle", Pointer(&Struct(LIFECYCLE))),
    f("TerminationMessagePath:(string)", "terminationMessagePath", Text),
    f("TerminationMessagePolicy:(v1.TerminationMessagePolicy)", "terminationMessagePolicy", Text),
    f("ImagePullPolicy:(v1.PullPolicy)", "imagePullPolicy", Text),
    f("SecurityContext:(*v1.SecurityContext)", "securityContext", Pointer(&Struct(SECURITY_CONTEXT))),
    f("Stdin:(bool)", "stdin", Bool),
    f("StdinOnce:(bool)", "stdinOnce", Bool),
    f("TTY:(bool)", "tty", Bool),
];

pub(super) static SE_LINUX_OPTIONS: &[Field] = &[
    f("User:(string)", "user", Text),
    f("Role:(string)", "role", Text),
    f("Type:(string)", "type", Text),
    f("Level:(string)", "level", Text),
];

pub(super) static WINDOWS_SECURITY_CONTEXT_OPTIONS: &[Field] = &[
    f("GMSACredentialSpecName:(*string)", "gmsaCredentialSpecName", Pointer(&Text)),
    f("GMSACredentialSpec:(*string)", "gmsaCredentialSpec", Pointer(&Text)),
    f("RunAsUserName:(*string)", "runAsUserName", Pointer(&Text)),
    f("HostProcess:(*bool)", "hostProcess", Pointer(&Bool)),
];

pub(super) static SYSCTL: &[Field] = &[
    f("Name:(string)", "name", Text),
    f("Value:(string)", "value", Text),
];

pub(super) static SECCOMP_PROFILE: &[Field] = &[
    f("Type:(v1.SeccompProfileType)", "type", Text),
    f("LocalhostProfile:(*string)", "localhostProfile", Pointer(&Text)),
];

pub(super) static APP_ARMOR_PROFILE: &[Field] = &[
    f("Type:(v1.AppArmorProfileType)", "type", Text),
    f("LocalhostProfile:(*string)", "localhostProfile", Pointer(&Text)),
];

pub(super) static NODE_AFFINITY: &[Field] = &[
    f("RequiredDuringSchedulingIgnoredDuringExecution:(*v1.NodeSelector)", "requiredDuringSchedulingIgnoredDuringExecution", Pointer(&Struct(NODE_SELECTOR))),
    f("PreferredDuringSchedulingIgnoredDuringExecution:([]v1.PreferredSchedulingTerm)", "preferredDuringSchedulingIgnoredDuringExecution", List(&Struct(PREFERRED_SCHEDULING_TERM))),
];

pub(super) static POD_AFFINITY: &[Field] = &[
    f("RequiredDuringSchedulingIgnoredDuringExecution:([]v1.PodAffinityTerm)", "requiredDuringSchedulingIgnoredDuringExecution", List(&Struct(POD_AFFINITY_TERM))),
    f("PreferredDuringSchedulingIgnoredDuringExecution:([]v1.WeightedPodAffinityTerm)", "preferredDuringSchedulingIgnoredDuringExecution", List(&Struct(WEIGHTED_POD_AFFINITY_TERM))),
];

pub(super) static POD_ANTI_AFFINITY: &[Field] = &[
    f("RequiredDuringSchedulingIgnoredDuringExecution:([]v1.PodAffinityTerm)", "requiredDuringSchedulingIgnoredDuringExecution", List(&Struct(POD_AFFINITY_TERM))),
    f("PreferredDuringSchedulingIgnoredDuringExecution:([]v1.WeightedPodAffinityTerm)", "preferredDuringSchedulingIgnoredDuringExecution", List(&Struct(WEIGHTED_POD_AFFINITY_TERM))),
];

pub(super) static POD_DNS_CONFIG_OPTION: &[Field] = &[
    f("Name:(string)", "name", Text),
    f("Value:(*string)", "value", Pointer(&Text)),
];

pub(super) static LABEL_SELECTOR: &[Field] = &[
    f("MatchLabels:(map[string]string)", "matchLabels", Map(&Text)),
    f("MatchExpressions:([]v1.LabelSelectorRequirement)", "matchExpressions", List(&Struct(LABEL_SELECTOR_REQUIREMENT))),
];

pub(super) static RESOURCE_CLAIM: &[Field] = &[
    f("Name:(string)", "name", Text),
    f("Request:(string)", "request", Text),
];

pub(super) static HOST_PATH_VOLUME_SOURCE: &[Field] = &[
    f("Path:(string)", "path", Text),
    f("Type:(*v1.HostPathType)", "type", Pointer(&Text)),
];

pub(super) static EMPTY_DIR_VOLUME_SOURCE: &[Field] = &[
    f("Medium:(v1.StorageMedium)", "medium", Text),
    f("SizeLimit:(*resource.Quantity)", "sizeLimit", Pointer(&Quantity)),
];

pub(super) static GCE_PERSISTENT_DISK_VOLUME_SOURCE: &[Field] = &[
    f("PDName:(string)", "pdName", Text),
    f("FSType:(string)", "fsType", Text),
    f("Partition:(int32)", "partition", Int),
    f("ReadOnly:(bool)", "readOnly", Bool),
];

pub(super) static AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE: &[Field] = &[
    f("VolumeID:(string)", "volumeID", Text),
    f("FSType:(string)", "fsType", Text),
    f("Partition:(int32)", "partition", Int),
    f("ReadOnly:(bool)", "readOnly", Bool),
];

pub(super) static GIT_REPO_VOLUME_SOURCE: &[Field] = &[
    f("Repository:(string)", "repository", Text),
    f("Revision:(string)", "revision", Text),
    f("Directory:(string)", "directory", Text),
];

pub(super) static SECRET_VOLUME_SOURCE: &[Field] = &[
    f("SecretName:(string)", "secretName", Text),
    f("Items:([]v1.KeyToPath)", "items", List(&Struct(KEY_TO_PATH))),
    f("DefaultMode:(*int32)", "defaultMode", Pointer(&Int)),
    f("Optional:(*bool)", "optional", Pointer(&Bool)),
];

pub(super) static NFS_VOLUME_SOURCE: &[Field] = &[
    f("Server:(string)", "server", Text),
    f("Path:(string)", "path", Text),
    f("ReadOnly:(bool)", "readOnly", Bool),
];

pub(super) static ISCSI_VOLUME_SOURCE: &[Field] = &[
    f("TargetPortal:(string)", "targetPortal", Text),
    f("IQN:(string)", "iqn", Text),
    f("Lun:(int32)", "lun", Int),
    f("ISCSIInterface:(string)", "iscsiInterface", Text),
    f("FSType:(string)", "fsType", Text),
    f("ReadOnly:(bool)", "readOnly", Bool),
    f("Portals:([]string)", "portals", List(&Text)),
    f("DiscoveryCHAPAuth:(bool)", "chapAuthDiscovery", Bool),
    f("SessionCHAPAuth:(bool)", "chapAuthSession", Bool),
    f("SecretRef:(*v1.LocalObjectReference)", "secretRef", Pointer(&Struct(LOCAL_OBJECT_REFERENCE))),
    f("InitiatorName:(*string)", "initiatorName", Pointer(&Text)),
];

pub(super) static GLUSTERFS_VOLUME_SOURCE: &[Field] = &[
    f("EndpointsName:(string)", "endpoints", Text),
    f("Path:(string)", "path", Text),
    f("ReadOnly:(bool)", "readOnly", Bool),
];

pub(super) static PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE: &[Field] = &[
    f("ClaimName:(string)", "claimName", Text),
    f("ReadOnly:(bool)", "readOnly", Bool),
];

pub(super) static RBD_VOLUME_SOURCE: &[Field] = &[
    f("CephMonitors:([]string)", "monitors", List(&Text)),
    f("RBDImage:(string)", "image", Text),
    f("FSType:(string)", "fsType", Text),
    f("RBDPool:(string)", "pool", Text),
    f("RadosUser:(string)", "user", Text),
    f("Keyring:(string)", "keyring", Text),
    f("SecretRef:(*v1.LocalObjectReference)", "secretRef", Pointer(&Struct(LOCAL_OBJECT_REFERENCE))),
    f("ReadOnly:(bool)", "readOnly", Bool),
];

pub(super) static FLEX_VOLUME_SOURCE: &[Field] = &[
    f("Driver:(string)", "driver", Text),
    f("FSType:(string)", "fsType", Text),
    f("SecretRef:(*v1.LocalObjectReference)", "secretRef", Pointer(&Struct(LOCAL_OBJECT_REFERENCE))),
    f("ReadOnly:(bool)", "readOnly", Bool),
    f("Options:(map[string]string)", "options", Map(&Text)),
];

pub(super) static CINDER_VOLUME_SOURCE: &[Field] = &[
    f("VolumeID:(string)", "volumeID", Text),
    f("FSType:(string)", "fsType", Text),
    f("ReadOnly:(bool)", "readOnly", Bool),
    f("SecretRef:(*v1.LocalObjectReference)", "secretRef", Pointer(&Struct(LOCAL_OBJECT_REFERENCE))),
];

pub(super) static CEPH_FS_VOLUME_SOURCE: &[Field] = &[
    f("Monitors:([]string)", "monitors", List(&Text)),
    f("Path:(string)", "path", Text),
    f("User:(string)", "user", Text),
    f("SecretFile:(string)", "secretFile", Text),
    f("SecretRef:(*v1.LocalObjectReference)", "secretRef", Pointer(&Struct(LOCAL_OBJECT_REFERENCE))),
    f("ReadOnly:(bool)", "readOnly", Bool),
];

pub(super) static FLOCKER_VOLUME_SOURCE: &[Field] = &[
    f("DatasetName:(string)", "datasetName", Text),
    f("DatasetUUID:(string)", "datasetUUID", Text),
];

pub(super) static DOWNWARD_API_VOLUME_SOURCE: &[Field] = &[
    f("Items:([]v1.DownwardAPIVolumeFile)", "items", List(&Struct(DOWNWARD_API_VOLUME_FILE))),
    f("DefaultMode:(*int32)", "defaultMode", Pointer(&Int)),
];

pub(super) static FC_VOLUME_SOURCE: &[Field] = &[
    f("TargetWWNs:([]string)", "targetWWNs", List(&Text)),
    f("Lun:(*int32)", "lun", Pointer(&Int)),
    f("FSType:(string)", "fsType", Text),
    f("ReadOnly:(bool)", "readOnly", Bool),
    f("WWIDs:([]string)", "wwids", List(&Text)),
];

pub(super) static AZURE_FILE_VOLUME_SOURCE: &[Field] = &[
    f("SecretName:(string)", "secretName", Text),
    f("ShareName:(string)", "shareName", Text),
    f("ReadOnly:(bool)", "readOnly", Bool),
];

pub(super) static CONFIG_MAP_VOLUME_SOURCE: &[Field] = &[
    f("LocalObjectReference:(v1.LocalObjectReference)", "", Struct(LOCAL_OBJECT_REFERENCE)),
    f("Items:([]v1.KeyToPath)", "items", List(&Struct(KEY_TO_PATH))),
    f("DefaultMode:(*int32)", "defaultMode", Pointer(&Int)),
    f("Optional:(*bool)", "optional", Pointer(&Bool)),
];

pub(super) static VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE: &[Field] = &[
    f("VolumePath:(string)", "volumePath", Text),
    f("FSType:(string)", "fsType", Text),
    f("StoragePolicyName:(string)", "storagePolicyName", Text),
    f("StoragePolicyID:(string)", "storagePolicyID", Text),
];

pub(super) static QUOBYTE_VOLUME_SOURCE: &[Field] = &[
    f("Registry:(string)", "registry", Text),
    f("Volume:(string)", "volume", Text),
    f("ReadOnly:(bool)", "readOnly", Bool),
    f("User:(string)", "user", Text),
    f("Group:(string)", "group", Text),
    f("Tenant:(string)", "tenant", Text),
];

pub(super) static AZURE_DISK_VOLUME_SOURCE: &[Field] = &[
    f("DiskName:(string)", "diskName", Text),
    f("DataDiskURI:(string)", "diskURI", Text),
    f("CachingMode:(*v1.AzureDataDiskCachingMode)", "cachingMode", Pointer(&Text)),
    f("FSType:(*string)", "fsType", Pointer(&Text)),
    f("ReadOnly:(*bool)", "readOnly", Pointer(&Bool)),
    f("Kind:(*v1.AzureDataDiskKind)", "kind", Pointer(&Text)),
];

pub(super) static PHOTON_PERSISTENT_DISK_VOLUME_SOURCE: &[Field] = &[
    f("PdID:(string)", "pdID", Text),
    f("FSType:(string)", "fsType", Text),
];

pub(super) static PROJECTED_VOLUME_SOURCE: &[Field] = &[
    f("Sources:([]v1.VolumeProjection)", "sources", List(&Struct(VOLUME_PROJECTION))),
    f("DefaultMode:(*int32)", "defaultMode", Pointer(&Int)),
];

pub(super) static PORTWORX_VOLUME_SOURCE: &[Field] = &[
    f("VolumeID:(string)", "volumeID", Text),
    f("FSType:(string)", "fsType", Text),
    f("ReadOnly:(bool)", "readOnly", Bool),
];

pub(super) static SCALE_IO_VOLUME_SOURCE: &[Field] = &[
    f("Gateway:(string)", "gateway", Text),
    f("System:(string)", "system", Text),
    f("SecretRef:(*v1.LocalObjectReference)", "secretRef", Pointer(&Struct(LOCAL_OBJECT_REFERENCE))),
    f("SSLEnabled:(bool)", "sslEnabled", Bool),
    f("ProtectionDomain:(string)", "protectionDomain", Text),
    f("StoragePool:(string)", "storagePool", Text),
    f("StorageMode:(string)", "storageMode", Text),
    f("VolumeName:(string)", "volumeName", Text),
    f("FSType:(string)", "fsType", Text),
    f("ReadOnly:(bool)", "readOnly", Bool),
];

pub(super) static STORAGE_OS_VOLUME_SOURCE: &[Field] = &[
    f("VolumeName:(string)", "volumeName", Text),
    f("VolumeNamespace:(string)", "volumeNamespace", Text),
    f("FSType:(string)", "fsType", Text),
    f("ReadOnly:(bool)", "readOnly", Bool),
    f("SecretRef:(*v1.LocalObjectReference)", "secretRef", Pointer(&Struct(LOCAL_OBJECT_REFERENCE))),
];

pub(super) static CSI_VOLUME_SOURCE: &[Field] = &[
    f("Driver:(string)", "driver", Text),
    f("ReadOnly:(*bool)", "readOnly", Pointer(&Bool)),
    f("FSType:(*string)", "fsType", Pointer(&Text)),
    f("VolumeAttributes:(map[string]string)", "volumeAttributes", Map(&Text)),
    f("NodePublishSecretRef:(*v1.LocalObjectReference)", "nodePublishSecretRef", Pointer(&Struct(LOCAL_OBJECT_REFERENCE))),
];

pub(super) static EPHEMERAL_VOLUME_SOURCE: &[Field] = &[
    f("VolumeClaimTemplate:(*v1.PersistentVolumeClaimTemplate)", "volumeClaimTemplate", Pointer(&Struct(PERSISTENT_VOLUME_CLAIM_TEMPLATE))),
];

pub(super) static IMAGE_VOLUME_SOURCE: &[Field] = &[
    f("Reference:(string)", "reference", Text),
    f("PullPolicy:(v1.PullPolicy)", "pullPolicy", Text),
];

pub(super) static CONFIG_MAP_ENV_SOURCE: &[Field] = &[
    f("LocalObjectReference:(v1.LocalObjectReference)", "", Struct(LOCAL_OBJECT_REFERENCE)),
    f("Optional:(*bool)", "optional", Pointer(&Bool)),
];

pub(super) static SECRET_ENV_SOURCE: &[Field] = &[
    f("LocalObjectReference:(v1.LocalObjectReference)", "", Struct(LOCAL_OBJECT_REFERENCE)),
    f("Optional:(*bool)", "optional", Pointer(&Bool)),
];

pub(super) static ENV_VAR_SOURCE: &[Field] = &[
    f("FieldRef:(*v1.ObjectFieldSelector)", "fieldRef", Pointer(&Struct(OBJECT_FIELD_SELECTOR))),
    f("ResourceFieldRef:(*v1.ResourceFieldSelector)", "resourceFieldRef", Pointer(&Struct(RESOURCE_FIELD_SELECTOR))),
    f("ConfigMapKeyRef:(*v1.ConfigMapKeySelector)", "configMapKeyRef", Pointer(&Struct(CONFIG_MAP_KEY_SELECTOR))),
    f("SecretKeyRef:(*v1.SecretKeySelector)", "secretKeyRef", Pointer(&Struct(SECRET_KEY_SELECTOR))),
    f("FileKeyRef:(*v1.FileKeySelector)", "fileKeyRef", Pointer(&Struct(FILE_KEY_SELECTOR))),
];

pub(super) static CONTAINER_RESTART_RULE_ON_EXIT_CODES: &[Field] = &[
    f("Operator:(v1.ContainerRestartRuleOnExitCodesOperator)", "operator", Text),
    f("Values:([]int32)", "values", List(&Int)),
];

pub(super) static PROBE_HANDLER: &[Field] = &[
    f("Exec:(*v1.ExecAction)", "exec", Pointer(&Struct(EXEC_ACTION))),
    f("HTTPGet:(*v1.HTTPGetAction)", "httpGet", Pointer(&Struct(HTTP_GET_ACTION))),
    f("TCPSocket:(*v1.TCPSocketAction)", "tcpSocket", Pointer(&Struct(TCP_SOCKET_ACTION))),
    f("GRPC:(*v1.GRPCAction)", "grpc", Pointer(&Struct(GRPC_ACTION))),
];

pub(super) static LIFECYCLE_HANDLER: &[Field] = &[
    f("Exec:(*v1.ExecAction)", "exec", Pointer(&Struct(EXEC_ACTION))),
    f("HTTPGet:(*v1.HTTPGetAction)", "httpGet", Pointer(&Struct(HTTP_GET_ACTION))),
    f("TCPSocket:(*v1.TCPSocketAction)", "tcpSocket", Pointer(&Struct(TCP_SOCKET_ACTION))),
    f("Sleep:(*v1.SleepAction)", "sleep", Pointer(&Struct(SLEEP_ACTION))),
];

pub(super) static CAPABILITIES: &[Field] = &[
    f("Add:([]v1.Capability)", "add", List(&Text)),
    f("Drop:([]v1.Capability)", "drop", List(&Text)),
];

pub(super) static NODE_SELECTOR: &[Field] = &[
    f("NodeSelectorTerms:([]v1.NodeSelectorTerm)", "nodeSelectorTerms", List(&Struct(NODE_SELECTOR_TERM))),
];

pub(super) static PREFERRED_SCHEDULING_TERM: &[Field] = &[
    f("Weight:(int32)", "weight", Int),
    f("Preference:(v1.NodeSelectorTerm)", "preference", Struct(NODE_SELECTOR_TERM)),
];

pub(super) static POD_AFFINITY_TERM: &[Field] = &[
    f("LabelSelector:(*v1.LabelSelector)", "labelSelector", Pointer(&Struct(LABEL_SELECTOR))),
    f("Namespaces:([]string)", "namespaces", List(&Text)),
    f("TopologyKey:(string)", "topologyKey", Text),
    f("NamespaceSelector:(*v1.LabelSelector)", "namespaceSelector", Pointer(&Struct(LABEL_SELECTOR))),
    f("MatchLabelKeys:([]string)", "matchLabelKeys", List(&Text)),
    f("MismatchLabelKeys:([]string)", "mismatchLabelKeys", List(&Text)),
];

pub(super) static WEIGHTED_POD_AFFINITY_TERM: &[Field] = &[
    f("Weight:(int32)", "weight", Int),
    f("PodAffinityTerm:(v1.PodAffinityTerm)", "podAffinityTerm", Struct(POD_AFFINITY_TERM)),
];

pub(super) static LABEL_SELECTOR_REQUIREMENT: &[Field] = &[
    f("Key:(string)", "key", Text),
    f("Operator:(v1.LabelSelectorOperator)", "operator", Text),
    f("Values:([]string)", "values", List(&Text)),
];

pub(super) static KEY_TO_PATH: &[Field] = &[
    f("Key:(string)", "key", Text),
    f("Path:(string)", "path", Text),
    f("Mode:(*int32)", "mode", Pointer(&Int)),
];

pub(super) static DOWNWARD_API_VOLUME_FILE: &[Field] = &[
    f("Path:(string)", "path", Text),
    f("FieldRef:(*v1.ObjectFieldSelector)", "fieldRef", Pointer(&Struct(OBJECT_FIELD_SELECTOR))),
    f("ResourceFieldRef:(*v1.ResourceFieldSelector)", "resourceFieldRef", Pointer(&Struct(RESOURCE_FIELD_SELECTOR))),
    f("Mode:(*int32)", "mode", Pointer(&Int)),
];

pub(super) static VOLUME_PROJECTION: &[Field] = &[
    f("Secret:(*v1.SecretProjection)", "secret", Pointer(&Struct(SECRET_PROJECTION))),
    f("DownwardAPI:(*v1.DownwardAPIProjection)", "downwardAPI", Pointer(&Struct(DOWNWARD_API_PROJECTION))),
    f("ConfigMap:(*v1.ConfigMapProjection)", "configMap", Pointer(&Struct(CONFIG_MAP_PROJECTION))),
    f("ServiceAccountToken:(*v1.ServiceAccountTokenProjection)", "serviceAccountToken", Pointer(&Struct(SERVICE_ACCOUNT_TOKEN_PROJECTION))),
    f("ClusterTrustBundle:(*v1.ClusterTrustBundleProjection)", "clusterTrustBundle", Pointer(&Struct(CLUSTER_TRUST_BUNDLE_PROJECTION))),
    f("PodCertificate:(*v1.PodCertificateProjection)", "podCertificate", Pointer(&Struct(POD_CERTIFICATE_PROJECTION))),
];

pub(super) static PERSISTENT_VOLUME_CLAIM_TEMPLATE: &[Field] = &[
    f("ObjectMeta:(v1.ObjectMeta)", "metadata", Struct(OBJECT_META)),
    f("Spec:(v1.PersistentVolumeClaimSpec)", "spec", Struct(PERSISTENT_VOLUME_CLAIM_SPEC)),
];

pub(super) static OBJECT_FIELD_SELECTOR: &[Field] = &[
    f("APIVersion:(string)", "apiVersion", Text),
    f("FieldPath:(string)", "fieldPath", Text),
];

pub(super) static RESOURCE_FIELD_SELECTOR: &[Field] = &[
    f("ContainerName:(string)", "containerName", Text),
    f("Resource:(string)", "resource", Text),
    f("Divisor:(resource.Quantity)", "divisor", Quantity),
];

pub(super) static CONFIG_MAP_KEY_SELECTOR: &[Field] = &[
    f("LocalObjectReference:(v1.LocalObjectReference)", "", Struct(LOCAL_OBJECT_REFERENCE)),
    f("Key:(string)", "key", Text),
    f("Optional:(*bool)", "optional", Pointer(&Bool)),
];

pub(super) static SECRET_KEY_SELECTOR: &[Field] = &[
    f("LocalObjectReference:(v1.LocalObjectReference)", "", Struct(LOCAL_OBJECT_REFERENCE)),
    f("Key:(string)", "key", Text),
    f("Optional:(*bool)", "optional", Pointer(&Bool)),
];

pub(super) static FILE_KEY_SELECTOR: &[Field] = &[
    f("VolumeName:(string)", "volumeName", Text),
    f("Path:(string)", "path", Text),
    f("Key:(string)", "key", Text),
    f("Optional:(*bool)", "optional", Pointer(&Bool)),
];

pub(super) static EXEC_ACTION: &[Field] = &[
    f("Command:([]string)", "command", List(&Text)),
];

pub(super) static HTTP_GET_ACTION: &[Field] = &[
    f("Path:(string)", "path", Text),
    f("Port:(intstr.IntOrString)", "port", IntOrString),
    f("Host:(string)", "host", Text),
    f("Scheme:(v1.URIScheme)", "scheme", Text),
    f("HTTPHeaders:([]v1.HTTPHeader)", "httpHeaders", List(&Struct(HTTP_HEADER))),
];

pub(super) static TCP_SOCKET_ACTION: &[Field] = &[
    f("Port:(intstr.IntOrString)", "port", IntOrString),
    f("Host:(string)", "host", Text),
];

pub(super) static GRPC_ACTION: &[Field] = &[
    f("Port:(int32)", "port", Int),
    f("Service:(*string)", "service", Pointer(&Text)),
];

pub(super) static SLEEP_ACTION: &[Field] = &[
    f("Seconds:(int64)", "seconds", Int),
];

pub(super) static NODE_SELECTOR_TERM: &[Field] = &[
    f("MatchExpressions:([]v1.NodeSelectorRequirement)", "matchExpressions", List(&Struct(NODE_SELECTOR_REQUIREMENT))),
    f("MatchFields:([]v1.NodeSelectorRequirement)", "matchFields", List(&Struct(NODE_SELECTOR_REQUIREMENT))),
];

pub(super) static SECRET_PROJECTION: &[Field] = &[
    f("LocalObjectReference:(v1.LocalObjectReference)", "", Struct(LOCAL_OBJECT_REFERENCE)),
    f("Items:([]v1.KeyToPath)", "items", List(&Struct(KEY_TO_PATH))),
    f("Optional:(*bool)", "optional", Pointer(&Bool)),
];

pub(super) static DOWNWARD_API_PROJECTION: &[Field] = &[
    f("Items:([]v1.DownwardAPIVolumeFile)", "items", List(&Struct(DOWNWARD_API_VOLUME_FILE))),
];

pub(super) static CONFIG_MAP_PROJECTION: &[Field] = &[
    f("LocalObjectReference:(v1.LocalObjectReference)", "", Struct(LOCAL_OBJECT_REFERENCE)),
    f("Items:([]v1.KeyToPath)", "items", List(&Struct(KEY_TO_PATH))),
    f("Optional:(*bool)", "optional", Pointer(&Bool)),
];

pub(super) static SERVICE_ACCOUNT_TOKEN_PROJECTION: &[Field] = &[
    f("Audience:(string)", "audience", Text),
    f("ExpirationSeconds:(*int64)", "expirationSeconds", Pointer(&Int)),
    f("Path:(string)", "path", Text),
];

pub(super) static CLUSTER_TRUST_BUNDLE_PROJECTION: &[Field] = &[
    f("Name:(*string)", "name", Pointer(&Text)),
    f("SignerName:(*string)", "signerName", Pointer(&Text)),
    f("LabelSelector:(*v1.LabelSelector)", "labelSelector", Pointer(&Struct(LABEL_SELECTOR))),
    f("Optional:(*bool)", "optional", Pointer(&Bool)),
    f("Path:(string)", "path", Text),
];

pub(super) static POD_CERTIFICATE_PROJECTION: &[Field] = &[
    f("SignerName:(string)", "signerName", Text),
    f("KeyType:(string)", "keyType", Text),
    f("MaxExpirationSeconds:(*int32)", "maxExpirationSeconds", Pointer(&Int)),
    f("CredentialBundlePath:(string)", "credentialBundlePath", Text),
    f("KeyPath:(string)", "keyPath", Text),
    f("CertificateChainPath:(string)", "certificateChainPath", Text),
    f("UserAnnotations:(map[string]string)", "userAnnotations", Map(&Text)),
];

pub(super) static PERSISTENT_VOLUME_CLAIM_SPEC: &[Field] = &[
    f("AccessModes:([]v1.PersistentVolumeAccessMode)", "accessModes", List(&Text)),
    f("Selector:(*v1.LabelSelector)", "selector", Pointer(&Struct(LABEL_SELECTOR))),
    f("Resources:(v1.VolumeResourceRequirements)", "resources", Struct(VOLUME_RESOURCE_REQUIREMENTS)),
    f("VolumeName:(string)", "volumeName", Text),
    f("StorageClassName:(*string)", "storageClassName", Pointer(&Text)),
    f("VolumeMode:(*v1.PersistentVolumeMode)", "volumeMode", Pointer(&Text)),
    f("DataSource:(*v1.TypedLocalObjectReference)", "dataSource", Pointer(&Struct(TYPED_LOCAL_OBJECT_REFERENCE))),
    f("DataSourceRef:(*v1.TypedObjectReference)", "dataSourceRef", Pointer(&Struct(TYPED_OBJECT_REFERENCE))),
    f("VolumeAttributesClassName:(*string)", "volumeAttributesClassName", Pointer(&Text)),
];

pub(super) static HTTP_HEADER: &[Field] = &[
    f("Name:(string)", "name", Text),
    f("Value:(string)", "value", Text),
];

pub(super) static NODE_SELECTOR_REQUIREMENT: &[Field] = &[
    f("Key:(string)", "key", Text),
    f("Operator:(v1.NodeSelectorOperator)", "operator", Text),
    f("Values:([]string)", "values", List(&Text)),
];

pub(super) static VOLUME_RESOURCE_REQUIREMENTS: &[Field] = &[
    f("Limits:(v1.ResourceList)", "limits", Map(&Quantity)),
    f("Requests:(v1.ResourceList)", "requests", Map(&Quantity)),
];

pub(super) static TYPED_LOCAL_OBJECT_REFERENCE: &[Field] = &[
    f("APIGroup:(*string)", "apiGroup", Pointer(&Text)),
    f("Kind:(string)", "kind", Text),
    f("Name:(string)", "name", Text),
];

pub(super) static TYPED_OBJECT_REFERENCE: &[Field] = &[
    f("APIGroup:(*string)", "apiGroup", Pointer(&Text)),
    f("Kind:(string)", "kind", Text),
    f("Name:(string)", "name", Text),
    f("Namespace:(*string)", "namespace", Pointer(&Text)),
];
