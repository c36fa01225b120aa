//! The certificate authority of a cluster, as kubeadm makes one (`cmd/kubeadm/app/phases/certs`, `pkiutil.NewCertificateAuthority`): it is
//! called `kubernetes`, and has signed the certificate of kube-apiserver.
//!
//! It is the same in all clusters, as is its key ([`crate::api::keys::AUTHORITY`]).

/// The certificate, as pods find it in the ConfigMap `kube-root-ca.crt`.
pub const CERTIFICATE: &str = include_str!("root_ca.pem");

/// Whether a file of authorities has the cluster's own.
pub fn is_in(file: &str) -> bool {
    file.contains(CERTIFICATE.trim())
}

/// Whether a file has any certificate.
pub fn has_certificate(file: &str) -> bool {
    file.contains("-----BEGIN CERTIFICATE-----")
}
