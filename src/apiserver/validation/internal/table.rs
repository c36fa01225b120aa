//! The fields of the internal types a message may quote, in the order of their declaration.
//!
//! One line per type: Go name, JSON name, shape. Embedded structs are written out, because Go's
//! JSON flattens them. The shapes: `s` string, `i` integer, `b` bool, `q` quantity, `n` a pointer
//! to a scalar, `l` a list of scalars, `m` a map, `v` a label selector, `[T]` a list of structs, `{T}` a pointer to a struct, `(T)` a struct.

use super::{Field, Shape};

macro_rules! shape {
    (s) => {
        Shape::Str
    };
    (i) => {
        Shape::Int
    };
    (b) => {
        Shape::Bool
    };
    (q) => {
        Shape::Quantity
    };
    (n) => {
        Shape::Null
    };
    (l) => {
        Shape::Scalars
    };
    (m) => {
        Shape::Map
    };
    (v) => {
        Shape::Selector
    };
    ([$t:ident]) => {
        Shape::List(stringify!($t))
    };
    ({$t:ident}) => {
        Shape::Pointer(stringify!($t))
    };
    (($t:ident)) => {
        Shape::Struct(stringify!($t))
    };
}

macro_rules! types {
    ($($ty:ident: $($go:ident $json:tt $shape:tt),+;)*) => {
        /// The fields of a type; none for a type that is not in the table.
        pub(super) fn fields(ty: &str) -> &'static [Field] {
            match ty {
                $(stringify!($ty) => &[$(Field { go: stringify!($go), json: stringify!($json), shape: shape!($shape) }),+],)*
                _ => &[],
            }
        }
    };
}

types! {
    PodSpec: Volumes volumes [Volume], InitContainers initContainers [Container],
        Containers containers [Container], EphemeralContainers ephemeralContainers [EphemeralContainer],
        RestartPolicy restartPolicy s, TerminationGracePeriodSeconds terminationGracePeriodSeconds n,
        ActiveDeadlineSeconds activeDeadlineSeconds n, DNSPolicy dnsPolicy s,
        NodeSelector nodeSelector m, ServiceAccountName serviceAccountName s,
        AutomountServiceAccountToken automountServiceAccountToken n, NodeName nodeName s,
        SecurityContext securityContext {PodSecurityContext},
        ImagePullSecrets imagePullSecrets [LocalObjectReference], Hostname hostname s,
        Subdomain subdomain s, SetHostnameAsFQDN setHostnameAsFQDN n, Affinity affinity {Affinity},
        SchedulerName schedulerName s, Tolerations tolerations [Toleration],
        HostAliases hostAliases [HostAlias], PriorityClassName priorityClassName s, Priority priority n,
        PreemptionPolicy preemptionPolicy n, DNSConfig dnsConfig {PodDNSConfig},
        ReadinessGates readinessGates [PodReadinessGate], RuntimeClassName runtimeClassName n,
        Overhead overhead m, EnableServiceLinks enableServiceLinks n,
        TopologySpreadConstraints topologySpreadConstraints [TopologySpreadConstraint], OS os {PodOS},
        SchedulingGates schedulingGates [PodSchedulingGate],
        ResourceClaims resourceClaims [PodResourceClaim], Resources resources {ResourceRequirements},
        HostnameOverride hostnameOverride n, SchedulingGroup schedulingGroup {PodSchedulingGroup};
    ServicePort: Name name s, Protocol protocol s, AppProtocol appProtocol n, Port port i,
        TargetPort targetPort i, NodePort nodePort i;
    DeploymentStrategy: Type type s, RollingUpdate rollingUpdate {RollingUpdateDeployment};
    Taint: Key key s, Value value s, Effect effect s, TimeAdded timeAdded n;
    NodeAddress: Type type s, Address address s;
    Volume: Name name s, HostPath hostPath {HostPathVolumeSource},
        EmptyDir emptyDir {EmptyDirVolumeSource},
        GCEPersistentDisk gcePersistentDisk {GCEPersistentDiskVolumeSource},
        AWSElasticBlockStore awsElasticBlockStore {AWSElasticBlockStoreVolumeSource},
        GitRepo gitRepo {GitRepoVolumeSource}, Secret secret {SecretVolumeSource},
        NFS nfs {NFSVolumeSource}, ISCSI iscsi {ISCSIVolumeSource},
        Glusterfs glusterfs {GlusterfsVolumeSource},
        PersistentVolumeClaim persistentVolumeClaim {PersistentVolumeClaimVolumeSource},
        RBD rbd {RBDVolumeSource}, FlexVolume flexVolume {FlexVolumeSource},
        Cinder cinder {CinderVolumeSource}, CephFS cephfs {CephFSVolumeSource},
        Flocker flocker {FlockerVolumeSource}, DownwardAPI downwardAPI {DownwardAPIVolumeSource},
        FC fc {FCVolumeSource}, AzureFile azureFile {AzureFileVolumeSource},
        ConfigMap configMap {ConfigMapVolumeSource},
        VsphereVolume vsphereVolume {VsphereVirtualDiskVolumeSource},
        Quobyte quobyte {QuobyteVolumeSource}, AzureDisk azureDisk {AzureDiskVolumeSource},
        PhotonPersistentDisk photonPersistentDisk {PhotonPersistentDiskVolumeSource},
        Projected projected {ProjectedVolumeSource},
        PortworxVolume portworxVolume {PortworxVolumeSource}, ScaleIO scaleIO {ScaleIOVolumeSource},
        StorageOS storageos {StorageOSVolumeSource}, CSI csi {CSIVolumeSource},
        Ephemeral ephemeral {EphemeralVolumeSource}, Image image {ImageVolumeSource};
    Container: Name name s, Image image s, Command command l, Args args l, WorkingDir workingDir s,
        Ports ports [ContainerPort], EnvFrom envFrom [EnvFromSource], Env env [EnvVar],
        Resources resources (ResourceRequirements), ResizePolicy resizePolicy [ContainerResizePolicy],
        RestartPolicy restartPolicy n, RestartPolicyRules restartPolicyRules [ContainerRestartRule],
        VolumeMounts volumeMounts [VolumeMount], VolumeDevices volumeDevices [VolumeDevice],
        LivenessProbe livenessProbe {Probe}, ReadinessProbe readinessProbe {Probe},
        StartupProbe startupProbe {Probe}, Lifecycle lifecycle {Lifecycle},
        TerminationMessagePath terminationMessagePath s,
        TerminationMessagePolicy terminationMessagePolicy s, ImagePullPolicy imagePullPolicy s,
        SecurityContext securityContext {SecurityContext}, Stdin stdin b, StdinOnce stdinOnce b,
        TTY tty b;
    EphemeralContainer: Name name s, Image image s, Command command l, Args args l,
        WorkingDir workingDir s, Ports ports [ContainerPort], EnvFrom envFrom [EnvFromSource],
        Env env [EnvVar], Resources resources (ResourceRequirements),
        ResizePolicy resizePolicy [ContainerResizePolicy], RestartPolicy restartPolicy n,
        RestartPolicyRules restartPolicyRules [ContainerRestartRule],
        VolumeMounts volumeMounts [VolumeMount], VolumeDevices volumeDevices [VolumeDevice],
        LivenessProbe livenessProbe {Probe}, ReadinessProbe readinessProbe {Probe},
        StartupProbe startupProbe {Probe}, Lifecycle lifecycle {Lifecycle},
        TerminationMessagePath terminationMessagePath s,
        TerminationMessagePolicy terminationMessagePolicy s, ImagePullPolicy imagePullPolicy s,
        SecurityContext securityContext {SecurityContext}, Stdin stdin b, StdinOnce stdinOnce b,
        TTY tty b, TargetContainerName targetContainerName s;
    PodSecurityContext: HostNetwork hostNetwork b, HostPID hostPID b, HostIPC hostIPC b,
        ShareProcessNamespace shareProcessNamespace n, HostUsers hostUsers n,
        SELinuxOptions seLinuxOptions {SELinuxOptions},
        WindowsOptions windowsOptions {WindowsSecurityContextOptions}, RunAsUser runAsUser n,
        RunAsGroup runAsGroup n, RunAsNonRoot runAsNonRoot n, SupplementalGroups supplementalGroups l,
        SupplementalGroupsPolicy supplementalGroupsPolicy n, FSGroup fsGroup n,
        FSGroupChangePolicy fsGroupChangePolicy n, Sysctls sysctls [Sysctl],
        SeccompProfile seccompProfile {SeccompProfile},
        AppArmorProfile appArmorProfile {AppArmorProfile}, SELinuxChangePolicy seLinuxChangePolicy n;
    LocalObjectReference: Name name s;
    Affinity: NodeAffinity nodeAffinity {NodeAffinity}, PodAffinity podAffinity {PodAffinity},
        PodAntiAffinity podAntiAffinity {PodAntiAffinity};
    Toleration: Key key s, Operator operator s, Value value s, Effect effect s,
        TolerationSeconds tolerationSeconds n;
    HostAlias: IP ip s, Hostnames hostnames l;
    PodDNSConfig: Nameservers nameservers l, Searches searches l, Options options [PodDNSConfigOption];
    PodReadinessGate: ConditionType conditionType s;
    TopologySpreadConstraint: MaxSkew maxSkew i, TopologyKey topologyKey s,
        WhenUnsatisfiable whenUnsatisfiable s, LabelSelector labelSelector v, MinDomains minDomains n,
        NodeAffinityPolicy nodeAffinityPolicy n, NodeTaintsPolicy nodeTaintsPolicy n,
        MatchLabelKeys matchLabelKeys l;
    PodOS: Name name s;
    PodSchedulingGate: Name name s;
    PodResourceClaim: Name name s, ResourceClaimName resourceClaimName n,
        ResourceClaimTemplateName resourceClaimTemplateName n;
    ResourceRequirements: Limits limits m, Requests requests m, Claims claims [ResourceClaim];
    PodSchedulingGroup: PodGroupName podGroupName n;
    RollingUpdateDeployment: MaxUnavailable maxUnavailable i, MaxSurge maxSurge i;
    StatefulSetUpdateStrategy: Type type s, RollingUpdate rollingUpdate {RollingUpdateStatefulSetStrategy};
    RollingUpdateStatefulSetStrategy: Partition partition i, MaxUnavailable maxUnavailable n;
    DaemonSetUpdateStrategy: Type type s, RollingUpdate rollingUpdate {RollingUpdateDaemonSet};
    RollingUpdateDaemonSet: MaxUnavailable maxUnavailable i, MaxSurge maxSurge i;
    PodFailurePolicy: Rules rules [PodFailurePolicyRule];
    PodFailurePolicyRule: Action action s, OnExitCodes onExitCodes {PodFailurePolicyOnExitCodesRequirement},
        OnPodConditions onPodConditions [PodFailurePolicyOnPodConditionsPattern];
    PodFailurePolicyOnExitCodesRequirement: ContainerName containerName n, Operator operator s, Values values l;
    PodFailurePolicyOnPodConditionsPattern: Type type s, Status status s;
    SuccessPolicy: Rules rules [SuccessPolicyRule];
    SuccessPolicyRule: SucceededIndexes succeededIndexes n, SucceededCount succeededCount n;
    UncountedTerminatedPods: Succeeded succeeded l, Failed failed l;
    HostPathVolumeSource: Path path s, Type type n;
    EmptyDirVolumeSource: Medium medium s, SizeLimit sizeLimit n;
    GCEPersistentDiskVolumeSource: PDName pdName s, FSType fsType s, Partition partition i,
        ReadOnly readOnly b;
    AWSElasticBlockStoreVolumeSource: VolumeID volumeID s, FSType fsType s, Partition partition i,
        ReadOnly readOnly b;
    GitRepoVolumeSource: Repository repository s, Revision revision s, Directory directory s;
    SecretVolumeSource: SecretName secretName s, Items items [KeyToPath], DefaultMode defaultMode n,
        Optional optional n;
    NFSVolumeSource: Server server s, Path path s, ReadOnly readOnly b;
    ISCSIVolumeSource: TargetPortal targetPortal s, IQN iqn s, Lun lun i,
        ISCSIInterface iscsiInterface s, FSType fsType s, ReadOnly readOnly b, Portals portals l,
        DiscoveryCHAPAuth chapAuthDiscovery b, SessionCHAPAuth chapAuthSession b,
        SecretRef secretRef {LocalObjectReference}, InitiatorName initiatorName n;
    GlusterfsVolumeSource: EndpointsName endpoints s, Path path s, ReadOnly readOnly b;
    PersistentVolumeClaimVolumeSource: ClaimName claimName s, ReadOnly readOnly b;
    RBDVolumeSource: CephMonitors monitors l, RBDImage image s, FSType fsType s, RBDPool pool s,
        RadosUser user s, Keyring keyring s, SecretRef secretRef {LocalObjectReference},
        ReadOnly readOnly b;
    FlexVolumeSource: Driver driver s, FSType fsType s, SecretRef secretRef {LocalObjectReference},
        ReadOnly readOnly b, Options options m;
    CinderVolumeSource: VolumeID volumeID s, FSType fsType s, ReadOnly readOnly b,
        SecretRef secretRef {LocalObjectReference};
    CephFSVolumeSource: Monitors monitors l, Path path s, User user s, SecretFile secretFile s,
        SecretRef secretRef {LocalObjectReference}, ReadOnly readOnly b;
    FlockerVolumeSource: DatasetName datasetName s, DatasetUUID datasetUUID s;
    DownwardAPIVolumeSource: Items items [DownwardAPIVolumeFile], DefaultMode defaultMode n;
    FCVolumeSource: TargetWWNs targetWWNs l, Lun lun n, FSType fsType s, ReadOnly readOnly b,
        WWIDs wwids l;
    AzureFileVolumeSource: SecretName secretName s, ShareName shareName s, ReadOnly readOnly b;
    ConfigMapVolumeSource: Name name s, Items items [KeyToPath], DefaultMode defaultMode n,
        Optional optional n;
    VsphereVirtualDiskVolumeSource: VolumePath volumePath s, FSType fsType s,
        StoragePolicyName storagePolicyName s, StoragePolicyID storagePolicyID s;
    QuobyteVolumeSource: Registry registry s, Volume volume s, ReadOnly readOnly b, User user s,
        Group group s, Tenant tenant s;
    AzureDiskVolumeSource: DiskName diskName s, DataDiskURI diskURI s, CachingMode cachingMode n,
        FSType fsType n, ReadOnly readOnly n, Kind kind n;
    PhotonPersistentDiskVolumeSource: PdID pdID s, FSType fsType s;
    ProjectedVolumeSource: Sources sources [VolumeProjection], DefaultMode defaultMode n;
    PortworxVolumeSource: VolumeID volumeID s, FSType fsType s, ReadOnly readOnly b;
    ScaleIOVolumeSource: Gateway gateway s, System system s, SecretRef secretRef {LocalObjectReference},
        SSLEnabled sslEnabled b, ProtectionDomain protectionDomain s, StoragePool storagePool s,
        StorageMode storageMode s, VolumeName volumeName s, FSType fsType s, ReadOnly readOnly b;
    StorageOSVolumeSource: VolumeName volumeName s, VolumeNamespace volumeNamespace s, FSType fsType s,
        ReadOnly readOnly b, SecretRef secretRef {LocalObjectReference};
    CSIVolumeSource: Driver driver s, ReadOnly readOnly n, FSType fsType n,
        VolumeAttributes volumeAttributes m,
        NodePublishSecretRef nodePublishSecretRef {LocalObjectReference};
    EphemeralVolumeSource: VolumeClaimTemplate volumeClaimTemplate {PersistentVolumeClaimTemplate};
    ImageVolumeSource: Reference reference s, PullPolicy pullPolicy s;
    ContainerPort: Name name s, HostPort hostPort i, ContainerPort containerPort i, Protocol protocol s,
        HostIP hostIP s;
    EnvFromSource: Prefix prefix s, ConfigMapRef configMapRef {ConfigMapEnvSource},
        SecretRef secretRef {SecretEnvSource};
    EnvVar: Name name s, Value value s, ValueFrom valueFrom {EnvVarSource};
    ContainerResizePolicy: ResourceName resourceName s, RestartPolicy restartPolicy s;
    ContainerRestartRule: Action action s, ExitCodes exitCodes {ContainerRestartRuleOnExitCodes};
    VolumeMount: Name name s, ReadOnly readOnly b, RecursiveReadOnly recursiveReadOnly n,
        MountPath mountPath s, SubPath subPath s, MountPropagation mountPropagation n,
        SubPathExpr subPathExpr s;
    VolumeDevice: Name name s, DevicePath devicePath s;
    Probe: Exec exec {ExecAction}, HTTPGet httpGet {HTTPGetAction},
        TCPSocket tcpSocket {TCPSocketAction}, GRPC grpc {GRPCAction},
        InitialDelaySeconds initialDelaySeconds i, TimeoutSeconds timeoutSeconds i,
        PeriodSeconds periodSeconds i, SuccessThreshold successThreshold i,
        FailureThreshold failureThreshold i,
        TerminationGracePeriodSeconds terminationGracePeriodSeconds n;
    Lifecycle: PostStart postStart {LifecycleHandler}, PreStop preStop {LifecycleHandler},
        StopSignal stopSignal n;
    SecurityContext: Capabilities capabilities {Capabilities}, Privileged privileged n,
        SELinuxOptions seLinuxOptions {SELinuxOptions},
        WindowsOptions windowsOptions {WindowsSecurityContextOptions}, RunAsUser runAsUser n,
        RunAsGroup runAsGroup n, RunAsNonRoot runAsNonRoot n,
        ReadOnlyRootFilesystem readOnlyRootFilesystem n,
        AllowPrivilegeEscalation allowPrivilegeEscalation n, ProcMount procMount n,
        SeccompProfile seccompProfile {SeccompProfile},
        AppArmorProfile appArmorProfile {AppArmorProfile};
    SELinuxOptions: User user s, Role role s, Type type s, Level level s;
    WindowsSecurityContextOptions: GMSACredentialSpecName gmsaCredentialSpecName n,
        GMSACredentialSpec gmsaCredentialSpec n, RunAsUserName runAsUserName n,
        HostProcess hostProcess n;
    Sysctl: Name name s, Value value s;
    SeccompProfile: Type type s, LocalhostProfile localhostProfile n;
    AppArmorProfile: Type type s, LocalhostProfile localhostProfile n;
    NodeAffinity:
        RequiredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution {NodeSelector},
        PreferredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution [PreferredSchedulingTerm];
    PodAffinity:
        RequiredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution [PodAffinityTerm],
        PreferredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution [WeightedPodAffinityTerm];
    PodAntiAffinity:
        RequiredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution [PodAffinityTerm],
        PreferredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution [WeightedPodAffinityTerm];
    PodDNSConfigOption: Name name s, Value value n;
    ResourceClaim: Name name s, Request request s;
    KeyToPath: Key key s, Path path s, Mode mode n;
    DownwardAPIVolumeFile: Path path s, FieldRef fieldRef {ObjectFieldSelector},
        ResourceFieldRef resourceFieldRef {ResourceFieldSelector}, Mode mode n;
    VolumeProjection: Secret secret {SecretProjection}, DownwardAPI downwardAPI {DownwardAPIProjection},
        ConfigMap configMap {ConfigMapProjection},
        ServiceAccountToken serviceAccountToken {ServiceAccountTokenProjection},
        ClusterTrustBundle clusterTrustBundle {ClusterTrustBundleProjection},
        PodCertificate podCertificate {PodCertificateProjection};
    ConfigMapEnvSource: Name name s, Optional optional n;
    SecretEnvSource: Name name s, Optional optional n;
    EnvVarSource: FieldRef fieldRef {ObjectFieldSelector},
        ResourceFieldRef resourceFieldRef {ResourceFieldSelector},
        ConfigMapKeyRef configMapKeyRef {ConfigMapKeySelector},
        SecretKeyRef secretKeyRef {SecretKeySelector}, FileKeyRef fileKeyRef {FileKeySelector};
    ContainerRestartRuleOnExitCodes: Operator operator s, Values values l;
    ExecAction: Command command l;
    HTTPGetAction: Path path s, Port port i, Host host s, Scheme scheme s,
        HTTPHeaders httpHeaders [HTTPHeader];
    TCPSocketAction: Port port i, Host host s;
    GRPCAction: Port port i, Service service n;
    LifecycleHandler: Exec exec {ExecAction}, HTTPGet httpGet {HTTPGetAction},
        TCPSocket tcpSocket {TCPSocketAction}, Sleep sleep {SleepAction};
    Capabilities: Add add l, Drop drop l;
    NodeSelector: NodeSelectorTerms nodeSelectorTerms [NodeSelectorTerm];
    PreferredSchedulingTerm: Weight weight i, Preference preference (NodeSelectorTerm);
    PodAffinityTerm: LabelSelector labelSelector v, Namespaces namespaces l, TopologyKey topologyKey s,
        NamespaceSelector namespaceSelector v, MatchLabelKeys matchLabelKeys l,
        MismatchLabelKeys mismatchLabelKeys l;
    WeightedPodAffinityTerm: Weight weight i, PodAffinityTerm podAffinityTerm (PodAffinityTerm);
    ObjectFieldSelector: APIVersion apiVersion s, FieldPath fieldPath s;
    ResourceFieldSelector: ContainerName containerName s, Resource resource s, Divisor divisor q;
    SecretProjection: Name name s, Items items [KeyToPath], Optional optional n;
    DownwardAPIProjection: Items items [DownwardAPIVolumeFile];
    ConfigMapProjection: Name name s, Items items [KeyToPath], Optional optional n;
    ServiceAccountTokenProjection: Audience audience s, ExpirationSeconds expirationSeconds i,
        Path path s;
    ClusterTrustBundleProjection: Name name n, SignerName signerName n, LabelSelector labelSelector v,
        Optional optional n, Path path s;
    PodCertificateProjection: SignerName signerName s, KeyType keyType s,
        MaxExpirationSeconds maxExpirationSeconds n, CredentialBundlePath credentialBundlePath s,
        KeyPath keyPath s, CertificateChainPath certificateChainPath s,
        UserAnnotations userAnnotations m;
    ConfigMapKeySelector: Name name s, Key key s, Optional optional n;
    SecretKeySelector: Name name s, Key key s, Optional optional n;
    FileKeySelector: VolumeName volumeName s, Path path s, Key key s, Optional optional n;
    HTTPHeader: Name name s, Value value s;
    SleepAction: Seconds seconds i;
    NodeSelectorTerm: MatchExpressions matchExpressions [NodeSelectorRequirement],
        MatchFields matchFields [NodeSelectorRequirement];
    NodeSelectorRequirement: Key key s, Operator operator s, Values values l;
    PersistentVolumeClaimSpec: AccessModes accessModes l, Selector selector v,
        Resources resources (VolumeResourceRequirements), VolumeName volumeName s,
        StorageClassName storageClassName n, VolumeMode volumeMode n,
        DataSource dataSource {TypedLocalObjectReference},
        DataSourceRef dataSourceRef {TypedObjectReference},
        VolumeAttributesClassName volumeAttributesClassName n;
    VolumeResourceRequirements: Limits limits m, Requests requests m;
    TypedLocalObjectReference: APIGroup apiGroup n, Kind kind s, Name name s;
    TypedObjectReference: APIGroup apiGroup n, Kind kind s, Name name s, Namespace namespace n;
    CSINodeDriver: Name name s, NodeID nodeID s, TopologyKeys topologyKeys l,
        Allocatable allocatable {VolumeNodeResources};
    VolumeNodeResources: Count count n;
    VolumeAttachmentSpec: Attacher attacher s, Source source (VolumeAttachmentSource), NodeName nodeName s;
    VolumeAttachmentSource: PersistentVolumeName persistentVolumeName n,
        InlineVolumeSpec inlineVolumeSpec {PersistentVolumeSpec};
    ResourceClaimSpec: Devices devices (DeviceClaim);
    DeviceClaim: Requests requests [DeviceRequest], Constraints constraints [DeviceConstraint],
        Config config [DeviceClaimConfiguration];
    DeviceRequest: Name name s, Exactly exactly {ExactDeviceRequest},
        FirstAvailable firstAvailable [DeviceSubRequest];
    ExactDeviceRequest: DeviceClassName deviceClassName s, Selectors selectors [DeviceSelector],
        AllocationMode allocationMode s, Count count i, AdminAccess adminAccess n,
        Tolerations tolerations [DeviceToleration], Capacity capacity {CapacityRequirements};
    DeviceSubRequest: Name name s, DeviceClassName deviceClassName s, Selectors selectors [DeviceSelector],
        AllocationMode allocationMode s, Count count i, Tolerations tolerations [DeviceToleration],
        Capacity capacity {CapacityRequirements};
    DeviceSelector: CEL cel {CELDeviceSelector};
    CELDeviceSelector: Expression expression s;
    CapacityRequirements: Requests requests m;
    DeviceConstraint: Requests requests l, MatchAttribute matchAttribute n,
        DistinctAttribute distinctAttribute n;
    DeviceClaimConfiguration: Requests requests l, Opaque opaque {OpaqueDeviceConfiguration};
    OpaqueDeviceConfiguration: Driver driver s, Parameters parameters m;
    DeviceToleration: Key key s, Operator operator s, Value value s, Effect effect s,
        TolerationSeconds tolerationSeconds n;
    AllocationResult: Devices devices (DeviceAllocationResult), NodeSelector nodeSelector {NodeSelector},
        AllocationTimestamp allocationTimestamp n;
    DeviceAllocationResult: Results results [DeviceRequestAllocationResult],
        Config config [DeviceAllocationConfiguration];
    DeviceRequestAllocationResult: Request request s, Driver driver s, Pool pool s, Device device s,
        AdminAccess adminAccess n, Tolerations tolerations [DeviceToleration],
        BindingConditions bindingConditions l, BindingFailureConditions bindingFailureConditions l,
        ShareID shareID n, ConsumedCapacity consumedCapacity m;
    DeviceAllocationConfiguration: Source source s, Requests requests l,
        Opaque opaque {OpaqueDeviceConfiguration};
    DeviceAttribute: IntValue int n, BoolValue bool n, StringValue string n, VersionValue version n,
        IntValues ints l, BoolValues bools l, StringValues strings l, VersionValues versions l;
    ServiceCIDRSpec: CIDRs cidrs l;
    ParentReference: Group group s, Resource resource s, Namespace namespace s, Name name s;
}
