//! What a client sends beside its request's first line and header: the body, and whose certificates it takes.

use super::{Flag, has, value};
use crate::api::root_ca::has_certificate;
use crate::network::question::Trust;
use crate::shell::machine::{Shell, Stop};

/// Where images have the certificates of authorities that everybody knows. Of these files nothing is known here.
const OF_THE_SYSTEM: [&str; 3] = ["/etc/ssl/", "/etc/pki/", "/usr/"];

/// The form that a body has by itself.
pub(super) const FORM: &str = "application/x-www-form-urlencoded";

/// Whose certificates the client takes. `file` is the file of authorities that it was told of.
///
/// # Errors
/// The path of that file, if there are no certificates in it.
pub(super) fn trust(shell: &mut Shell<'_>, file: Option<&str>) -> Result<Trust, String> {
    let Some(file) = file else { return Ok(Trust::System) };
    match shell.content(file) {
        Some(text) if has_certificate(&text) => Ok(Trust::Authority(text.into())),
        None if shell.look(file).is_none()
            && OF_THE_SYSTEM.iter().any(|directory| file.starts_with(directory)) =>
        {
            Ok(Trust::System)
        }
        _ => Err(file.to_owned()),
    }
}

/// A text as it stands in a form (`curl_easy_escape`, with a plus for each blank).
fn escaped(text: &str) -> String {
    let kept = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    let of = |b: u8| if kept(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    let escaped: String = text.bytes().map(of).collect();
    // `replace_url_encoded_space_by_plus` of `src/tool_getparam.c`.
    escaped.replace("%20", "+")
}

/// What stands in a file, or what is left of standard input (`-`); `None` if there is no such file.
fn contents(shell: &mut Shell<'_>, path: &str) -> Result<Option<String>, Stop> {
    if path == "-" {
        return Ok(Some(shell.read_input()?));
    }
    Ok(shell.content(path))
}

/// The body that curl's options name; `None` if they name none.
///
/// # Errors
/// In the inner result: the file that is not there.
pub(super) fn curl_body(
    shell: &mut Shell<'_>,
    flags: &[Flag<'_>],
) -> Result<Result<Option<String>, String>, Stop> {
    let mut body: Option<String> = None;
    for Flag { name, value, .. } in flags {
        let whole = matches!(*name, "json" | "data-binary");
        let piece = match (*name, value.strip_prefix('@')) {
            ("d" | "data" | "data-ascii" | "data-binary" | "json", Some(path)) => {
                let Some(text) = contents(shell, path)? else { return Ok(Err(path.to_owned())) };
                // Only a body that is told to be binary keeps its line ends.
                if whole { text } else { text.replace(['\r', '\n'], "") }
            }
            ("d" | "data" | "data-ascii" | "data-binary" | "data-raw" | "json", _) => (*value).to_owned(),
            ("data-urlencode", _) => match value.split_once('=') {
                Some(("", text)) => escaped(text),
                Some((name, text)) => format!("{name}={}", escaped(text)),
                None => match value.split_once('@') {
                    Some((name, path)) => {
                        let Some(text) = contents(shell, path)? else { return Ok(Err(path.to_owned())) };
                        let sign = if name.is_empty() { "" } else { "=" };
                        format!("{name}{sign}{}", escaped(&text))
                    }
                    None => escaped(value),
                },
            },
            ("T" | "upload-file", _) => {
                let Some(text) = contents(shell, value)? else { return Ok(Err((*value).to_owned())) };
                text
            }
            _ => continue,
        };
        body = Some(match body {
            Some(before) if *name == "json" => before + &piece,
            Some(before) => format!("{before}&{piece}"),
            None => piece,
        });
    }
    Ok(Ok(body))
}

/// The body that wget's options name; `None` if they name none.
pub(super) fn wget_body(
    shell: &mut Shell<'_>,
    flags: &[Flag<'_>],
) -> Result<Result<Option<String>, String>, Stop> {
    if let Some(text) = value(flags, &["post-data", "body-data"]) {
        return Ok(Ok(Some(text.to_owned())));
    }
    let Some(path) = value(flags, &["post-file", "body-file"]) else { return Ok(Ok(None)) };
    Ok(contents(shell, path)?.map(Some).ok_or_else(|| path.to_owned()))
}

/// Whether the client was told to take any certificate.
pub(super) fn is_insecure(flags: &[Flag<'_>]) -> bool {
    has(flags, &["k", "insecure", "no-check-certificate"])
}
