//! From the directives of a configuration to its servers.

use jiff::SignedDuration;

use super::parse::{Directive, parse};
use super::{
    Configuration, ErrorPage, Location, Matches, PageStatus, Pass, Peer, Return, Server, Settings, Texts,
};
use crate::network::pattern;

/// The file with which everything begins.
const MAIN: &str = "/etc/nginx/nginx.conf";
/// What it says in nginx' images, as far as that decides who answers.
const IMAGES_OWN: &str = "http { default_type application/octet-stream; include /etc/nginx/conf.d/*.conf; }";
/// How deep files include each other.
const INCLUDES: usize = 8;
/// Directives that change who answers, or what, and that are not known here.
const UNCLEAR: &[&str] = &[
    "auth_basic",
    "auth_request",
    "deny",
    "fastcgi_pass",
    "grpc_pass",
    "if",
    "js_content",
    "limit_except",
    "limit_req",
    "random_index",
    "rewrite",
    "scgi_pass",
    "secure_link",
    "stub_status",
    "uwsgi_pass",
];

impl Configuration {
    /// The configuration of these files; `None` if nginx would refuse it. Where `nginx.conf` is not among them, that of the image
    /// holds.
    pub fn read(texts: &Texts) -> Option<Configuration> {
        let main = texts.get(MAIN).map_or(IMAGES_OWN, String::as_str);
        let mut made = Configuration::default();
        for http in included(parse(main)?, texts, INCLUDES)?.iter().filter(|d| d.name == "http") {
            let all = included(http.block.clone()?, texts, INCLUDES)?;
            let above = Settings::of(&all, &Settings::default())?;
            for d in &all {
                match (d.name.as_str(), &d.block) {
                    ("server", Some(block)) => {
                        let block = included(block.clone(), texts, INCLUDES)?;
                        made.servers.push(Server::of(&block, &above, texts)?);
                    }
                    ("upstream", Some(block)) => {
                        let peers = block.iter().filter(|d| d.name == "server").filter_map(Peer::of);
                        made.upstreams.insert(d.arg().to_owned(), peers.collect());
                    }
                    _ => {}
                }
            }
        }
        Some(made)
    }

    /// The ports on which it listens, in the order in which they are named.
    pub fn ports(&self) -> Vec<u16> {
        let mut all = Vec::new();
        for (port, ..) in self.servers.iter().flat_map(|s| &s.listens) {
            if !all.contains(port) {
                all.push(*port);
            }
        }
        all
    }
}

/// Directives, with those of the files that they include in their place. A file that is not there is the image's own; those say
/// nothing of who answers (`mime.types`).
fn included(directives: Vec<Directive>, texts: &Texts, deep: usize) -> Option<Vec<Directive>> {
    let mut all = Vec::new();
    for d in directives {
        if d.name != "include" {
            all.push(d);
            continue;
        }
        let deep = deep.checked_sub(1)?;
        let path =
            if d.arg().starts_with('/') { d.arg().to_owned() } else { format!("/etc/nginx/{}", d.arg()) };
        let is_meant = |file: &str| match path.split_once('*') {
            None => *file == path,
            Some((begin, end)) => file
                .strip_prefix(begin)
                .and_then(|rest| rest.strip_suffix(end))
                .is_some_and(|name| !name.contains('/') && !name.starts_with('.')),
        };
        for (_, text) in texts.iter().filter(|(file, _)| is_meant(file)) {
            all.extend(included(parse(text)?, texts, deep)?);
        }
    }
    Some(all)
}

impl Server {
    fn of(block: &[Directive], above: &Settings, texts: &Texts) -> Option<Server> {
        let own = Settings::of(block, above)?;
        let mut made = Server { listens: Vec::new(), names: Vec::new(), locations: Vec::new(), own };
        for d in block {
            match d.name.as_str() {
                "listen" => {
                    let has = |word: &str| d.args.iter().skip(1).any(|a| a == word);
                    let port = d.arg().rsplit_once(':').map_or(d.arg(), |(_, port)| port);
                    // An address alone is at port 80.
                    made.listens.push((port.parse().unwrap_or(80), has("ssl"), has("default_server")));
                }
                "server_name" => made.names.extend(d.args.iter().map(|n| n.to_ascii_lowercase())),
                "location" => Location::read(d, &made.own, texts, &mut made.locations)?,
                _ => {}
            }
        }
        if made.listens.is_empty() {
            made.listens.push((80, false, false));
        }
        Some(made)
    }
}

impl Location {
    /// Adds a location, and those within it.
    fn read(d: &Directive, above: &Settings, texts: &Texts, all: &mut Vec<Location>) -> Option<()> {
        let matches = match d.args.as_slice() {
            [word, path] => match word.as_str() {
                "=" => Matches::Exact(path.clone()),
                "^~" => Matches::Prefix(path.clone(), true),
                "~" => Matches::Expression(pattern::compile(path, false).ok()?),
                "~*" => Matches::Expression(pattern::compile(path, true).ok()?),
                _ => return None,
            },
            [name] if name.starts_with('@') => Matches::Named(name.clone()),
            [path] => Matches::Prefix(path.clone(), false),
            _ => return None,
        };
        let block = included(d.block.clone()?, texts, INCLUDES)?;
        let own = Settings::of(&block, above)?;
        for inner in block.iter().filter(|d| d.name == "location") {
            Location::read(inner, &own, texts, all)?;
        }
        all.push(Location { matches, own });
        Some(())
    }
}

impl Settings {
    /// What these directives say, on a level below another one. `return`, `try_files`, `proxy_pass` and `alias` are of one level
    /// alone; the others hold on the levels below that do not say otherwise.
    fn of(block: &[Directive], above: &Settings) -> Option<Settings> {
        let alone = Settings { returns: None, try_files: None, pass: None, alias: None, ..above.clone() };
        let mut own = Settings { set: None, add: None, error_pages: None, internal: false, ..alone };
        for d in block {
            match d.name.as_str() {
                "root" => own.root = Some(d.arg().trim_end_matches('/').to_owned()),
                "alias" => own.alias = Some(d.arg().to_owned()),
                "index" => own.index = Some(d.args.clone()),
                "default_type" => own.default_type = Some(d.arg().to_owned()),
                // The first one is carried out.
                "return" if own.returns.is_none() => own.returns = Some(Return::of(d)?),
                "try_files" if d.args.len() > 1 => own.try_files = Some(d.args.clone()),
                "error_page" => own.error_pages.get_or_insert_default().push(ErrorPage::of(d)?),
                "internal" => own.internal = true,
                "proxy_pass" => own.pass = Some(Pass::of(d.arg())?),
                "proxy_set_header" | "add_header" => {
                    let fields = if d.name == "add_header" { &mut own.add } else { &mut own.set };
                    if let [name, value, ..] = d.args.as_slice() {
                        fields.get_or_insert_default().push((name.clone(), value.clone()));
                    }
                }
                "proxy_connect_timeout" => own.connect_timeout = time(d.arg()),
                "proxy_read_timeout" => own.read_timeout = time(d.arg()),
                name => own.unclear |= UNCLEAR.contains(&name),
            }
        }
        own.set = own.set.or_else(|| above.set.clone());
        own.add = own.add.or_else(|| above.add.clone());
        own.error_pages = own.error_pages.or_else(|| above.error_pages.clone());
        // What is made of variables is looked up for each request.
        let varies = own.pass.as_ref().is_some_and(|p| p.authority.contains('$'))
            || own.root.iter().chain(&own.alias).any(|path| path.contains('$'));
        own.unclear |= varies;
        Some(own)
    }
}

impl Return {
    fn of(d: &Directive) -> Option<Return> {
        match d.args.as_slice() {
            [one] => match one.parse() {
                Ok(status) => Some(Return { status, text: None }),
                Err(_) => Some(Return { status: 302, text: Some(one.clone()) }),
            },
            [status, text] => Some(Return { status: status.parse().ok()?, text: Some(text.clone()) }),
            _ => None,
        }
    }
}

impl ErrorPage {
    fn of(d: &Directive) -> Option<ErrorPage> {
        let (to, words) = d.args.split_last()?;
        let mut made = ErrorPage { statuses: Vec::new(), status: PageStatus::OfError, to: to.clone() };
        for word in words {
            match word.strip_prefix('=') {
                Some("") => made.status = PageStatus::OfPage,
                Some(status) => made.status = PageStatus::This(status.parse().ok()?),
                None => made.statuses.push(word.parse().ok()?),
            }
        }
        Some(made)
    }
}

impl Pass {
    fn of(url: &str) -> Option<Pass> {
        let (tls, rest) = match url.split_once("://")? {
            ("http", rest) => (false, rest),
            ("https", rest) => (true, rest),
            _ => return None,
        };
        let at = rest.find('/').unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(at)?;
        let path = Some(path.to_owned()).filter(|p| !p.is_empty());
        Some(Pass { tls, authority: authority.to_owned(), path })
    }
}

impl Peer {
    fn of(d: &Directive) -> Option<Peer> {
        let options = || d.args.iter().skip(1);
        if options().any(|a| a == "down" || a == "backup") {
            return None;
        }
        let weight = options().find_map(|a| a.strip_prefix("weight=")?.parse().ok()).unwrap_or(1);
        Some(Peer::at(d.arg(), 80, weight))
    }

    /// A host, with or without a port.
    pub(super) fn at(authority: &str, port: u16, weight: u32) -> Peer {
        let split = authority.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
        let (host, port) = split.unwrap_or((authority, port));
        Peer { host: host.trim_matches(['[', ']']).to_owned(), port, weight }
    }
}

/// A time: a number of seconds, or one with its unit (`5s`, `500ms`, `1m`).
fn time(text: &str) -> Option<SignedDuration> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(digits)?;
    let milliseconds = match unit {
        "ms" => 1,
        "" | "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    Some(SignedDuration::from_millis(i64::from(number.parse::<u32>().ok()?).saturating_mul(milliseconds)))
}
