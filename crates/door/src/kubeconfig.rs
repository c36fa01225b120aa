//! A kubeconfig for a door.

use std::fs;
use std::io;
use std::path::Path;

/// The first line of a file that this program wrote. Only such a file is overwritten.
const MARK: &str = "# Written by steady-door; it writes over this file.\n";

/// The text of a kubeconfig for the door at this URL.
///
/// Clients differ in what they require. kr8s and lightkube want a user with a name, although the administrator needs no
/// credentials; `@kubernetes/client-node` uses plain HTTP only if certificates need not be verified, and
/// there is none.
pub fn text(url: &str) -> String {
    format!(
        "{MARK}apiVersion: v1\nkind: Config\nclusters:\n- name: steady\n  cluster:\n    server: {url}\n    \
         # Plain HTTP has no certificate. @kubernetes/client-node speaks it only where this is said.\n    \
         insecure-skip-tls-verify: true\n\
         contexts:\n- name: steady\n  context:\n    cluster: steady\n    namespace: default\n    user: steady\n\
         current-context: steady\n\
         # Who sends no credentials is the administrator, so the user has none; some clients want a user all the same.\n\
         # kubectl and other clients of client-go send no token and no certificate over plain HTTP, neither of a user here nor\n\
         # of a flag (--token): they stay the administrator. --as is sent.\n\
         users:\n- name: steady\n  user: {{}}\n"
    )
}

/// Writes the kubeconfig to a file.
///
/// # Errors
/// If the file exists and this program did not write it, or if it cannot be written.
pub fn write(file: &Path, url: &str) -> io::Result<()> {
    match fs::read_to_string(file) {
        Ok(old) if !old.starts_with(MARK) => {
            let why = "the file is there and was not written by this program";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    fs::write(file, text(url))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn clients_find_a_user_and_a_server() {
        let config = kube::config::Kubeconfig::from_yaml(&text("http://127.0.0.1:8001")).unwrap();
        let cluster = config.clusters[0].cluster.as_ref().unwrap();
        assert_eq!(cluster.server.as_deref(), Some("http://127.0.0.1:8001"));
        assert_eq!(cluster.insecure_skip_tls_verify, Some(true));
        let context = config.contexts[0].context.as_ref().unwrap();
        assert_eq!(context.user.as_deref(), Some(&*config.auth_infos[0].name));
        assert_eq!(config.current_context, Some(config.contexts[0].name.clone()));
    }
}
