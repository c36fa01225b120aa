//! What a kubelet is told about the URL of its static pods: `--manifest-url` (`staticPodURL`), `--manifest-url-header` and
//! `--http-check-frequency`, as annotations of the Node.

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::duration;
use crate::api::quote::go_quote;
use crate::network::url::{NotAUrl, Url};

/// How long the kubelet waits between two requests if nobody says so (`SetDefaults_KubeletConfiguration`).
const FREQUENCY: SignedDuration = SignedDuration::from_secs(20);

/// Where a kubelet gets static pods from over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestUrl {
    /// The URL as it was declared.
    pub text: Rc<str>,
    /// Its parts, or why Go's client cannot ask there.
    pub url: Result<Url, Rc<str>>,
    /// The headers of the request, by name and value.
    pub header: Vec<(String, String)>,
    /// How long the kubelet waits between two requests.
    pub frequency: SignedDuration,
}

impl ManifestUrl {
    /// What a Node says; `None` if it names no URL.
    ///
    /// # Errors
    /// A flag that a kubelet would not start with, in the words of its flags.
    pub(super) fn of<'a>(said: impl Fn(&str) -> Option<&'a str>) -> Option<Result<ManifestUrl, Rc<str>>> {
        let text = said("manifest-url").filter(|t| !t.is_empty())?;
        let header = headers(said("manifest-url-header").unwrap_or_default());
        let frequency = said("http-check-frequency").map_or(Ok(FREQUENCY), frequency);
        Some(header.and_then(|header| {
            Ok(ManifestUrl { text: text.into(), url: parts(text), header, frequency: frequency? })
        }))
    }

    /// The error of Go's client for a request there.
    pub(super) fn failed(&self, why: &str) -> Rc<str> {
        format!("Get {}: {why}", go_quote(&self.text)).into()
    }
}

/// The value of `--manifest-url-header` (`ColonSeparatedMultimapStringString` of `k8s.io/component-base/cli/flag`).
fn headers(text: &str) -> Result<Vec<(String, String)>, Rc<str>> {
    let pairs = text.split(',').filter(|pair| !pair.is_empty());
    let read = |pair: &str| {
        let (name, value) = pair.split_once(':')?;
        Some((name.trim().to_owned(), value.trim().to_owned()))
    };
    let all: Option<Vec<_>> = pairs.map(read).collect();
    all.ok_or_else(|| refused(text, "--manifest-url-header", "malformed pair, expect string:string"))
}

/// The value of `--http-check-frequency`. As in a kubelet's configuration, 0 is the default.
fn frequency(text: &str) -> Result<SignedDuration, Rc<str>> {
    let refused = |why: &str| refused(text, "--http-check-frequency", why);
    match duration::parse(text) {
        Ok(0) => Ok(FREQUENCY),
        Ok(nanos) if nanos > 0 => Ok(SignedDuration::from_nanos(nanos)),
        // A real kubelet takes it and asks without a pause.
        Ok(_) => Err(refused("must not be negative")),
        Err(why) => Err(refused(&why)),
    }
}

fn refused(text: &str, flag: &str, why: &str) -> Rc<str> {
    format!("invalid argument {} for \"{flag}\" flag: {why}", go_quote(text)).into()
}

/// The parts of a URL, or what Go's `net/url` and `net/http` have against it.
fn parts(text: &str) -> Result<Url, Rc<str>> {
    let quoted = go_quote(text);
    let get = |why: String| Rc::from(format!("Get {quoted}: {why}"));
    let no_scheme = |scheme: &str| Err(get(format!("unsupported protocol scheme {}", go_quote(scheme))));
    if !text.contains("://") {
        let head = text.split('/').next().unwrap_or_default();
        return match head.split_once(':') {
            Some((scheme, _)) if scheme.starts_with(|c: char| c.is_ascii_alphabetic()) => no_scheme(scheme),
            Some(("", _)) => Err(format!("parse {quoted}: missing protocol scheme").into()),
            Some(_) => Err(format!("parse {quoted}: first path segment in URL cannot contain colon").into()),
            None => no_scheme(""),
        };
    }
    Url::parse(text).map_err(|e| match e {
        NotAUrl::Scheme(scheme) => get(format!("unsupported protocol scheme {}", go_quote(&scheme))),
        NotAUrl::Port(port) if port.bytes().all(|b| b.is_ascii_digit()) => {
            get(format!("dial tcp: address {port}: invalid port"))
        }
        NotAUrl::Port(port) => {
            format!("parse {quoted}: invalid port {} after host", go_quote(format!(":{port}"))).into()
        }
        NotAUrl::NoHost => get("http: no Host in request URL".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn of(url: &'static str, header: &'static str, frequency: &'static str) -> Result<ManifestUrl, Rc<str>> {
        let said = |name: &str| match name {
            "manifest-url" => Some(url),
            "manifest-url-header" => Some(header),
            _ => Some(frequency).filter(|f| !f.is_empty()),
        };
        ManifestUrl::of(said).unwrap()
    }

    /// `k8s.io/component-base/cli/flag/colon_separated_multimap_string_string_test.go`
    #[test]
    fn flags_are_read_as_a_kubelet_reads_them() {
        let read = of("http://web/pods", "a:hello,b: again ,,b:beau:tiful", "90s").unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(read.header, [pair("a", "hello"), pair("b", "again"), pair("b", "beau:tiful")]);
        assert_eq!(read.frequency.as_secs(), 90);
        assert_eq!(of("http://web", "", "").unwrap().frequency, FREQUENCY);
        assert_eq!(of("http://web", "", "0s").unwrap().frequency, FREQUENCY);
        let why = |header, frequency| of("http://web", header, frequency).unwrap_err().to_string();
        assert_eq!(
            why("hello", ""),
            "invalid argument \"hello\" for \"--manifest-url-header\" flag: malformed pair, expect string:string"
        );
        assert_eq!(
            why("", "soon"),
            "invalid argument \"soon\" for \"--http-check-frequency\" flag: time: invalid duration \"soon\""
        );
        assert!(why("", "-1s").ends_with("must not be negative"));
        assert!(ManifestUrl::of(|name| (name != "manifest-url").then_some("x")).is_none());
    }

    /// `net/url/url_test.go` and `net/http/transport.go` (`roundTrip`) of Go
    #[test]
    fn a_url_that_cannot_be_asked_is_refused_in_words_of_go() {
        let why = |url| of(url, "", "").unwrap().url.unwrap_err().to_string();
        assert_eq!(why("web/pods"), "Get \"web/pods\": unsupported protocol scheme \"\"");
        assert_eq!(why("web:80/pods"), "Get \"web:80/pods\": unsupported protocol scheme \"web\"");
        assert_eq!(
            why("10.0.0.1:80/pods"),
            "parse \"10.0.0.1:80/pods\": first path segment in URL cannot contain colon"
        );
        assert_eq!(why("ftp://web"), "Get \"ftp://web\": unsupported protocol scheme \"ftp\"");
        assert_eq!(why("http://web:http/"), "parse \"http://web:http/\": invalid port \":http\" after host");
        assert_eq!(why("http:///x"), "Get \"http:///x\": http: no Host in request URL");
        assert_eq!(of("https://web/x", "", "").unwrap().url.map(|u| u.port()), Ok(443));
    }
}
