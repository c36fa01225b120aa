//! The names of devices (`structured/schedulerapi/types.go`).

use std::fmt;
use std::rc::Rc;

/// A device in the cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeviceId {
    /// The driver's name.
    pub driver: Rc<str>,
    /// The pool's name.
    pub pool: Rc<str>,
    /// The device's name in the pool.
    pub device: Rc<str>,
}

impl DeviceId {
    /// The device with these names.
    pub fn new(driver: &str, pool: &str, device: &str) -> DeviceId {
        DeviceId { driver: driver.into(), pool: pool.into(), device: device.into() }
    }
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.driver, self.pool, self.device)
    }
}
