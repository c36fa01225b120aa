//! What is done with one request.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use super::{Configuration, Location, Matches, PageStatus, Pass, Peer, Return, Server, Settings};
use crate::api::types::{EndpointSlice, Service};
use crate::network::header::HeaderField;
use crate::network::passing::{
    CATCH_ALL, HeaderChange, Lack, Passed, Passes, PathType, Place, Request, Routed, Then, Upstream, Whose,
    name_of,
};

/// How often a request is led on within the configuration. nginx gives up after ten times.
const INTERNAL_REDIRECTS: usize = 10;
/// `proxy_connect_timeout` and `proxy_read_timeout`, if they are not set.
const TIMEOUT: SignedDuration = SignedDuration::from_secs(60);
/// The statuses to whose answers `add_header` adds its fields.
const WITH_FIELDS: &[u16] = &[200, 201, 204, 206, 301, 302, 303, 304, 307, 308];
/// Of `mime.types`.
const TYPES: &[(&str, &str)] = &[
    ("css", "text/css"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("js", "application/javascript"),
    ("json", "application/json"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain"),
    ("xml", "text/xml"),
];

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The port that it came to.
    pub port: u16,
    /// The header `Host`, also with a port.
    pub host: &'a str,
    /// The method.
    pub method: &'a str,
    /// The path with the query.
    pub path: &'a str,
    /// The name of nginx' host.
    pub hostname: &'a str,
}

/// What is at a path of nginx' file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum There {
    /// A file.
    File,
    /// A directory.
    Directory,
    /// Nothing.
    Nothing,
}

/// What is done with a request.
#[derive(Clone, Debug)]
pub enum Done {
    /// Another server is asked.
    Pass(Box<Passing>),
    /// A text is answered.
    Text {
        /// The status.
        status: u16,
        /// `Content-Type`
        content_type: String,
        /// The text.
        body: String,
        /// Further header fields.
        fields: Vec<HeaderField>,
    },
    /// The client is sent elsewhere.
    Redirect {
        /// The status.
        status: u16,
        /// Where to.
        to: String,
    },
    /// One of nginx' own pages is answered, of this status.
    Error(u16),
    /// A file is answered.
    File {
        /// The status.
        status: u16,
        /// Its path in nginx' file system.
        path: String,
        /// Further header fields.
        fields: Vec<HeaderField>,
    },
    /// The connection is closed without an answer.
    Closed,
    /// It depends on something that is not known here.
    Unclear,
}

/// A request that is passed on, and to whom.
#[derive(Clone, Debug)]
pub struct Passing {
    port: u16,
    tls: bool,
    routed: Routed,
    peers: BTreeMap<Rc<str>, Peer>,
}

impl Passes for Passing {
    fn listens(&self, port: u16) -> Option<bool> {
        (port == self.port).then_some(self.tls)
    }

    fn route(&self, _: &Request<'_>) -> Option<Routed> {
        Some(self.routed.clone())
    }

    fn upstream(&self, name: &str) -> Option<Upstream<'_>> {
        let peer = self.peers.get(name)?;
        Some(Upstream {
            service: None,
            endpoints: &[],
            external: Some((&peer.host, peer.port)),
            searches: true,
            without: (502, Lack::NoAddress),
        })
    }

    fn found(&self, _: &Service, _: &[&EndpointSlice], _: &str) -> Vec<SocketAddr> {
        Vec::new()
    }
}

/// A request on its way through the configuration.
#[derive(Clone)]
struct Way<'a> {
    wanted: &'a Wanted<'a>,
    server: &'a Server,
    there: &'a dyn Fn(&str) -> There,
    /// The path as it is now.
    path: String,
    query: Option<&'a str>,
    left: usize,
    /// Whether it is on its way to an error's page. An error there has none (`recursive_error_pages off`).
    to_page: bool,
}

impl Configuration {
    /// What is done with a request. `there` says what nginx' file system has.
    pub fn find(&self, wanted: &Wanted<'_>, there: &dyn Fn(&str) -> There) -> Done {
        let Some(server) = self.server(wanted) else { return Done::Unclear };
        let (path, query) = wanted.path.split_once('?').map_or((wanted.path, None), |(p, q)| (p, Some(q)));
        let way = Way {
            wanted,
            server,
            there,
            path: path.to_owned(),
            query,
            left: INTERNAL_REDIRECTS,
            to_page: false,
        };
        if server.own.unclear {
            return Done::Unclear;
        }
        match &server.own.returns {
            Some(returns) => way.returned(&server.own, returns),
            None => self.at(&way),
        }
    }

    /// The server for a request: by its port, then by the name of its host, or else the default one of the port.
    fn server(&self, wanted: &Wanted<'_>) -> Option<&Server> {
        let name = name_of(wanted.host).to_ascii_lowercase();
        let all = || self.servers.iter().filter(|s| s.listens.iter().any(|(port, ..)| *port == wanted.port));
        let exact = all().find(|s| s.names.contains(&name));
        let by_end = |n: &String| match n.strip_prefix('*') {
            Some(end) => name.ends_with(end),
            None => n.strip_prefix('.') == Some(&name) || n.starts_with('.') && name.ends_with(n.as_str()),
        };
        let by_begin = |n: &String| n.strip_suffix('*').is_some_and(|begin| name.starts_with(begin));
        let longest =
            |is: &dyn Fn(&String) -> bool| {
                let named =
                    all().filter_map(|s| Some((s.names.iter().filter(|n| is(n)).map(String::len).max()?, s)));
                // Of equal ones the first counts.
                named.fold(None, |best: Option<(usize, &Server)>, next| {
                    if best.is_some_and(|(length, _)| length >= next.0) { best } else { Some(next) }
                })
            };
        let default = || all().find(|s| s.listens.iter().any(|(port, _, is)| *port == wanted.port && *is));
        exact
            .or_else(|| longest(&by_end).map(|(_, s)| s))
            .or_else(|| longest(&by_begin).map(|(_, s)| s))
            .or_else(default)
            .or_else(|| all().next())
    }

    /// What is done with a request for the path as it is now.
    fn at(&self, way: &Way<'_>) -> Done {
        self.within(way, way.server.location(&way.path))
    }

    /// What is done with a request in a location, or in the server itself: also what an `error_page` makes of an error.
    fn within(&self, way: &Way<'_>, location: Option<&Location>) -> Done {
        let own = location.map_or(&way.server.own, |l| &l.own);
        let done = self.done(way, location, own);
        let Done::Error(status) = done else { return done };
        let mut pages = own.error_pages.iter().flatten().filter(|_| !way.to_page);
        let page = pages.find(|page| page.statuses.contains(&status));
        let Some((page, left)) = page.zip(way.left.checked_sub(1)) else { return done };
        if !page.to.starts_with(['/', '@']) {
            return way.redirect(302, &page.to);
        }
        let answered = |of_page: u16| match page.status {
            PageStatus::OfError => status,
            PageStatus::OfPage => of_page,
            PageStatus::This(status) => status,
        };
        match self.led_to(&page.to, Way { left, to_page: true, ..way.clone() }) {
            Done::File { status, path, fields } => Done::File { status: answered(status), path, fields },
            Done::Text { status, content_type, body, fields } => {
                Done::Text { status: answered(status), content_type, body, fields }
            }
            // The page is not there, so it is nginx' own.
            Done::Error(_) => done,
            other => other,
        }
    }

    /// What is done where nginx itself leads: at a path, or in a location with a name.
    fn led_to(&self, to: &str, way: Way<'_>) -> Done {
        if to.starts_with('@') {
            let is_it = |l: &&Location| matches!(&l.matches, Matches::Named(name) if name == to);
            let named = way.server.locations.iter().find(is_it);
            return named.map_or(Done::Error(500), |named| self.within(&way, Some(named)));
        }
        let Some(path) = way.expand(to) else { return Done::Unclear };
        let path = path.split('?').next().unwrap_or_default().to_owned();
        self.at(&Way { path, ..way })
    }

    fn done(&self, way: &Way<'_>, location: Option<&Location>, own: &Settings) -> Done {
        if own.unclear {
            return Done::Unclear;
        }
        if own.internal && way.left == INTERNAL_REDIRECTS {
            return Done::Error(404);
        }
        if let Some(returns) = &own.returns {
            return way.returned(own, returns);
        }
        // A location of a proxy that ends with a slash is not for the path without it: nginx adds it.
        if location.is_none() || own.pass.is_none() {
            let slashed = format!("{}/", way.path);
            let is_it = |l: &&Location| matches!(&l.matches, Matches::Prefix(p, _) if *p == slashed);
            if way.server.locations.iter().find(is_it).is_some_and(|l| l.own.pass.is_some()) {
                return way.redirect(301, &slashed);
            }
        }
        if let Some(tries) = &own.try_files {
            return self.try_files(way, location, own, tries);
        }
        match &own.pass {
            Some(pass) => self.pass(way, location, own, pass),
            None => way.file(location, own),
        }
    }

    fn try_files(
        &self,
        way: &Way<'_>,
        location: Option<&Location>,
        own: &Settings,
        tries: &[String],
    ) -> Done {
        let Some((last, first)) = tries.split_last() else { return Done::Unclear };
        for text in first {
            let Some(path) = way.expand(text) else { return Done::Unclear };
            let Some(full) = full(&path, location, own) else { return Done::Unclear };
            let (full, wanted) = match full.strip_suffix('/') {
                Some(directory) => (directory.to_owned(), There::Directory),
                None => (full, There::File),
            };
            if (way.there)(&full) == wanted {
                return Way { path, ..way.clone() }.file(location, own);
            }
        }
        if let Some(status) = last.strip_prefix('=').and_then(|s| s.parse().ok()) {
            return Done::Error(status);
        }
        match way.left.checked_sub(1) {
            Some(left) => self.led_to(last, Way { left, ..way.clone() }),
            None => Done::Error(500),
        }
    }

    /// Passes a request on (`proxy_pass`).
    fn pass(&self, way: &Way<'_>, location: Option<&Location>, own: &Settings, pass: &Pass) -> Done {
        let query = way.query.map(|q| format!("?{q}")).unwrap_or_default();
        let matches = location.map(|l| &l.matches);
        let path = match (&pass.path, matches) {
            (None, _) => format!("{}{query}", way.path),
            (Some(to), Some(Matches::Prefix(from, _) | Matches::Exact(from))) => {
                format!("{to}{}{query}", way.path.strip_prefix(from.as_str()).unwrap_or_default())
            }
            // nginx refuses to start.
            _ => return Done::Unclear,
        };
        let default = if pass.tls { 443 } else { 80 };
        let group = self.upstreams.get(&pass.authority).cloned();
        let group = group.unwrap_or_else(|| vec![Peer::at(&pass.authority, default, 1)]);
        let peers: BTreeMap<Rc<str>, Peer> =
            group.into_iter().map(|peer| (format!("{}:{}", peer.host, peer.port).into(), peer)).collect();
        let mut passed = Passed {
            backends: peers.iter().map(|(name, peer)| (name.clone(), peer.weight)).collect(),
            path: path.into(),
            host: pass.authority.as_str().into(),
            request: HeaderChange::default(),
            answer: HeaderChange { add: way.fields(own, 200), ..HeaderChange::default() },
            tls: pass.tls,
            tries: 0,
            each_once: true,
            next_on_error: peers.len() > 1,
            next_on_timeout: peers.len() > 1,
            next_on: Rc::default(),
            connect_timeout: own.connect_timeout.unwrap_or(TIMEOUT),
            read_timeout: own.read_timeout.unwrap_or(TIMEOUT),
        };
        for (name, value) in own.set.iter().flatten() {
            // A field whose value is not known here, for example the client's address, is left out.
            let value = if value == "$proxy_host" { Some(pass.authority.clone()) } else { way.expand(value) };
            match value {
                Some(value) if name.eq_ignore_ascii_case("Host") => passed.host = value.into(),
                Some(value) if value.is_empty() => passed.request.remove.push(name.as_str().into()),
                Some(value) if !name.eq_ignore_ascii_case("Connection") => {
                    passed.request.set.push((name.as_str().into(), value.into()));
                }
                _ => {}
            }
        }
        let rule = matches.and_then(|m| match m {
            Matches::Exact(path) => Some((path.as_str().into(), PathType::Exact)),
            Matches::Prefix(path, _) => Some((path.as_str().into(), PathType::Prefix)),
            Matches::Expression(e) => Some((e.as_str().into(), PathType::RegularExpression)),
            Matches::Named(_) => None,
        });
        let host = way.server.names.first().map_or(CATCH_ALL, String::as_str).into();
        let place = Place { whose: Whose::Configuration, host, rule, of: None, service: None };
        let tls = way.tls();
        let routed = Routed { place, then: Then::Pass(Box::new(passed)) };
        Done::Pass(Box::new(Passing { port: way.wanted.port, tls, routed, peers }))
    }
}

impl Server {
    /// The location of a path: one that is equal; or else the longest beginning, before which the first expression that matches
    /// comes, unless the beginning says otherwise.
    fn location(&self, path: &str) -> Option<&Location> {
        let exact = |l: &&Location| matches!(&l.matches, Matches::Exact(p) if p == path);
        if let Some(found) = self.locations.iter().find(exact) {
            return Some(found);
        }
        let length = |l: &Location| match &l.matches {
            Matches::Prefix(p, _) if path.starts_with(p.as_str()) => Some(p.len()),
            _ => None,
        };
        let longest = self.locations.iter().filter(|l| length(l).is_some()).max_by_key(|l| length(l));
        if longest.is_some_and(|l| matches!(l.matches, Matches::Prefix(_, true))) {
            return longest;
        }
        let expression = |l: &&Location| matches!(&l.matches, Matches::Expression(e) if e.is_match(path));
        self.locations.iter().find(expression).or(longest)
    }
}

/// The type of what has this path, by its ending; `None` if that says nothing.
pub fn type_of(path: &str) -> Option<&'static str> {
    let (_, end) = path.rsplit_once('.')?;
    TYPES.iter().find(|(of, _)| *of == end).map(|(_, type_)| *type_)
}

/// The path in the file system of a path of a request; `None` if that is not known.
fn full(path: &str, location: Option<&Location>, own: &Settings) -> Option<String> {
    match (&own.alias, location.map(|l| &l.matches)) {
        (None, _) => Some(format!("{}{path}", own.root.as_deref().unwrap_or("/etc/nginx/html"))),
        (Some(alias), Some(Matches::Prefix(from, _) | Matches::Exact(from))) => {
            Some(format!("{alias}{}", path.strip_prefix(from.as_str())?))
        }
        (Some(_), _) => None,
    }
}

impl Way<'_> {
    fn tls(&self) -> bool {
        self.server.listens.iter().any(|(port, tls, _)| *port == self.wanted.port && *tls)
    }

    /// A text with the values of its variables; `None` if one of them is not known.
    fn expand(&self, text: &str) -> Option<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('$') {
            out.push_str(before);
            let (name, after) = match behind.strip_prefix('{') {
                Some(inner) => inner.split_once('}')?,
                None => {
                    let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                    behind.split_at_checked(end.unwrap_or(behind.len()))?
                }
            };
            out.push_str(&self.variable(name)?);
            rest = after;
        }
        out.push_str(rest);
        Some(out)
    }

    fn variable(&self, name: &str) -> Option<String> {
        let query = self.query.unwrap_or_default();
        Some(match name {
            "args" | "query_string" => query.to_owned(),
            "document_uri" | "uri" => self.path.clone(),
            "host" => name_of(self.wanted.host).to_ascii_lowercase(),
            "hostname" => self.wanted.hostname.to_owned(),
            "http_host" => self.wanted.host.to_owned(),
            "is_args" => if query.is_empty() { "" } else { "?" }.to_owned(),
            "request_method" => self.wanted.method.to_owned(),
            "request_uri" => self.wanted.path.to_owned(),
            "scheme" => if self.tls() { "https" } else { "http" }.to_owned(),
            "server_name" => self.server.names.first().cloned().unwrap_or_default(),
            "server_port" => self.wanted.port.to_string(),
            _ => return None,
        })
    }

    /// The fields of `add_header` of an answer.
    fn fields(&self, own: &Settings, status: u16) -> Vec<HeaderField> {
        let added = own.add.iter().flatten().filter(|_| WITH_FIELDS.contains(&status));
        let fields =
            added.filter_map(|(name, value)| Some((name.as_str().into(), self.expand(value)?.into())));
        fields.collect()
    }

    /// What `return` answers.
    fn returned(&self, own: &Settings, returns: &Return) -> Done {
        let Return { status, text } = returns;
        let text = match text {
            Some(text) => match self.expand(text) {
                Some(text) => Some(text),
                None => return Done::Unclear,
            },
            None => None,
        };
        match (*status, text) {
            (444, _) => Done::Closed,
            (301 | 302 | 303 | 307 | 308, Some(to)) => self.redirect(*status, &to),
            (status @ 300.., None) => Done::Error(status),
            (status, text) => {
                let type_ = type_of(&self.path).or(own.default_type.as_deref()).unwrap_or("text/plain");
                let body = text.unwrap_or_default();
                Done::Text { status, content_type: type_.to_owned(), body, fields: self.fields(own, status) }
            }
        }
    }

    /// Sends the client to a path of this server, or elsewhere.
    fn redirect(&self, status: u16, to: &str) -> Done {
        if !to.starts_with('/') {
            return Done::Redirect { status, to: to.to_owned() };
        }
        let (tls, port) = (self.tls(), self.wanted.port);
        let scheme = if tls { "https" } else { "http" };
        let port = if port == if tls { 443 } else { 80 } { String::new() } else { format!(":{port}") };
        Done::Redirect { status, to: format!("{scheme}://{}{port}{to}", name_of(self.wanted.host)) }
    }

    /// Answers with a file (`ngx_http_static_module`, `ngx_http_index_module`).
    fn file(&self, location: Option<&Location>, own: &Settings) -> Done {
        let Some(full) = full(&self.path, location, own) else { return Done::Unclear };
        if !matches!(self.wanted.method, "GET" | "HEAD") {
            return Done::Error(405);
        }
        let found = |path: String| Done::File { status: 200, path, fields: self.fields(own, 200) };
        if let Some(directory) = full.strip_suffix('/') {
            let index = own.index.clone().unwrap_or_else(|| vec!["index.html".to_owned()]);
            let mut all = index.iter().map(|name| format!("{directory}/{name}"));
            return match all.find(|file| (self.there)(file) == There::File) {
                Some(file) => found(file),
                None if (self.there)(directory) == There::Directory => Done::Error(403),
                None => Done::Error(404),
            };
        }
        match (self.there)(&full) {
            There::File => found(full),
            There::Directory => self.redirect(301, &format!("{}/", self.path)),
            There::Nothing => Done::Error(404),
        }
    }
}
