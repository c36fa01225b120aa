//! What an nginx does with requests by a configuration that somebody has mounted: which `server` and which `location` is for a
//! request (`ngx_http_core_module`), and what is done there: `return`, files below `root` or `alias` with `index` and `try_files`, and
//! `proxy_pass`. Pages: <https://nginx.org/en/docs/http/request_processing.html>,
//! <https://nginx.org/en/docs/http/ngx_http_core_module.html>, <https://nginx.org/en/docs/http/ngx_http_proxy_module.html>.
//!
//! What depends on a directive that is not known here is [`Done::Unclear`].

mod build;
mod find;
mod parse;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;
use regex::Regex;

pub use find::{Done, Passing, There, Wanted, type_of};

/// The directory of the pages of nginx' images.
pub const PAGES: &str = "/usr/share/nginx/html";

/// The texts of the files of a configuration that somebody has mounted, by their paths.
pub type Texts = BTreeMap<Rc<str>, String>;

/// The servers of a configuration, and the groups of servers that they pass requests to.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    servers: Vec<Server>,
    upstreams: BTreeMap<String, Vec<Peer>>,
}

/// A server of an `upstream`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Peer {
    host: String,
    port: u16,
    weight: u32,
}

/// A `server`.
#[derive(Clone, Debug)]
struct Server {
    /// The ports, each with whether TLS is spoken there, and whether this server is the default one there.
    listens: Vec<(u16, bool, bool)>,
    names: Vec<String>,
    own: Settings,
    locations: Vec<Location>,
}

/// A `location`.
#[derive(Clone, Debug)]
struct Location {
    matches: Matches,
    own: Settings,
}

/// Which paths a location is for.
#[derive(Clone, Debug)]
enum Matches {
    /// `=`
    Exact(String),
    /// A beginning of the path. With `^~` (true) no expressions are looked at after it.
    Prefix(String, bool),
    /// `~` and `~*`
    Expression(Regex),
    /// `@name`, to which only `try_files` leads.
    Named(String),
}

/// What is said on a level, and what holds there of the levels above.
#[derive(Clone, Debug, Default)]
struct Settings {
    root: Option<String>,
    alias: Option<String>,
    index: Option<Vec<String>>,
    default_type: Option<String>,
    returns: Option<Return>,
    try_files: Option<Vec<String>>,
    error_pages: Option<Vec<ErrorPage>>,
    /// Whether only nginx itself leads here.
    internal: bool,
    pass: Option<Pass>,
    /// `proxy_set_header`
    set: Option<Vec<(String, String)>>,
    /// `add_header`
    add: Option<Vec<(String, String)>>,
    connect_timeout: Option<SignedDuration>,
    read_timeout: Option<SignedDuration>,
    /// Whether there is a directive that changes what is answered and is not known here.
    unclear: bool,
}

/// `return`
#[derive(Clone, Debug, PartialEq, Eq)]
struct Return {
    status: u16,
    /// The text, or the address of a redirect.
    text: Option<String>,
}

/// `error_page`
#[derive(Clone, Debug, PartialEq, Eq)]
struct ErrorPage {
    statuses: Vec<u16>,
    status: PageStatus,
    /// A path, the name of a location, or an address.
    to: String,
}

/// The status with which an `error_page` is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageStatus {
    /// That of the error.
    OfError,
    /// That of the page (`=`).
    OfPage,
    /// This one (`=200`).
    This(u16),
}

/// `proxy_pass`
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pass {
    tls: bool,
    /// The name of an `upstream`, or a host with or without a port.
    authority: String,
    /// The path that replaces the location's; `None` if the path stays.
    path: Option<String>,
}
