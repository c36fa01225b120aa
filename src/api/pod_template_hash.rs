//! The `pod-template-hash`, which is part of the names of a Deployment's ReplicaSets.
//!
//! Kubernetes prints the structs of the template with Go's spew library, and hashes that text
//! (`controller.ComputeHash`). Here the template's JSON is walked along a table of those structs, and the
//! text that Go would print goes into the hash.
//!
//! The table is written from Kubernetes' sources by `cargo xtask generate`. It is Rust and not JSON, so that nothing is
//! parsed when the page starts.

use std::fmt::{self, Write};

use serde_json::{Map, Value};

use super::MetaExt;
use super::quantity::{self, GoForm};
use super::types::{ObjectMeta, PodTemplateSpec};
use super::well_known::POD_TEMPLATE_HASH_LABEL;
use crate::api::order;

#[rustfmt::skip]
#[path = "pod_template_layout.rs"]
mod layout;

/// A field of a Go struct.
struct Field {
    /// Name and type in the printed text: `Name:(string)`.
    head: &'static str,
    /// The field's name in JSON; empty for an inline struct.
    json: &'static str,
    kind: Kind,
}

/// How a Go type is printed.
enum Kind {
    Text,
    Bool,
    Int,
    Quantity,
    IntOrString,
    Time,
    FieldsV1,
    Struct(&'static [Field]),
    Pointer(&'static Kind),
    List(&'static Kind),
    Map(&'static Kind),
}

/// Whether two templates are equal apart from the hash label (`EqualIgnoreHash`).
pub fn equal_ignore_hash(a: &PodTemplateSpec, b: &PodTemplateSpec) -> bool {
    if a.spec != b.spec {
        return false;
    }
    let none = ObjectMeta::default();
    let (a, b) = (a.metadata.as_ref().unwrap_or(&none), b.metadata.as_ref().unwrap_or(&none));
    let bare = |m: &ObjectMeta| ObjectMeta { labels: None, annotations: None, ..m.clone() };
    let annotations = |m: &ObjectMeta| m.annotations.as_ref().is_some_and(|a| !a.is_empty());
    let same_annotations = a.annotations == b.annotations || (!annotations(a) && !annotations(b));
    labels_but_hash(a).eq(labels_but_hash(b)) && same_annotations && (a == b || bare(a) == bare(b))
}

fn labels_but_hash(m: &ObjectMeta) -> impl Iterator<Item = (&String, &String)> {
    m.labels_or_empty().iter().filter(|(k, _)| *k != POD_TEMPLATE_HASH_LABEL)
}

/// The hash of a template. `collision_count` is the Deployment's `status.collisionCount`.
pub fn compute_hash(template: &PodTemplateSpec, collision_count: Option<i32>) -> String {
    let mut hash = Fnv32::new();
    // Writing to the hash cannot fail.
    let _ = print(&mut hash, template);
    if let Some(count) = collision_count {
        // Go writes the count to the front of an eight-byte buffer and hashes the whole buffer.
        hash.bytes(&count.to_le_bytes());
        hash.bytes(&[0; 4]);
    }
    safe_encode(&hash.0.to_string())
}

/// The text that is hashed.
pub fn dump(template: &PodTemplateSpec) -> String {
    let mut text = String::with_capacity(8192);
    let _ = print(&mut text, template);
    text
}

/// Replaces characters so that only consonants and digits are left and no hash is a word
/// (`rand.SafeEncodeString`).
pub fn safe_encode(text: &str) -> String {
    const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
    text.bytes().filter_map(|b| ALPHABET.get(usize::from(b) % 27)).map(|b| char::from(*b)).collect()
}

/// FNV-1a with 32 bits.
struct Fnv32(u32);

impl Fnv32 {
    fn new() -> Self {
        Fnv32(0x811c_9dc5)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |h, b| (h ^ u32::from(*b)).wrapping_mul(0x0100_0193));
    }
}

impl Write for Fnv32 {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.bytes(s.as_bytes());
        Ok(())
    }
}

fn print<W: Write>(w: &mut W, template: &PodTemplateSpec) -> fmt::Result {
    let value = crate::api::to_value(template);
    w.write_str("(v1.PodTemplateSpec)")?;
    print_value(w, &Kind::Struct(layout::POD_TEMPLATE_SPEC), Some(&value))
}

fn print_struct<W: Write>(w: &mut W, fields: &[Field], map: Option<&Map<String, Value>>) -> fmt::Result {
    w.write_char('{')?;
    for (i, field) in fields.iter().enumerate() {
        if i > 0 {
            w.write_char(' ')?;
        }
        w.write_str(field.head)?;
        match field.kind {
            Kind::Struct(inline) if field.json.is_empty() => print_struct(w, inline, map)?,
            _ => print_value(w, &field.kind, map.and_then(|m| m.get(field.json)))?,
        }
    }
    w.write_char('}')
}

/// Prints a value; an absent one as Go's zero value. Empty lists and maps are nil, because the controller
/// reads objects in protobuf, which does not distinguish the two.
fn print_value<W: Write>(w: &mut W, kind: &Kind, value: Option<&Value>) -> fmt::Result {
    let value = value.filter(|v| !v.is_null());
    match kind {
        Kind::Text => w.write_str(value.and_then(Value::as_str).unwrap_or_default()),
        Kind::Bool => {
            w.write_str(if value.and_then(Value::as_bool).unwrap_or_default() { "true" } else { "false" })
        }
        Kind::Int => write!(w, "{}", value.and_then(Value::as_i64).unwrap_or_default()),
        Kind::Quantity => print_quantity(w, value.and_then(Value::as_str).unwrap_or("0")),
        Kind::IntOrString => {
            let text = value.and_then(Value::as_str);
            let number = value.and_then(Value::as_i64).unwrap_or_default();
            write!(
                w,
                "{{Type:(intstr.Type){} IntVal:(int32){number} StrVal:(string){}}}",
                i32::from(text.is_some()),
                text.unwrap_or_default()
            )
        }
        Kind::Time => print_time(w, value.and_then(Value::as_str)),
        Kind::FieldsV1 => {
            w.write_str("{Raw:([]uint8)[")?;
            let raw = value.map(Value::to_string).unwrap_or_default();
            for (i, b) in raw.bytes().enumerate() {
                let space = if i > 0 { " " } else { "" };
                write!(w, "{space}{b}")?;
            }
            w.write_str("]}")
        }
        Kind::Struct(fields) => print_struct(w, fields, value.and_then(Value::as_object)),
        Kind::Pointer(kind) => match value {
            Some(value) => print_value(w, kind, Some(value)),
            None => w.write_str("<nil>"),
        },
        Kind::List(kind) => match value.and_then(Value::as_array) {
            Some(items) if !items.is_empty() => {
                w.write_char('[')?;
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        w.write_char(' ')?;
                    }
                    print_value(w, kind, Some(item))?;
                }
                w.write_char(']')
            }
            _ => w.write_str("<nil>"),
        },
        Kind::Map(kind) => match value.and_then(Value::as_object) {
            Some(map) if !map.is_empty() => {
                let mut entries: Vec<_> = map.iter().collect();
                order::sort_by_key(&mut entries, |(key, _)| *key);
                w.write_str("map[")?;
                for (i, (key, item)) in entries.into_iter().enumerate() {
                    if i > 0 {
                        w.write_char(' ')?;
                    }
                    w.write_str(key)?;
                    w.write_char(':')?;
                    print_value(w, kind, Some(item))?;
                }
                w.write_char(']')
            }
            _ => w.write_str("<nil>"),
        },
    }
}

/// Prints a quantity's private fields: a small number or a big decimal, and the text if it was kept.
fn print_quantity<W: Write>(w: &mut W, text: &str) -> fmt::Result {
    let parsed = quantity::parse(text.trim()).unwrap_or(quantity::Parsed {
        // Validation refuses such texts.
        amount: quantity::Amount::ZERO,
        keeps_text: false,
    });
    let (value, scale, big) = match parsed.amount.go_form() {
        GoForm::Int64 { value, scale } => (value, scale, None),
        GoForm::Dec { unscaled, scale } => (0, 0, Some((unscaled, scale))),
    };
    write!(w, "{{i:(resource.int64Amount){{value:(int64){value} scale:(resource.Scale){scale}}} ")?;
    w.write_str("d:(resource.infDecAmount){Dec:(*inf.Dec)")?;
    match big {
        None => w.write_str("<nil>")?,
        Some((unscaled, scale)) => {
            write!(w, "{{unscaled:(big.Int){{neg:(bool){} abs:(big.nat)", unscaled < 0)?;
            let magnitude = unscaled.unsigned_abs();
            // Go's words have 64 bits; the lowest word comes first.
            match (magnitude as u64, (magnitude >> 64) as u64) {
                (0, 0) => w.write_str("<nil>")?,
                (low, 0) => write!(w, "[{low}]")?,
                (low, high) => write!(w, "[{low} {high}]")?,
            }
            write!(w, "}} scale:(inf.Scale){scale}}}")?;
        }
    }
    let kept = if parsed.keeps_text { text.trim() } else { "" };
    write!(w, "}} s:(string){kept} Format:(resource.Format){}}}", parsed.amount.format().as_str())
}

/// Prints a time's private fields. A template rarely has a `creationTimestamp`; its zone is that of the
/// controller, which runs in UTC without zone files.
fn print_time<W: Write>(w: &mut W, text: Option<&str>) -> fmt::Result {
    /// Seconds from the year 1 to 1970.
    const UNIX_EPOCH: i64 = 62_135_596_800;
    w.write_str("{Time:(time.Time){wall:(uint64)0 ext:(int64)")?;
    match text.and_then(|t| t.parse::<jiff::Timestamp>().ok()) {
        None => w.write_str("0 loc:(*time.Location)<nil>}}"),
        Some(time) => {
            write!(w, "{}", time.as_second().saturating_add(UNIX_EPOCH))?;
            w.write_str(
                " loc:(*time.Location){name:(string)UTC zone:([]time.zone)<nil> tx:([]time.zoneTrans)<nil> ",
            )?;
            w.write_str(
                "extend:(string) cacheStart:(int64)0 cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}}}",
            )
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const VECTORS: &str = include_str!("../../tests/conformance/pod-template-hash/vectors.jsonl");

    /// All templates whose hash was recorded on a real cluster.
    #[test]
    fn recorded_templates() {
        let mut n = 0;
        for line in VECTORS.lines() {
            let v: Value = serde_json::from_str(line).unwrap();
            let template: PodTemplateSpec = serde_json::from_value(v["template"].clone()).unwrap();
            assert_eq!(dump(&template), v["dump"].as_str().unwrap(), "{}", v["name"]);
            assert_eq!(compute_hash(&template, None), v["hash"], "{}", v["name"]);
            assert_eq!(compute_hash(&template, Some(1)), v["hash_collision_1"], "{}", v["name"]);
            n += 1;
        }
        assert_eq!(n, 29);
    }

    /// Empty lists and maps are nil; a big quantity is an `inf.Dec`.
    #[test]
    fn zero_values_and_big_quantities() {
        let template = |v: Value| serde_json::from_value::<PodTemplateSpec>(v).unwrap();
        let a = template(serde_json::json!({"spec": {"containers": [], "nodeSelector": {}}}));
        let b = template(serde_json::json!({"metadata": {}, "spec": {"containers": []}}));
        assert_eq!(dump(&a), dump(&b));
        let c = template(serde_json::json!({"spec": {"containers": [], "overhead": {"memory": "100Ti"}}}));
        assert!(dump(&c).contains(
            "map[memory:{i:(resource.int64Amount){value:(int64)0 scale:(resource.Scale)0} \
             d:(resource.infDecAmount){Dec:(*inf.Dec){unscaled:(big.Int){neg:(bool)false \
             abs:(big.nat)[8568098291072368640 5960]} scale:(inf.Scale)9}} s:(string) Format:(resource.Format)BinarySI}]"
        ), "{}", dump(&c));
    }
}
