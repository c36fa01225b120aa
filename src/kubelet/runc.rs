//! What runc says of a program that it cannot start (`libcontainer`).

use crate::api::quote::go_quote;

/// Why runc cannot start a program that is not there.
pub(super) fn not_found(name: &str) -> String {
    let why = match name.contains('/') {
        true => format!("stat {name}: no such file or directory"),
        false => "executable file not found in $PATH".to_owned(),
    };
    format!("exec: {}: {why}", go_quote(name))
}

/// Why runc cannot start a file that nobody may execute.
pub(super) fn not_executable(name: &str) -> String {
    format!("exec: {}: permission denied", go_quote(name))
}
