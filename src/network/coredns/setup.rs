//! What CoreDNS' plugins read of their directives (`setup.go` of each plugin). A property that CoreDNS knows and that is not
//! simulated is refused with an error that says so; one that it does not know, in its own words.

use std::net::IpAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use super::corefile::{Block, Stanza, Token, error_at};
use super::plugins::{Cache, Class, Fall, Health, Kubernetes, Log, Server};
use super::{Finds, NOT_SIMULATED, PLUGINS};
use crate::api::duration;
use crate::network::dns::{Pods, Settings, reverse_name};

/// How long records of the plugin `kubernetes` may be kept if nothing is said of it, in seconds (`defaultTTL`).
const KUBERNETES_TTL: u32 = 5;
/// How long the plugin `cache` keeps an answer at most if nothing is said of it, and at least, in seconds.
const CACHE: ((u32, u32), (u32, u32)) = ((3600, 5), (1800, 5));
/// How often `reload` looks, if nothing is said of it.
const RELOAD: SignedDuration = SignedDuration::from_secs(30);
/// The shortest time between two looks.
const RELOAD_LEAST: SignedDuration = SignedDuration::from_secs(2);

pub(super) type Read<T> = Result<T, String>;

/// A directive that is being read.
pub(super) struct Reading<'a> {
    pub(super) finds: &'a Finds<'a>,
    zones: &'a [Rc<str>],
}

pub(super) fn text(token: &Token) -> &str {
    &token.text
}

/// A domain as plugins compare it: in lower case, without the dot at its end; a range of addresses as the domain of its names.
pub(super) fn domain(text: &str) -> Rc<str> {
    let name = text.trim_end_matches('.').to_ascii_lowercase();
    if let Some((address, bits)) = name.split_once('/')
        && let (Ok(address), Ok(bits)) = (address.parse::<IpAddr>(), bits.parse::<usize>())
    {
        let whole = reverse_name(address);
        let (all, step) = if address.is_ipv4() { (4, 8) } else { (32, 4) };
        let skip = all - (bits / step).min(all);
        return whole.splitn(skip + 1, '.').last().unwrap_or_default().into();
    }
    name.into()
}

pub(super) fn domains(words: &[Token]) -> Vec<Rc<str>> {
    words.iter().map(|w| domain(&w.text)).collect()
}

impl Reading<'_> {
    pub(super) fn error<T>(&self, at: &Token, why: &str) -> Read<T> {
        Err(error_at(self.finds.file, at.line, why))
    }

    /// An argument is missing, or there is one too many (`ArgErr`).
    pub(super) fn arguments<T>(&self, line: &[Token]) -> Read<T> {
        let last = line.last().cloned().unwrap_or(Token { text: String::new(), line: 1 });
        self.error(&last, &format!("Wrong argument count or unexpected line ending after '{}'", last.text))
    }

    pub(super) fn unknown<T>(&self, line: &[Token]) -> Read<T> {
        let Some(first) = line.first() else { return self.arguments(line) };
        self.error(first, &format!("unknown property '{}'", first.text))
    }

    pub(super) fn not_simulated<T>(&self, line: &[Token]) -> Read<T> {
        let Some(first) = line.first() else { return self.arguments(line) };
        self.error(first, &format!("'{}' is not simulated here", first.text))
    }

    pub(super) fn number(&self, line: &[Token], nth: usize) -> Read<u32> {
        let Some(word) = line.get(nth) else { return self.arguments(line) };
        word.text.parse::<u32>().map_err(|_| format!("strconv.Atoi: parsing {:?}: invalid syntax", word.text))
    }

    pub(super) fn time(&self, line: &[Token], nth: usize) -> Read<SignedDuration> {
        let Some(word) = line.get(nth) else { return self.arguments(line) };
        let nanos =
            duration::parse(&word.text).map_err(|_| format!("time: invalid duration {:?}", word.text))?;
        Ok(SignedDuration::from_nanos(nanos))
    }

    /// The port of an address like `:8080`; `None` if it is reached from within the pod alone.
    fn port(&self, line: &[Token], default: &str) -> Read<Option<u16>> {
        let address = line.get(1).map_or(default, text);
        if line.len() > 2 {
            return self.arguments(line);
        }
        let Some((host, port)) = address.rsplit_once(':') else {
            return Err(format!("address {address}: missing port in address"));
        };
        let Ok(port) = port.parse() else { return Err(format!("address {address}: invalid port")) };
        Ok(matches!(host, "" | "0.0.0.0" | "[::]").then_some(port))
    }

    pub(super) fn zones_or_own(&self, words: &[Token]) -> Vec<Rc<str>> {
        if words.is_empty() { self.zones.to_vec() } else { domains(words) }
    }

    pub(super) fn fall(&self, line: &[Token]) -> Fall {
        let zones = domains(line.get(1..).unwrap_or_default());
        // Without a zone it is for all of them: the root.
        Fall { zones: Some(if zones.is_empty() { vec!["".into()] } else { zones }) }
    }

    fn health(&self, s: &Stanza) -> Read<Health> {
        let port = self.port(&s.words, ":8080")?.unwrap_or_default();
        let mut lameduck = SignedDuration::ZERO;
        for line in &s.block {
            match line.first().map(text) {
                Some("lameduck") => lameduck = self.time(line, 1)?,
                _ => return self.arguments(line),
            }
        }
        Ok(Health { port, lameduck })
    }

    fn kubernetes(&self, s: &Stanza) -> Read<Kubernetes> {
        let mut settings = Settings {
            zones: self.zones_or_own(s.words.get(1..).unwrap_or_default()),
            pods: Pods::Disabled,
            pod_names: false,
            namespaces: Vec::new(),
            without_endpoints: false,
            ignores_empty: false,
        };
        if settings.zones.iter().all(|z| z.ends_with(".arpa")) {
            return Err("non-reverse zone name must be used".to_owned());
        }
        let (mut fall, mut ttl) = (Fall::default(), KUBERNETES_TTL);
        for line in &s.block {
            let args = line.get(1..).unwrap_or_default();
            match (line.first().map_or("", text), args) {
                ("pods", [mode]) => {
                    settings.pods = match mode.text.as_str() {
                        "disabled" => Pods::Disabled,
                        "insecure" => Pods::Insecure,
                        "verified" => Pods::Verified,
                        other => {
                            return Err(format!(
                                "wrong value for pods: {other},  must be one of: disabled, verified, insecure"
                            ));
                        }
                    }
                }
                ("endpoint_pod_names", []) => settings.pod_names = true,
                ("noendpoints", []) => settings.without_endpoints = true,
                ("namespaces", [_, ..]) => settings.namespaces.extend(domains(args)),
                ("fallthrough", _) => fall = self.fall(line),
                ("ttl", [_, ..]) => {
                    ttl = self.number(line, 1)?;
                    if ttl > 3600 {
                        let Some(last) = args.first() else { return self.arguments(line) };
                        return self.error(last, &format!("ttl must be in range [0, 3600]: {ttl}"));
                    }
                }
                ("ignore", [what, ..]) if what.text == "empty_service" => settings.ignores_empty = true,
                ("ignore", [what, ..]) => {
                    return Err(format!("unable to parse ignore value: '{}'", what.text));
                }
                (
                    "endpoint" | "tls" | "labels" | "namespace_labels" | "kubeconfig" | "startup_timeout",
                    [_, ..],
                ) => {
                    return self.not_simulated(line);
                }
                (
                    "pods" | "endpoint_pod_names" | "noendpoints" | "namespaces" | "ttl" | "ignore"
                    | "endpoint" | "tls" | "labels" | "namespace_labels" | "kubeconfig" | "startup_timeout",
                    _,
                ) => return self.arguments(line),
                _ => return self.unknown(line),
            }
        }
        Ok(Kubernetes { settings, fall, ttl })
    }

    fn cache(&self, s: &Stanza) -> Read<Cache> {
        let mut zones = s.words.get(1..).unwrap_or_default();
        let (mut success, mut denial) = CACHE;
        if let Some(Ok(ttl)) = zones.first().map(|w| w.text.parse::<i64>()) {
            if ttl <= 0 {
                return Err(format!("cache TTL can not be zero or negative: {ttl}"));
            }
            let ttl = u32::try_from(ttl).unwrap_or(u32::MAX);
            (success.0, denial.0) = (ttl, ttl);
            zones = zones.get(1..).unwrap_or_default();
        }
        let zones = self.zones_or_own(zones);
        let mut cache =
            Cache { zones, success, denial, without_success: Vec::new(), without_denial: Vec::new() };
        for line in &s.block {
            let args = line.get(1..).unwrap_or_default();
            match (line.first().map_or("", text), args) {
                (which @ ("success" | "denial"), [_, ..]) => {
                    self.number(line, 1)?;
                    let times = if which == "success" { &mut cache.success } else { &mut cache.denial };
                    if args.len() > 1 {
                        times.0 = self.number(line, 2)?;
                    }
                    if args.len() > 2 {
                        times.1 = self.number(line, 3)?;
                    }
                }
                ("disable", [what, rest @ ..]) => {
                    let rest = self.zones_or_own(rest);
                    match what.text.as_str() {
                        "success" => cache.without_success = rest,
                        "denial" => cache.without_denial = rest,
                        other => {
                            return Err(format!("disable denial/success must be specified: {other}"));
                        }
                    }
                }
                ("servfail" | "keepttl" | "prefetch" | "serve_stale", _) => return self.not_simulated(line),
                _ => return self.arguments(line),
            }
        }
        Ok(cache)
    }

    fn log(&self, s: &Stanza) -> Read<Log> {
        let args = s.words.get(1..).unwrap_or_default();
        let own = |w: &Token| w.text.contains('{') && w.text != "{common}";
        if let Some(format) = args.iter().find(|w| own(w)) {
            return self.error(format, "a format of one's own is not simulated here");
        }
        let names: Vec<Token> = args.iter().filter(|w| w.text != "{common}").cloned().collect();
        // Without names all of them are logged, whatever the server's zones are.
        let zones = if names.is_empty() { vec!["".into()] } else { domains(&names) };
        let mut classes = Vec::new();
        for line in &s.block {
            if line.first().map(text) != Some("class") || line.len() < 2 {
                return if line.first().map(text) == Some("minDuration") {
                    self.not_simulated(line)
                } else {
                    self.arguments(line)
                };
            }
            for class in line.iter().skip(1) {
                classes.extend(match class.text.as_str() {
                    "all" => vec![Class::Success, Class::Denial, Class::Error],
                    "success" => vec![Class::Success],
                    "denial" => vec![Class::Denial],
                    "error" => vec![Class::Error],
                    other => return Err(format!("invalid Class: {other}")),
                });
            }
        }
        if classes.is_empty() {
            classes = vec![Class::Success, Class::Denial, Class::Error];
        }
        Ok(Log { zones, classes })
    }
}

/// The zones and the port of a server block.
fn keys(block: &Block, finds: &Finds<'_>) -> Read<(Vec<Rc<str>>, u16)> {
    let (mut zones, mut ports) = (Vec::new(), Vec::new());
    for key in &block.keys {
        let name = key.text.strip_prefix("dns://").unwrap_or(&key.text);
        if let Some((scheme, _)) = name.split_once("://") {
            return Err(error_at(
                finds.file,
                key.line,
                &format!("the protocol {scheme} is not simulated here"),
            ));
        }
        let (zone, port) = match name.rsplit_once(':').map(|(zone, port)| (zone, port.parse::<u16>())) {
            Some((zone, Ok(port))) => (zone, port),
            _ => (name, finds.port),
        };
        zones.push(domain(zone));
        ports.push(port);
    }
    let port = ports.first().copied().unwrap_or(finds.port);
    if ports.iter().any(|p| *p != port) {
        let line = block.keys.first().map_or(1, |k| k.line);
        return Err(error_at(finds.file, line, "a server block with several ports is not simulated here"));
    }
    Ok((zones, port))
}

/// A server as its block says. Plugins read their directives in the order in which they are asked later.
pub(super) fn server(block: &Block, finds: &Finds<'_>) -> Result<Server, String> {
    let (zones, port) = keys(block, finds)?;
    let mut server = Server { zones: zones.clone(), port, ..Server::default() };
    let reading = Reading { finds, zones: &zones };
    for plugin in PLUGINS.into_iter().chain(NOT_SIMULATED) {
        let of = |s: &&Stanza| s.words.first().map(text) == Some(plugin);
        let several = matches!(plugin, "forward" | "rewrite" | "log");
        for (nth, stanza) in block.stanzas.iter().filter(of).enumerate() {
            let done = if nth > 0 && !several {
                Err("this plugin can only be used once per Server Block".to_owned())
            } else {
                read(&reading, &mut server, plugin, stanza)
            };
            done.map_err(|why| format!("plugin/{plugin}: {why}"))?;
        }
    }
    Ok(server)
}

fn read(reading: &Reading<'_>, server: &mut Server, plugin: &str, stanza: &Stanza) -> Result<(), String> {
    match plugin {
        "health" => server.health = Some(reading.health(stanza)?),
        "ready" => server.ready = reading.port(&stanza.words, ":8181")?,
        "prometheus" => server.prometheus = reading.port(&stanza.words, "localhost:9153")?,
        "reload" => {
            let interval = if stanza.words.len() > 1 { reading.time(&stanza.words, 1)? } else { RELOAD };
            server.reload = Some(interval.max(RELOAD_LEAST));
        }
        "log" => server.log.push(reading.log(stanza)?),
        "cache" => server.cache = Some(reading.cache(stanza)?),
        "rewrite" => server.rewrite.push(reading.rewrite(stanza)?),
        "hosts" => server.hosts = Some(reading.hosts(stanza)?),
        "kubernetes" => server.kubernetes = Some(reading.kubernetes(stanza)?),
        "loop" => {
            if stanza.words.len() > 1 {
                return reading.arguments(&stanza.words);
            }
            server.finds_loops = true;
        }
        "forward" => server.forward.push(reading.forward(stanza)?),
        "whoami" => server.whoami = true,
        // These show in nothing that is simulated.
        "metadata" | "cancel" | "bufsize" | "debug" | "errors" | "loadbalance" | "minimal" | "nsid" => {}
        _ => return reading.not_simulated(&stanza.words),
    }
    Ok(())
}
