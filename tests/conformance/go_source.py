"""The structs of Kubernetes' types.go: what the generators here read in common.

Their arguments are the git directories of kubernetes/api, kubernetes/apimachinery and
kubernetes/apiextensions-apiserver with a branch release-1.36.
"""
import re
import subprocess
import sys

BRANCH = "release-1.36"
# Which argument, the package's name here, the file.
FILES = [
    (1, "core", "core/v1/types.go"),
    (1, "apps", "apps/v1/types.go"),
    (1, "batch", "batch/v1/types.go"),
    (1, "discovery", "discovery/v1/types.go"),
    (1, "policy", "policy/v1/types.go"),
    (1, "scheduling", "scheduling/v1/types.go"),
    (1, "storage", "storage/v1/types.go"),
    (1, "coordination", "coordination/v1/types.go"),
    (1, "autoscaling", "autoscaling/v1/types.go"),
    (1, "autoscalingv2", "autoscaling/v2/types.go"),
    (1, "certificates", "certificates/v1/types.go"),
    (1, "events", "events/v1/types.go"),
    (1, "networking", "networking/v1/types.go"),
    (1, "rbac", "rbac/v1/types.go"),
    (2, "metav1", "pkg/apis/meta/v1/types.go"),
    (3, "apiextensions", "pkg/apis/apiextensions/v1/types.go"),
    (3, "apiextensions", "pkg/apis/apiextensions/v1/types_jsonschema.go"),
]
KINDS = [
    ("core", k)
    for k in "Namespace Node Pod Service Endpoints ServiceAccount ConfigMap Secret Event PersistentVolumeClaim PersistentVolume LimitRange ResourceQuota ReplicationController".split()
] + [
    ("storage", "StorageClass"),
    ("coordination", "Lease"),
    ("discovery", "EndpointSlice"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("apps", "DaemonSet"),
    ("batch", "Job"),
    ("batch", "CronJob"),
    ("policy", "PodDisruptionBudget"),
    ("scheduling", "PriorityClass"),
    ("autoscalingv2", "HorizontalPodAutoscaler"),
    ("networking", "Ingress"),
    ("networking", "IngressClass"),
    ("networking", "NetworkPolicy"),
    ("rbac", "Role"),
    ("rbac", "ClusterRole"),
    ("rbac", "RoleBinding"),
    ("rbac", "ClusterRoleBinding"),
    ("apps", "ControllerRevision"),
    ("storage", "CSIDriver"),
    ("storage", "CSINode"),
    ("storage", "VolumeAttachment"),
    ("certificates", "CertificateSigningRequest"),
]
# Other versions of kinds: the variant of `OtherVersion`, and the struct.
VERSIONS = [
    ("HorizontalPodAutoscalerV1", ("autoscaling", "HorizontalPodAutoscaler")),
    ("EventsV1Event", ("events", "Event")),
]

# (package, struct): its fields as (type, tags, markers).
structs = {}
# (package, struct): the markers above it.
markers_of = {}
# (package, name): the type it is another name of.
named = {}


def show(source, path):
    git = ["git", "-C", sys.argv[source], "show", f"{BRANCH}:{path}"]
    return subprocess.run(git, check=True, capture_output=True, text=True).stdout


def parse(package, text):
    markers, struct = [], None
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("//"):
            markers.append(line[2:].strip())
            continue
        if struct is None:
            if m := re.match(r"type (\w+) struct \{$", line):
                struct = (package, m[1])
                structs[struct], markers_of[struct] = [], markers
            elif m := re.match(r"type (\w+) struct\{\}$", line):
                structs[(package, m[1])], markers_of[(package, m[1])] = [], markers
            elif m := re.match(r"type (\w+) (\S+)$", line):
                named[(package, m[1])] = m[2]
        elif line == "}":
            struct = None
        elif m := re.match(r"(?:(\w+)\s+)?([\w.*\[\]]+)\s+`(.*)`", line):
            structs[struct].append((m[2], dict(re.findall(r'(\w+):"([^"]*)"', m[3])), markers))
        markers = []


def read(more=()):
    for source, package, path in [*FILES, *more]:
        parse(package, show(source, path))


def version(package):
    """The version that Go's names of a package's types begin with."""
    return "v2" if package.endswith("v2") else "v1"


def constant(key):
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", key[1]).upper()
    # Of structs with one name, the one of the core group has it, or of the first package by name.
    first = min((p for p, name in structs if name == key[1]), key=lambda p: (p != "core", p))
    prefix = "META" if key[0] == "metav1" else key[0].upper()
    return snake if key[0] == first else f"{prefix}_{snake}"
