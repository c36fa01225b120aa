//! Names that kubectl looks at before it sends them (`k8s.io/apimachinery/pkg/util/validation`).

use crate::api::names::{max_len_error, regex_error};

/// What is wrong with the name of a variable (`IsEnvVarName`, the strict rule).
pub(super) fn env_var_name(name: &str) -> Vec<String> {
    let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.' | '-'));
    let rest = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    let mut wrong = Vec::new();
    if !(first && rest) {
        wrong.push(regex_error(
            "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
            "[-._a-zA-Z][-._a-zA-Z0-9]*",
            &["my.env-name", "MY_ENV.NAME", "MyEnvName1"],
        ));
    }
    no_dots(name, &mut wrong);
    wrong
}

/// What is wrong with a key of a ConfigMap or a Secret (`IsConfigMapKey`).
pub(super) fn config_map_key(key: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if key.len() > 253 {
        wrong.push(max_len_error(253));
    }
    if key.is_empty() || !key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')) {
        wrong.push(regex_error(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
            "[-._a-zA-Z0-9]+",
            &["key.name", "KEY_NAME", "key-name"],
        ));
    }
    no_dots(key, &mut wrong);
    wrong
}

/// Names of directories are none of keys.
fn no_dots(name: &str, wrong: &mut Vec<String>) {
    match name {
        "." => wrong.push("must not be '.'".to_owned()),
        ".." => wrong.push("must not be '..'".to_owned()),
        name if name.starts_with("..") => wrong.push("must not start with '..'".to_owned()),
        _ => {}
    }
}
