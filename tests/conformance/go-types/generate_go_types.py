#!/usr/bin/env python3
"""Writes src/api/go_types/table.rs from the structs in Kubernetes' types.go.

Usage: generate_go_types.py API_GIT_DIR APIMACHINERY_GIT_DIR > ../../../src/api/go_types/table.rs
(git directories of kubernetes/api and kubernetes/apimachinery with a branch release-1.36).
"""
import re
import subprocess
import sys

BRANCH = "release-1.36"
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
    (2, "metav1", "pkg/apis/meta/v1/types.go"),
]
KINDS = [
    ("core", k)
    for k in "Namespace Node Pod Service Endpoints ServiceAccount ConfigMap Secret Event PersistentVolumeClaim PersistentVolume".split()
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
]
# What is read and written besides, but not stored.
OTHERS = [("autoscaling", "Scale"), ("core", "Binding"), ("policy", "Eviction"), ("metav1", "DeleteOptions")]
SPECIAL = {
    "Time": "Time", "MicroTime": "MicroTime", "IntOrString": "IntOrString", "Quantity": "Quantity",
    "FieldsV1": "FieldsV1", "RawExtension": "Any", "Duration": "Duration",
}
BASIC = {"string": "Text", "bool": "Bool", "int32": "Int32", "int64": "Int64", "int": "Int64", "uint32": "Int64",
         "float64": "Float", "uint8": "Int32", "byte": "Int32", "types.UID": 'Named("types.UID", &Text)',
         "types.NodeName": 'Named("types.NodeName", &Text)'}

structs, named = {}, {}


def parse(package, text):
    struct = None
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("//"):
            continue
        if struct is None:
            if m := re.match(r"type (\w+) struct \{$", line):
                struct = (package, m[1])
                structs[struct] = []
            elif m := re.match(r"type (\w+) (\S+)$", line):
                named[(package, m[1])] = m[2]
        elif line == "}":
            struct = None
        elif m := re.match(r"(?:(\w+)\s+)?([\w.*\[\]]+)\s+`(.*)`", line):
            tags = dict(re.findall(r'(\w+):"([^"]*)"', m[3]))
            structs[struct].append((m[2], tags))


for source, package, path in FILES:
    git = ["git", "-C", sys.argv[source], "show", f"{BRANCH}:{path}"]
    parse(package, subprocess.run(git, check=True, capture_output=True, text=True).stdout)


def constant(key):
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key[1]).upper()
    prefix = "META" if key[0] == "metav1" else key[0].upper()
    return snake if key[0] == "core" or ("core", key[1]) not in structs else f"{prefix}_{snake}"


needed, done, out = [], set(), []


def rust(package, t):
    if t.startswith("*"):
        return f"Pointer(&{rust(package, t[1:])})"
    if t == "[]byte":
        return "Bytes"
    if t.startswith("[]"):
        return f"List(&{rust(package, t[2:])})"
    if t.startswith("map["):
        return f"Map(&{rust(package, t.split(']', 1)[1])})"
    if t in BASIC:
        return BASIC[t]
    if "." in t:
        prefix, t = t.split(".")
        package = {"metav1": "metav1", "v1": "core", "corev1": "core", "apiv1": "core"}.get(prefix, prefix)
    if t in SPECIAL:
        return SPECIAL[t]
    if (package, t) in structs:
        needed.append((package, t))
        return f"Struct(&{constant((package, t))})"
    if (package, t) in named:
        return f'Named("v1.{t}", &{rust(package, named[(package, t)])})'
    raise SystemExit(f"what is {package}.{t}?")


def rows(key):
    for t, tags in structs[key]:
        name, *options = tags.get("json", "-").split(",")
        if not name and "inline" in options:
            if t.endswith("TypeMeta"):
                yield '    f("kind", Text, true),'
                yield '    f("apiVersion", Text, true),'
                continue
            inner = (key[0], t.lstrip("*")) if "." not in t else ({"metav1": "metav1", "v1": "core", "corev1": "core", "apiv1": "core"}[t.split(".")[0]], t.split(".")[1])
            yield from rows(inner)
            continue
        if name == "-":
            continue
        omit = "omitempty" in options or "omitzero" in options
        yield f'    f("{name}", {rust(key[0], t)}, {str(omit).lower()}),'


needed.extend(KINDS + OTHERS)
while needed:
    key = needed.pop(0)
    if key in done:
        continue
    done.add(key)
    body = "\n".join(rows(key))
    out.append(f'pub(super) static {constant(key)}: GoStruct = GoStruct {{ name: "{key[1]}", fields: &[\n{body}\n] }};')

print("//! The structs of Kubernetes 1.36's API types, in the order of their fields. Generated by")
print("//! tests/conformance/go-types/generate_go_types.py; do not edit.\n")
print("use super::Type::*;\nuse super::{GoStruct, Kind, f};\n")
print("/// The struct of a kind.\npub(super) const fn of(kind: Kind) -> &'static GoStruct {\n    match kind {")
for k in KINDS:
    print(f"        Kind::{k[1]} => &{constant(k)},")
print("    }\n}\n")
print("\n\n".join(out))
