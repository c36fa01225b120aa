#!/usr/bin/env python3
"""Writes src/apiserver/http/openapi/enums.rs: the values of the types that Kubernetes marks as enums.

Usage: generate_enums.py API_GIT_DIR APIMACHINERY_GIT_DIR > ../../../src/apiserver/http/openapi/enums.rs
(the arguments of generate_go_types.py, whose files these types are in).
"""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from go_source import FILES, show, version



def values(name, text):
    """The constants of a type and what stands above each, as OpenAPI has it."""
    comment = []
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("//"):
            comment.append(line[2:].strip())
            continue
        m = re.match(rf'(?:const )?(\w+)\s+{name}\s*=\s*"(.*)"', line) or re.match(rf'(?:const )?(\w+)\s*=\s*{name}\("(.*)"\)', line)
        if m:
            said = re.sub(r"\s+", " ", " ".join(comment)).strip().removeprefix(m[1]).strip()
            yield m[2], said
        comment = []


enums = {}
for source, package, path in FILES:
    text = show(source, path)
    for name in re.findall(r"^// \+enum\n(?://.*\n)*type (\w+) string", text, re.M):
        enums.setdefault(f"{version(package)}.{name}", []).append(sorted(values(name, text)))


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


print("//! The values of the types that Kubernetes 1.36 marks as enums, and what is said of each. Generated")
print("//! by tests/conformance/go-types/generate_enums.py; do not edit.\n")
print("/// By the type's name.\npub(super) static ENUMS: &[(&str, &[(&str, &str)])] = &[")
for name, found in sorted(enums.items()):
    if len(found) == 1 and found[0]:
        print(f'    ("{name}", &[{", ".join(f"({quoted(v)}, {quoted(said)})" for v, said in found[0])}]),')
print("];")
