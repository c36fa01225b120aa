//! The names of the objects that are made for a Gateway (`internal/framework/controller/resource.go`).

use std::rc::Rc;

use sha2::{Digest, Sha256};

/// The longest name of a Service.
pub const LONGEST: usize = 63;

/// How many digits of a hash a shortened name has.
const DIGITS: usize = 8;

/// A name with something behind it: `GATEWAY-CLASS`. If it is too long, the first part is cut, and a hash tells it from others.
pub fn name_of_resources(name: &str, suffix: &str) -> Rc<str> {
    let whole = format!("{name}-{suffix}");
    if whole.len() <= LONGEST {
        return whole.into();
    }
    let hash = Sha256::digest(whole.as_bytes());
    let hash: String =
        hash.iter().map(|b| format!("{b:02x}")).collect::<String>().chars().take(DIGITS).collect();
    let room = LONGEST.saturating_sub(2 + DIGITS + suffix.len());
    let cut: String = name.chars().take(room).collect();
    format!("{}-{hash}-{suffix}", cut.trim_end_matches('-')).into()
}
