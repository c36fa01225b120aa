//! An open door: its thread, its address, and how it is closed.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::rc::Rc;
use std::thread::JoinHandle;

use steady::cluster::Cluster;
use tokio::sync::watch;

use crate::house::{House, Time};
use crate::limits::Limits;
use crate::{clock, serve};

/// The stack of the thread that owns the cluster, in bytes: as large as that of a main thread usually is.
const STACK: usize = 8 * 1024 * 1024;

/// How a door is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The address on which it listens; port 0 for a free one.
    pub address: SocketAddr,
    /// Whether it may listen on an address that other machines can reach.
    pub open: bool,
    /// What makes virtual time pass.
    pub time: Time,
    /// The limits of clients.
    pub limits: Limits,
}

impl Default for Options {
    /// On a free port of 127.0.0.1, with time that follows the clock.
    fn default() -> Options {
        Options {
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            open: false,
            time: Time::default(),
            limits: Limits::default(),
        }
    }
}

/// An open door. It closes when the value is dropped.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    ending: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Opens a door to a cluster. The cluster is made on the thread that will own it.
    ///
    /// # Errors
    /// If the address is in use, or other machines can reach it and [`Options::open`] is not set.
    pub fn start(
        options: Options,
        cluster: impl FnOnce() -> Cluster + Send + 'static,
    ) -> io::Result<Running> {
        let loopback = options.address.ip().is_loopback();
        if !loopback && !options.open {
            let why = format!(
                "{} can be reached from other machines, and nobody is asked for a password",
                options.address.ip()
            );
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let listener = TcpListener::bind(options.address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let ending = watch::Sender::new(false);
        let end = ending.clone();
        let host = loopback.then_some(address);
        let thread =
            std::thread::Builder::new().name("cluster".into()).stack_size(STACK).spawn(move || {
                let house = Rc::new(House::new(cluster(), options.time, options.limits, host, end));
                let tasks = tokio::task::LocalSet::new();
                tasks.block_on(&runtime, async move {
                    // The listener was bound above; this thread's runtime takes it.
                    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                    if house.time == Time::Clock {
                        tokio::task::spawn_local(clock::follow(house.clone()));
                    }
                    tokio::task::spawn_local(clock::forget(house.clone()));
                    serve::serve(house, listener).await;
                });
            })?;
        Ok(Running { address, ending, thread: Some(thread) })
    }

    /// The address on which the door listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The door's URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Closes the door: watches end, requests are finished, connections are closed.
    pub fn stop(self) {}
}

impl Drop for Running {
    fn drop(&mut self) {
        self.ending.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // A panic has been reported already.
            let _ = thread.join();
        }
    }
}
