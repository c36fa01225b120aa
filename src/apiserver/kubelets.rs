//! What kube-apiserver asks kubelets for, because a client asked it: [`Kubelets`].

use super::ApiServer;
use crate::api::{Key, Timestamp};
use crate::apimachinery::{
    AttachOptions, Attached, ContainerLog, ExecOptions, Executed, KubeletError, LogOptions, LogPlace,
};

/// The kubelets that kube-apiserver can reach (`pkg/kubelet/client.ConnectionInfoGetter` and the HTTP servers behind it).
pub trait Kubelets {
    /// What a container of a pod has printed until `now`. `from` goes on where an earlier answer ended
    /// ([`ContainerLog::next`]); then it is the same instance of the container that is read, and [`LogOptions`]' choice
    /// of lines was made already.
    ///
    /// # Errors
    /// The kubelet refuses, or it cannot be reached.
    fn log(
        &self,
        node: &str,
        pod: &Key,
        options: &LogOptions,
        from: Option<&LogPlace>,
        now: Timestamp,
    ) -> Result<ContainerLog, KubeletError>;

    /// Executes a command in a container of a pod. `api` is what the names of the network are read from, and what its own
    /// requests to kube-apiserver write to. What it writes to files is in the container when the request has been answered.
    ///
    /// # Errors
    /// The kubelet refuses, or it cannot be reached.
    fn exec(
        &self,
        node: &str,
        pod: &Key,
        options: &ExecOptions,
        api: &mut ApiServer,
        now: Timestamp,
    ) -> Result<Executed, KubeletError>;

    /// Attaches a client to the process of a container of a pod, and writes to its standard input. `api` is what the names of the
    /// network are read from.
    ///
    /// # Errors
    /// The kubelet refuses, or it cannot be reached.
    fn attach(
        &self,
        node: &str,
        pod: &Key,
        options: &AttachOptions,
        api: &ApiServer,
        now: Timestamp,
    ) -> Result<Attached, KubeletError>;

    /// Whether a part of the control plane on the machine of the API server (`kube-scheduler`) answers on its port.
    fn answers(&self, process: &str) -> bool;
}

/// No kubelet can be reached: an API server without a cluster around it.
#[derive(Clone, Copy, Debug)]
pub struct NoKubelets;

impl Kubelets for NoKubelets {
    fn answers(&self, _: &str) -> bool {
        false
    }

    fn log(
        &self,
        _: &str,
        _: &Key,
        _: &LogOptions,
        _: Option<&LogPlace>,
        _: Timestamp,
    ) -> Result<ContainerLog, KubeletError> {
        Err(KubeletError::Unreachable)
    }

    fn exec(
        &self,
        _: &str,
        _: &Key,
        _: &ExecOptions,
        _: &mut ApiServer,
        _: Timestamp,
    ) -> Result<Executed, KubeletError> {
        Err(KubeletError::Unreachable)
    }

    fn attach(
        &self,
        _: &str,
        _: &Key,
        _: &AttachOptions,
        _: &ApiServer,
        _: Timestamp,
    ) -> Result<Attached, KubeletError> {
        Err(KubeletError::Unreachable)
    }
}
