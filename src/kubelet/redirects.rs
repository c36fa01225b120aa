//! Redirects that an `httpGet` probe follows (`pkg/probe/http`, `RedirectChecker`): those to the host that it has asked.

use std::net::SocketAddr;

use super::turn::Turn;
use crate::api::Timestamp;
use crate::network::url::Url;
use crate::network::{Outcome, Question};

/// The most requests of one probe.
const REQUESTS_LIMIT: usize = 10;
/// The statuses with which Go's `net/http` asks another URL (`redirectBehavior`).
const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];

/// What a probe comes to that follows redirects.
pub(super) struct Followed {
    /// What the last URL met.
    pub(super) outcome: Outcome,
    /// That URL.
    pub(super) url: String,
    /// Where the connection for it went.
    pub(super) to: SocketAddr,
    /// Whether there were too many.
    pub(super) endless: bool,
}

/// Asks a pod for a URL, with a header `Host`, and then for where its answers lead. `to` is where the first connection goes.
pub(super) fn follow(turn: &Turn<'_>, first: Url, host: &str, to: SocketAddr, at: Timestamp) -> Followed {
    let ask = |url: &Url, host: &str| {
        let to = SocketAddr::new(to.ip(), url.port());
        let question = Question::Fetch {
            to,
            tls: url.tls,
            host: host.into(),
            method: "GET".into(),
            path: url.path.as_str().into(),
            headers: Default::default(),
            extras: Default::default(),
        };
        Followed { outcome: turn.reply(&question, at).0, url: text(url), to, endless: false }
    };
    let mut followed = ask(&first, host);
    let (mut url, mut host) = (first.clone(), host.to_owned());
    for _ in 1..REQUESTS_LIMIT {
        let Some(next) = leads(&url, &followed.outcome).filter(|next| next.host == first.host) else {
            return followed;
        };
        let leads_to_a_path =
            matches!(&followed.outcome, Outcome::Answered(r) if r.location.starts_with('/'));
        if !leads_to_a_path {
            host = next.authority();
        }
        followed = ask(&next, &host);
        url = next;
    }
    followed.endless = leads(&url, &followed.outcome).is_some_and(|next| next.host == first.host);
    followed
}

/// Where an answer leads.
fn leads(url: &Url, outcome: &Outcome) -> Option<Url> {
    let Outcome::Answered(response) = outcome else { return None };
    REDIRECTS.contains(&response.status).then(|| url.location(&response.location)).flatten()
}

fn text(url: &Url) -> String {
    let scheme = if url.tls { "https" } else { "http" };
    let host = if url.host.contains(':') { format!("[{}]", url.host) } else { url.host.clone() };
    let port = url.port.map(|port| format!(":{port}")).unwrap_or_default();
    format!("{scheme}://{host}{port}{}", url.path)
}
