//! Named formats of texts: `k8s.io/apiserver/pkg/cel/format.go`.

use base64::Engine as _;

use super::super::super::regexes::compile;
use super::super::super::time::{parse_date, parse_timestamp};
use super::url::Url;
use crate::api::names;

/// A format by its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Format(&'static str);

/// Each format, and how long a pattern its cost is that of.
const FORMATS: [(&str, u64); 13] = [
    ("dns1123Label", 30),
    ("dns1123Subdomain", 60),
    ("dns1035Label", 30),
    ("qualifiedName", 60),
    ("dns1123LabelPrefix", 30),
    ("dns1123SubdomainPrefix", 60),
    ("dns1035LabelPrefix", 30),
    ("labelValue", 40),
    ("uri", 1103),
    ("uuid", 75),
    ("byte", 84),
    ("date", 107),
    ("datetime", 107),
];

const UUID: &str = "(?i)(^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$)|(^[0-9a-f]{32}$)";
const DNS_1035: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";

impl Format {
    /// The format of this name, if there is one.
    pub(crate) fn named(name: &str) -> Option<Format> {
        FORMATS.iter().find(|(n, _)| *n == name).map(|(n, _)| Format(n))
    }

    pub(crate) fn regex_size(&self) -> u64 {
        FORMATS.iter().find(|(n, _)| *n == self.0).map_or(0, |(_, size)| *size)
    }

    /// What is wrong with a text.
    pub(crate) fn validate(&self, text: &str) -> Vec<String> {
        let unless = |valid: bool, why: &str| if valid { Vec::new() } else { vec![why.to_owned()] };
        // A prefix may end in a hyphen, behind which more will come.
        let masked = match text.strip_suffix('-') {
            Some(rest) if self.0.ends_with("Prefix") => format!("{rest}a"),
            _ => text.to_owned(),
        };
        match self.0 {
            "dns1123Label" | "dns1123LabelPrefix" => names::is_dns1123_label(&masked),
            "dns1123Subdomain" | "dns1123SubdomainPrefix" => names::is_dns1123_subdomain(&masked),
            "dns1035Label" | "dns1035LabelPrefix" => is_dns1035_label(&masked),
            "qualifiedName" => names::is_qualified_name(text),
            "labelValue" => names::is_valid_label_value(text),
            "uri" => Url::parse(text).err().into_iter().collect(),
            "uuid" => {
                let valid = compile(UUID).is_ok_and(|r| r.is_match(text));
                unless(valid, "does not match the UUID format")
            }
            "byte" => {
                let valid = base64::engine::general_purpose::STANDARD.decode(text).is_ok();
                unless(valid, "invalid base64")
            }
            "date" => unless(parse_date(text).is_some(), "invalid date"),
            _ => unless(parse_timestamp(text).is_some(), "invalid datetime"),
        }
    }
}

fn is_dns1035_label(text: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if text.len() > 63 {
        errors.push(names::max_len_error(63));
    }
    if !compile(&format!("^{DNS_1035}$")).is_ok_and(|r| r.is_match(text)) {
        errors.push(names::regex_error(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
             character, and end with an alphanumeric character",
            DNS_1035,
            &["my-name", "abc-123"],
        ));
    }
    errors
}
