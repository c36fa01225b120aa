//! The parts of a URL, as `curl` and `wget` read them.

/// The parts of a URL that a client uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// Whether the scheme is `https`.
    pub tls: bool,
    /// The host: a name or an address, without brackets.
    pub host: String,
    /// The port, if the URL has one.
    pub port: Option<u16>,
    /// The path with the query; `/` if there is none.
    pub path: String,
}

/// Why a text is no URL that a client can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAUrl {
    /// The scheme is none of HTTP.
    Scheme(String),
    /// The port is no number of a port.
    Port(String),
    /// There is no host.
    NoHost,
}

impl Url {
    /// Reads a URL. One without a scheme is an HTTP one.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Url, NotAUrl> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
        let tls = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            other => return Err(NotAUrl::Scheme(other.to_owned())),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let path = path.split('#').next().unwrap_or_default();
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let authority = authority.rsplit('@').next().unwrap_or_default();
        let (host, port) = match authority.strip_prefix('[').and_then(|a| a.split_once(']')) {
            Some((host, rest)) => (host, rest.strip_prefix(':')),
            None => match authority.rsplit_once(':') {
                Some((host, port)) if !host.contains(':') => (host, Some(port)),
                _ => (authority, None),
            },
        };
        if host.is_empty() {
            return Err(NotAUrl::NoHost);
        }
        let number = |port: &str| port.parse::<u16>().ok().filter(|p| *p > 0);
        let port = match port.filter(|p| !p.is_empty()) {
            Some(port) => Some(number(port).ok_or_else(|| NotAUrl::Port(port.to_owned()))?),
            None => None,
        };
        Ok(Url { tls, host: host.to_owned(), port, path })
    }

    /// Where the header `Location` of an answer to this URL leads; `None` if that is nowhere that a client of HTTP can go.
    pub fn location(&self, location: &str) -> Option<Url> {
        match location {
            "" => None,
            path if path.starts_with('/') => Some(Url { path: path.to_owned(), ..self.clone() }),
            other => Url::parse(other).ok(),
        }
    }

    /// The port to connect to.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(if self.tls { 443 } else { 80 })
    }

    /// The header `Host`: the port is part of it if it is not the scheme's own.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        match self.port.filter(|p| *p != if self.tls { 443 } else { 80 }) {
            Some(port) => format!("{host}:{port}"),
            None => host,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// RFC 3986, section 3: the parts. RFC 9110, sections 4.2.1 and 4.2.2: the ports 80 and 443.
    #[test]
    fn urls_are_read_as_clients_read_them() {
        let read = |text: &str| {
            let u = Url::parse(text).unwrap();
            (u.tls, u.authority(), u.port(), u.path)
        };
        let is = |tls, host: &str, port, path: &str| (tls, host.to_owned(), port, path.to_owned());
        assert_eq!(read("web"), is(false, "web", 80, "/"));
        assert_eq!(read("http://web:8080/a?b=c#d"), is(false, "web:8080", 8080, "/a?b=c"));
        assert_eq!(read("https://me:secret@web.ns?q"), is(true, "web.ns", 443, "/?q"));
        assert_eq!(read("http://[fd00::1]:81/"), is(false, "[fd00::1]:81", 81, "/"));
        assert_eq!(Url::parse("ftp://web"), Err(NotAUrl::Scheme("ftp".into())));
        assert_eq!(Url::parse("http://web:http/"), Err(NotAUrl::Port("http".into())));
        assert_eq!(Url::parse("http:///x"), Err(NotAUrl::NoHost));
    }
}
