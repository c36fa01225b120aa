//! Paths of files, as command lines and kustomizations name them.

/// A path without `./` before it and a slash after it.
pub(super) fn clean(path: &str) -> &str {
    let path = path.strip_prefix("./").unwrap_or(path);
    match path.trim_end_matches('/') {
        "" => ".",
        path => path,
    }
}

/// A path in a directory.
pub(super) fn join(directory: &str, name: &str) -> String {
    if directory == "." { name.to_owned() } else { format!("{directory}/{name}") }
}
