//! What names, keys and values may look like (`k8s.io/apimachinery/pkg/util/validation` and
//! `pkg/api/validate/content`). Every function gives one message per violation.

use crate::api::names::{inclusive_range_error, max_len_error as max_len, regex_error};
pub use crate::api::names::{
    is_dns1035_label as dns1035_label, is_dns1123_label as dns1123_label,
    is_dns1123_subdomain as dns1123_subdomain, is_qualified_name as qualified_name,
    is_valid_label_value as label_value,
};

use super::field::{Errors, FieldError, Path};

/// What a value must look like, with the words Kubernetes uses for it.
struct Format {
    message: &'static str,
    regex: &'static str,
    examples: &'static [&'static str],
}

impl Format {
    /// `validation.RegexError`.
    fn error(&self) -> String {
        regex_error(self.message, self.regex, self.examples)
    }
}

const SUBDOMAIN_UNDERSCORE: Format = Format {
    message: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
    regex: "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*",
    examples: &["example.com"],
};
const CONFIG_KEY: Format = Format {
    message: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    regex: "[-._a-zA-Z0-9]+",
    examples: &["key.name", "KEY_NAME", "key-name"],
};
const PERCENT: Format = Format {
    message: "a valid percent string must be a numeric string followed by an ending '%'",
    regex: "[0-9]+%",
    examples: &["1%", "93%"],
};
const HTTP_HEADER: Format = Format {
    message: "a valid HTTP header must consist of alphanumeric characters or '-'",
    regex: "[-A-Za-z0-9]+",
    examples: &["X-Header-Name"],
};
const CONDITION_REASON: Format = Format {
    message: "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
    regex: "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
    examples: &["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"],
};

const WILDCARD_SUBDOMAIN: Format = Format {
    message: "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    regex: "\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
    examples: &["*.example.com"],
};
const HTTP_PATH: Format =
    Format { message: "Invalid path", regex: r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+", examples: &[] };

fn is_lower_alnum(b: u8) -> bool {
    b.is_ascii_lowercase() || b.is_ascii_digit()
}

/// Whether `s` is `edge (middle* edge)?`: the shape of nearly all of these.
fn has_edges(s: &str, edge: impl Fn(u8) -> bool, middle: impl Fn(u8) -> bool) -> bool {
    let b = s.as_bytes();
    match (b.first(), b.last()) {
        (Some(&first), Some(&last)) => edge(first) && edge(last) && b.iter().all(|&c| edge(c) || middle(c)),
        _ => false,
    }
}

/// A DNS subdomain whose labels may begin with, and contain, underscores.
pub fn dns1123_subdomain_with_underscore(value: &str) -> Vec<String> {
    let mut errs = Vec::new();
    if value.len() > 253 {
        errs.push(max_len(253));
    }
    let label =
        |s: &str| has_edges(s.strip_prefix('_').unwrap_or(s), is_lower_alnum, |c| matches!(c, b'-' | b'_'));
    if !value.split('.').all(label) {
        errs.push(SUBDOMAIN_UNDERSCORE.error());
    }
    errs
}

/// All names below a DNS subdomain: `*.example.com`.
pub fn wildcard_dns1123_subdomain(value: &str) -> Vec<String> {
    let mut errs = Vec::new();
    if value.len() > 253 {
        errs.push(max_len(253));
    }
    let label = |s: &str| has_edges(s, is_lower_alnum, |c| c == b'-');
    if !value.strip_prefix("*.").is_some_and(|rest| rest.split('.').all(label)) {
        errs.push(WILDCARD_SUBDOMAIN.error());
    }
    errs
}

/// A name in somebody's domain: `example.com/name` (`IsDomainPrefixedPath`).
pub(in crate::apiserver) fn domain_prefixed_path(errs: &mut Errors, value: &str, at: &Path) {
    let Some((host, path)) = value.split_once('/').filter(|(h, p)| !h.is_empty() && !p.is_empty()) else {
        let message = "must be a domain-prefixed path (such as \"acme.io/foo\")";
        errs.push(FieldError::invalid(at, value, message));
        return;
    };
    errs.extend(dns1123_subdomain(host).into_iter().map(|m| FieldError::invalid(at, host, m)));
    let allowed = |c: u8| c.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&c);
    if !path.bytes().all(allowed) {
        errs.push(FieldError::invalid(at, path, HTTP_PATH.error()));
    }
}

/// `25%`
pub fn percent(value: &str) -> Vec<String> {
    match value.strip_suffix('%') {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit()) => Vec::new(),
        _ => vec![PERCENT.error()],
    }
}

/// The name of an HTTP header.
pub fn http_header_name(value: &str) -> Vec<String> {
    if !value.is_empty() && value.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-') {
        Vec::new()
    } else {
        vec![HTTP_HEADER.error()]
    }
}

/// The name of an environment variable, by the relaxed rule that has been on since 1.34.
pub fn env_var_name(value: &str) -> Vec<String> {
    let mut errs = Vec::new();
    if value.is_empty() {
        errs.push("environment variable name must be non-empty".to_owned());
    }
    if value.chars().any(|c| !(' '..='~').contains(&c) || c == '=') {
        errs.push(
            "a valid environment variable name must consist only of printable ASCII characters other than '='"
                .to_owned(),
        );
    }
    errs
}

/// A key of a ConfigMap or a Secret.
pub fn config_map_key(value: &str) -> Vec<String> {
    let mut errs = Vec::new();
    if value.len() > 253 {
        errs.push(max_len(253));
    }
    if value.is_empty()
        || !value.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_'))
    {
        errs.push(CONFIG_KEY.error());
    }
    if value == "." {
        errs.push("must not be '.'".to_owned());
    } else if value == ".." {
        errs.push("must not be '..'".to_owned());
    } else if value.starts_with("..") {
        errs.push("must not start with '..'".to_owned());
    }
    errs
}

/// A user or group id.
pub fn user_or_group_id(id: i64) -> Vec<String> {
    let max = i64::from(i32::MAX);
    if (0..=max).contains(&id) { Vec::new() } else { vec![inclusive_range_error(0, max)] }
}

/// A name that can stand in a URL's path: what every object's name must be at least.
pub fn path_segment_name(name: &str) -> Vec<String> {
    if name == "." || name == ".." {
        return vec![format!("may not be '{name}'")];
    }
    path_segment_prefix(name)
}

/// The beginning of a name that can stand in a URL's path.
pub fn path_segment_prefix(name: &str) -> Vec<String> {
    ["/", "%"].iter().filter(|c| name.contains(*c)).map(|c| format!("may not contain '{c}'")).collect()
}

/// The reason of a condition.
pub fn condition_reason(value: &str) -> Vec<String> {
    let b = value.as_bytes();
    let word = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    let ok = b.first().is_some_and(u8::is_ascii_alphabetic)
        && b.last().is_some_and(|&c| word(c))
        && b.iter().all(|&c| word(c) || c == b',' || c == b':');
    if ok { Vec::new() } else { vec![CONDITION_REASON.error()] }
}

/// A name rule: the name, and whether it is a prefix to which characters will be added.
pub type NameRule = fn(&str, bool) -> Vec<String>;

/// A prefix may end in a dash, since more will follow (`maskTrailingDash`; it also swallows the
/// character before the dash).
fn mask_trailing_dash(name: &str) -> String {
    match name.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let mut rest = rest.to_owned();
            rest.pop();
            rest.push('a');
            rest
        }
        _ => name.to_owned(),
    }
}

/// Names that are DNS subdomains: of most kinds.
pub fn name_is_dns_subdomain(name: &str, prefix: bool) -> Vec<String> {
    if prefix { dns1123_subdomain(&mask_trailing_dash(name)) } else { dns1123_subdomain(name) }
}

/// Names that are DNS labels: of Namespaces and Services.
pub fn name_is_dns_label(name: &str, prefix: bool) -> Vec<String> {
    if prefix { dns1123_label(&mask_trailing_dash(name)) } else { dns1123_label(name) }
}

/// Names that only have to fit into a path: of PodDisruptionBudgets, Events and custom resources.
pub fn name_is_path_segment(name: &str, prefix: bool) -> Vec<String> {
    if prefix { path_segment_prefix(name) } else { path_segment_name(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert!(dns1123_label("a-1").is_empty());
        assert_eq!(dns1123_label("a.b"), ["must not contain dots"]);
        assert_eq!(dns1123_subdomain("").len(), 1);
        assert_eq!(dns1123_subdomain("a..b").len(), 1);
        assert_eq!(qualified_name("a/b/c").len(), 1);
        assert_eq!(qualified_name("").len(), 2);
        assert_eq!(qualified_name("/x"), ["prefix part must be non-empty"]);
        assert!(qualified_name("example.com/My.name_1").is_empty());
        assert!(label_value("").is_empty());
        assert!(percent("25%").is_empty());
        assert_eq!(percent("%").len(), 1);
        assert_eq!(config_map_key("..a"), ["must not start with '..'"]);
        assert!(name_is_dns_subdomain("web-", true).is_empty());
        assert_eq!(name_is_dns_subdomain("Bad_", true).len(), 1);
    }
}
