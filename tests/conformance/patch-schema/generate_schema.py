#!/usr/bin/env python3
"""Writes src/api/patch/schema.rs from the struct tags and markers of Kubernetes' types.go.

Usage: generate_schema.py API_GIT_DIR APIMACHINERY_GIT_DIR > ../../../src/api/patch/schema.rs
(git directories of kubernetes/api and kubernetes/apimachinery with a branch release-1.36), then `cargo fmt`.
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
    (2, "metav1", "pkg/apis/meta/v1/types.go"),
    (2, "metav1", "pkg/apis/meta/v1/micro_time.go"),
    (2, "metav1", "pkg/apis/meta/v1/time.go"),
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
# Structs in Go that are one value in JSON.
SCALARS = {"Time", "MicroTime", "IntOrString", "Quantity", "FieldsV1", "RawExtension"}

structs, named = {}, {}


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
                structs[struct] = {"atomic": "+structType=atomic" in markers, "fields": []}
            elif m := re.match(r"type (\w+) (\S+)$", line):
                named[(package, m[1])] = m[2]
        elif line == "}":
            struct = None
        elif m := re.match(r"(?:(\w+)\s+)?([\w.*\[\]]+)\s+`(.*)`", line):
            tags = dict(re.findall(r'(\w+):"([^"]*)"', m[3]))
            marks = dict(x[1:].split("=", 1) for x in markers if x.startswith("+") and "=" in x)
            keys = [x.split("=", 1)[1] for x in markers if x.startswith("+listMapKey=")]
            structs[struct]["fields"].append((m[2], tags, marks, keys))
        markers = []


def go_type(package, t):
    t = t.lstrip("*")
    if t.startswith("[]"):
        return ("list", go_type(package, t[2:]))
    if t.startswith("map["):
        return ("map", go_type(package, t.split("]", 1)[1]))
    if "." in t:
        prefix, t = t.split(".")
        package = {"metav1": "metav1", "v1": "core", "corev1": "core"}.get(prefix, prefix)
    if t in SCALARS:
        return ("scalar",)
    if (package, t) in structs:
        return ("struct", (package, t))
    if (package, t) in named:
        return go_type(package, named[(package, t)])
    return ("scalar",)


for source, package, path in FILES:
    git = ["git", "-C", sys.argv[source], "show", f"{BRANCH}:{path}"]
    parse(package, subprocess.run(git, check=True, capture_output=True, text=True).stdout)


def constant(key):
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key[1]).upper()
    prefix = "META" if key[0] == "metav1" else key[0].upper()
    return snake if key[0] == "core" or ("core", key[1]) not in structs else f"{prefix}_{snake}"


needed, done, out = list(KINDS), set(), []


def rust(t):
    if t[0] == "scalar":
        return "Scalar"
    if t[0] == "struct":
        needed.append(t[1])
        return f"Struct(&{constant(t[1])})"
    return f"{t[0].capitalize()}(&{rust(t[1])})"


def rows(key):
    for t, tags, marks, keys in structs[key]["fields"]:
        name, *options = tags["json"].split(",")
        kind = go_type(key[0], t)
        if not name and "inline" in options:
            if kind[0] == "struct":
                yield from rows(kind[1])
            continue
        if kind[0] == "scalar" or name == "-":
            continue
        row = f'f("{name}", {rust(kind)})'
        strategies = tags.get("patchStrategy", "").split(",")
        row += "".join(f".{s.replace('retainKeys', 'retain_keys')}()" for s in strategies if s)
        if k := tags.get("patchMergeKey"):
            row += f'.merge_key("{k}")'
        if k := marks.get("listType"):
            row += f".{dict(atomic='atomic', set='list_set', map='list_map')[k]}({'&' + str(keys).replace(chr(39), chr(34)) if k == 'map' else ''})"
        if marks.get("mapType") == "atomic" or marks.get("structType") == "atomic":
            row += ".atomic()"
        yield "    " + row + ","


while needed:
    key = needed.pop(0)
    if key in done:
        continue
    done.add(key)
    body = "\n".join(rows(key))
    atomic = str(structs[key]["atomic"]).lower()
    out.append(
        f'static {constant(key)}: Type = Type {{ name: "{key[1]}", atomic: {atomic}, fields: &[\n{body}\n] }};'
        if body
        else f'static {constant(key)}: Type = Type {{ name: "{key[1]}", atomic: {atomic}, fields: &[] }};'
    )

print("//! How the fields of every struct merge: the tags `patchStrategy` and `patchMergeKey`, and the")
print("//! markers `listType`, `listMapKey`, `structType` and `mapType` of Kubernetes 1.36's types.")
print("//! Fields that hold one value have no row. Generated by")
print("//! tests/conformance/patch-schema/generate_schema.py; do not edit.\n")
print("use super::Kind;\nuse super::types::{Shape::*, Type, f};\n")
print("/// The struct of a kind.\npub(super) const fn of(kind: Kind) -> &'static Type {\n    match kind {")
for k in KINDS:
    print(f"        Kind::{k[1]} => &{constant(k)},")
print("    }\n}\n")
print("\n\n".join(out))
