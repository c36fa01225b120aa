//! What is read of a `types.go`: structs with the tags and markers of their fields, and names of other types.

use std::collections::BTreeMap;
use std::fmt;

use regex::Regex;

use crate::Result;

/// The name of a type in Go.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The group, with the version if it is not v1: `core`, `autoscalingv2`; `metav1` for what all groups share.
    pub package: String,
    /// `PodSpec`
    pub name: String,
}

impl Name {
    /// The name of a type.
    pub fn new(package: &str, name: &str) -> Name {
        Name { package: package.to_owned(), name: name.to_owned() }
    }

    /// The type that `text` names in a file of `package`: `metav1.Time`, `PodSpec`. Pointers are taken off.
    pub fn resolve(package: &str, text: &str) -> Name {
        let text = text.trim_start_matches('*');
        match text.split_once('.') {
            None => Name::new(package, text),
            Some(("v1" | "corev1" | "apiv1", name)) => Name::new("core", name),
            Some((import, name)) => Name::new(import, name),
        }
    }

    /// The version that Kubernetes' own names of the package's types begin with: `v1`.
    pub fn version(&self) -> &str {
        if self.package.ends_with("v2") { "v2" } else { "v1" }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.package, self.name)
    }
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name in Go; of an embedded struct, that struct's.
    pub name: String,
    /// Whether it has no name of its own in Go.
    embedded: bool,
    /// Its type as it is written: `[]metav1.OwnerReference`.
    pub ty: String,
    tags: BTreeMap<String, String>,
    /// The lines of the comment above it, without the slashes. Markers begin with `+`.
    pub comment: Vec<String>,
}

/// What the tag `json` of a field says.
pub struct Json<'a> {
    /// Empty if the struct's fields stand inline.
    pub name: &'a str,
    options: Vec<&'a str>,
}

impl Json<'_> {
    /// Whether an option stands behind the name: `omitempty`.
    pub fn has(&self, option: &str) -> bool {
        self.options.contains(&option)
    }
}

impl Field {
    /// A tag's text, if the field has it.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.get(name).map(String::as_str)
    }

    /// The tag `json`; a field without it is not in JSON, which Go writes as `-`.
    pub fn json(&self) -> Json<'_> {
        let mut parts = self.tag("json").unwrap_or("-").split(',');
        Json { name: parts.next().unwrap_or_default(), options: parts.collect() }
    }

    /// Whether the fields of its type stand in its place in JSON: an embedded struct without a name there. The option
    /// `inline` says so to people; `encoding/json` does not ask for it.
    pub fn is_inline(&self) -> bool {
        self.embedded && self.json().name.is_empty()
    }

    /// The values of a marker above the field: `+listMapKey=name`. A marker may stand there several times.
    pub fn marker<'a>(&'a self, name: &'a str) -> impl DoubleEndedIterator<Item = &'a str> {
        self.comment
            .iter()
            .filter_map(move |line| line.strip_prefix('+')?.strip_prefix(name)?.strip_prefix('='))
    }
}

/// A struct.
#[derive(Clone, Debug, Default)]
pub struct Struct {
    /// Its fields, in order.
    pub fields: Vec<Field>,
    /// The lines of the comment above it, without the slashes.
    pub comment: Vec<String>,
}

/// The types of all files that were read.
#[derive(Default)]
pub struct Types {
    structs: BTreeMap<Name, Struct>,
    named: BTreeMap<Name, String>,
}

impl Types {
    /// A struct.
    pub fn get(&self, name: &Name) -> Option<&Struct> {
        self.structs.get(name)
    }

    /// A struct that a table needs.
    ///
    /// # Errors
    /// No file that is read has it.
    pub fn find(&self, name: &Name) -> Result<&Struct> {
        self.get(name).ok_or_else(|| format!("there is no struct {name} in the sources that are read"))
    }

    /// Every struct.
    pub fn structs(&self) -> impl Iterator<Item = (&Name, &Struct)> {
        self.structs.iter()
    }

    /// The type that another one is made of: `string` of `type PodPhase string`.
    pub fn named(&self, name: &Name) -> Option<&str> {
        self.named.get(name).map(String::as_str)
    }

    /// The name of a struct's constant in a table: `POD_SPEC`. Of structs with one name, that of the core group has it, or
    /// that of the first package by name, and before the others' names stands their package.
    pub fn constant(&self, name: &Name) -> String {
        let snake = upper_snake(&name.name);
        let same = self.structs.keys().filter(|other| other.name == name.name);
        let first =
            same.map(|other| other.package.as_str()).min_by_key(|package| (*package != "core", *package));
        match name.package.as_str() {
            package if first.is_none_or(|first| first == package) => snake,
            "metav1" => format!("META_{snake}"),
            package => format!("{}_{snake}", package.to_uppercase()),
        }
    }

    /// Adds the types of a file.
    ///
    /// # Errors
    /// None that depend on the file: what is no type is passed over.
    pub fn add(&mut self, package: &str, text: &str) -> Result<()> {
        let regex = |text: &str| Regex::new(text).map_err(|e| e.to_string());
        let begin = regex(r"^type (\w+) struct \{$")?;
        let empty = regex(r"^type (\w+) struct\{\}$")?;
        let other = regex(r"^type (\w+) (\S+)$")?;
        let field = regex(r"^(?:(\w+)\s+)?([\w.*\[\]]+)\s+`(.*)`")?;
        let tag = regex(r#"(\w+):"([^"]*)""#)?;
        let first = |line: &str, regex: &Regex| Some(regex.captures(line)?.get(1)?.as_str().to_owned());
        let mut comment = Vec::new();
        let mut inside: Option<(Name, Struct)> = None;
        for line in text.lines().map(str::trim) {
            if let Some(said) = line.strip_prefix("//") {
                comment.push(said.trim().to_owned());
                continue;
            }
            let above = std::mem::take(&mut comment);
            match &mut inside {
                Some(_) if line == "}" => self.structs.extend(inside.take()),
                Some((_, body)) => {
                    if let Some(found) = field.captures(line) {
                        let part = |at| found.get(at).map_or("", |m| m.as_str());
                        let ty = part(2).to_owned();
                        let name = match part(1) {
                            "" => Name::resolve(package, &ty).name,
                            name => name.to_owned(),
                        };
                        let tags = tag.captures_iter(part(3)).map(|tag| tag.extract());
                        let tags =
                            tags.map(|(_, [name, value])| (name.to_owned(), value.to_owned())).collect();
                        let embedded = part(1).is_empty();
                        body.fields.push(Field { name, embedded, ty, tags, comment: above });
                    }
                }
                None => {
                    if let Some(name) = first(line, &begin) {
                        inside =
                            Some((Name::new(package, &name), Struct { comment: above, ..Struct::default() }));
                    } else if let Some(name) = first(line, &empty) {
                        let body = Struct { comment: above, ..Struct::default() };
                        self.structs.insert(Name::new(package, &name), body);
                    } else if let Some(found) = other.captures(line) {
                        let (_, [name, ty]) = found.extract();
                        self.named.insert(Name::new(package, name), ty.to_owned());
                    }
                }
            }
        }
        Ok(())
    }
}

/// `PodIPs` as `POD_IPS`, `AWSElasticBlockStore` as `AWS_ELASTIC_BLOCK_STORE`.
fn upper_snake(name: &str) -> String {
    let mut snake = String::new();
    let mut before: Option<char> = None;
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_ascii_uppercase()
            && before.is_some_and(|b| {
                b.is_ascii_lowercase()
                    || b.is_ascii_digit()
                    || (b.is_ascii_uppercase() && letters.peek().is_some_and(char::is_ascii_lowercase))
            })
        {
            snake.push('_');
        }
        snake.push(letter.to_ascii_uppercase());
        before = Some(letter);
    }
    snake
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used)]
    use super::*;

    const SOURCE: &str = r#"
package v1

// PodPhase is a label.
// +enum
type PodPhase string

// PodSpec describes.
// +structType=atomic
type PodSpec struct {
	metav1.TypeMeta `json:",inline"`
	Other `json:"" protobuf:"bytes,1,opt,name=other"`
	// Above a blank line, so of no field.
	// +default=1

	// +listType=map
	// +listMapKey=name
	// +listMapKey=port
	Containers []Container `json:"containers,omitempty" patchStrategy:"merge" protobuf:"bytes,2,rep,name=containers"`
	hidden string
	Dropped string `json:"-"`
}

type Empty struct{}
"#;

    fn types() -> Types {
        let mut types = Types::default();
        types.add("core", SOURCE).expect("types");
        types
    }

    #[test]
    fn a_struct_has_the_fields_with_tags() {
        let types = types();
        let spec = types.get(&Name::new("core", "PodSpec")).expect("PodSpec");
        assert_eq!(spec.comment, ["PodSpec describes.", "+structType=atomic"]);
        let [meta, other, containers, dropped] = spec.fields.as_slice() else { panic!("{:?}", spec.fields) };
        assert!(meta.is_inline() && meta.name == "TypeMeta" && other.is_inline());
        assert_eq!((containers.name.as_str(), containers.ty.as_str()), ("Containers", "[]Container"));
        assert!(containers.json().name == "containers" && containers.json().has("omitempty"));
        assert_eq!(containers.tag("patchStrategy"), Some("merge"));
        assert_eq!(dropped.json().name, "-");
        assert!(types.get(&Name::new("core", "Empty")).is_some_and(|s| s.fields.is_empty()));
        assert_eq!(types.named(&Name::new("core", "PodPhase")), Some("string"));
    }

    #[test]
    fn markers_are_those_right_above() {
        let types = types();
        let spec = types.get(&Name::new("core", "PodSpec")).expect("PodSpec");
        let containers = spec.fields.get(2).expect("containers");
        assert_eq!(containers.marker("listMapKey").collect::<Vec<_>>(), ["name", "port"]);
        assert_eq!(containers.marker("default").count(), 0);
    }

    #[test]
    fn a_name_belongs_to_the_package_that_is_imported() {
        assert_eq!(Name::resolve("apps", "*metav1.Time"), Name::new("metav1", "Time"));
        assert_eq!(Name::resolve("apps", "v1.PodSpec"), Name::new("core", "PodSpec"));
        assert_eq!(Name::resolve("apps", "DeploymentSpec"), Name::new("apps", "DeploymentSpec"));
    }

    #[test]
    fn constants_of_two_packages_differ() {
        let mut types = types();
        types.add("autoscaling", "type PodSpec struct {\n}\ntype ScaleIOSpec struct {\n}\n").expect("types");
        assert_eq!(types.constant(&Name::new("core", "PodSpec")), "POD_SPEC");
        assert_eq!(types.constant(&Name::new("autoscaling", "PodSpec")), "AUTOSCALING_POD_SPEC");
        assert_eq!(types.constant(&Name::new("autoscaling", "ScaleIOSpec")), "SCALE_IO_SPEC");
    }
}
