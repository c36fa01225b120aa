//! Tokens of service accounts in files of pods (`pkg/kubelet/token/token_manager.go`; what they say:
//! [`crate::api::service_account_token`]).
//!
//! A token is asked for anew when 80 % of its life are over or when it is a day old, and the pod's next sync after that puts
//! the new one into the file. The kubelet makes it by itself instead of asking the API server for it.

use std::rc::Rc;

use jiff::SignedDuration;

use super::timings::RESYNC;
use crate::api::service_account_token::{self, Claims, ISSUER};
use crate::api::types::{ObjectMeta, ServiceAccountTokenProjection};
use crate::api::{MetaExt, Timestamp, later};

/// How long a token is valid if the pod does not say (`expirationSeconds`).
const HOUR: i64 = 3600;

/// A token that is this old is replaced, however long it is valid (`maxTTL`).
const MAX_AGE: i64 = 24 * 3600;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// When it was issued.
    pub issued: Timestamp,
    /// How long it is valid, as the pod asks for it, in seconds.
    pub seconds: i64,
    /// Whom it is for.
    pub audience: Rc<str>,
}

impl Token {
    /// A token as a volume asks for it.
    pub(super) fn of(source: &ServiceAccountTokenProjection, now: Timestamp) -> Token {
        Token {
            issued: now,
            seconds: source.expiration_seconds.unwrap_or(HOUR),
            audience: source.audience.as_deref().filter(|a| !a.is_empty()).unwrap_or(ISSUER).into(),
        }
    }

    /// After this moment it is replaced (`requiresRefresh`). A real kubelet comes up to ten seconds earlier, by chance.
    pub(super) fn refresh_after(&self) -> Timestamp {
        let life = self.seconds - self.seconds * 20 / 100;
        later(self.issued, SignedDuration::from_secs(life.min(MAX_AGE)))
    }

    /// When the file gets the next token: at the pod's first sync after [`Self::refresh_after`].
    pub(super) fn replaced(&self, synced: Timestamp) -> Timestamp {
        next_sync(synced, self.refresh_after())
    }

    /// The token that the file has at a moment, if the pod was synced last at `synced` and every minute since.
    pub(super) fn until(mut self, synced: Timestamp, now: Timestamp) -> Token {
        loop {
            let next = self.replaced(synced);
            if next > now || next <= self.issued {
                return self;
            }
            self.issued = next;
        }
    }
}

/// The first sync of a pod after a moment, if it was synced last at `synced` and every minute since
/// (`syncFrequency`; a real kubelet waits up to half a minute longer, by chance).
pub(super) fn next_sync(synced: Timestamp, after: Timestamp) -> Timestamp {
    let since = after.duration_since(synced).as_millis().max(0);
    let rounds = since / RESYNC.as_millis() + 1;
    let millis = i64::try_from(rounds.saturating_mul(RESYNC.as_millis())).unwrap_or(i64::MAX);
    later(synced, SignedDuration::from_millis(millis))
}

/// Who has a token.
pub(super) struct Bearer<'a> {
    /// The pod.
    pub(super) pod: &'a ObjectMeta,
    /// The name of its service account.
    pub(super) account: &'a str,
    /// The name of its node.
    pub(super) node: &'a str,
    /// The uid of its node, if that is known.
    pub(super) node_uid: Option<&'a str>,
}

impl Token {
    /// What a token says, which is signed when somebody reads it.
    pub(super) fn said(&self, bearer: &Bearer<'_>) -> service_account_token::Token {
        let Bearer { pod, account, node, node_uid } = bearer;
        let claims = Claims {
            id: None,
            audiences: vec![&*self.audience],
            from: self.issued.as_second(),
            seconds: self.seconds,
            namespace: MetaExt::namespace(*pod),
            account: (*account, None),
            pod: Some((MetaExt::name(*pod), Some(MetaExt::uid(*pod)))),
            node: Some((*node, *node_uid)),
            secret: None,
        };
        claims.token()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    /// `token_manager.go`: `requiresRefresh`, whose 20 % are of whole seconds, and `maxTTL`.
    #[test]
    fn a_token_is_replaced_at_the_first_sync_after_four_fifths_of_its_life() {
        let token = |seconds| Token { issued: at(0), seconds, audience: ISSUER.into() };
        assert_eq!(token(3607).refresh_after(), at(2886));
        assert_eq!(token(3600).refresh_after(), at(2880));
        assert_eq!(token(600).refresh_after(), at(480));
        assert_eq!(token(10 * MAX_AGE).refresh_after(), at(MAX_AGE));
        // Synced at 5, 65, 125 and so on: the first of these after 480 is 485.
        assert_eq!(token(600).until(at(5), at(484)).issued, at(0));
        assert_eq!(token(600).until(at(5), at(485)).issued, at(485));
        assert_eq!(token(600).until(at(5), at(1024)).issued, at(485));
        assert_eq!(token(600).until(at(5), at(1025)).issued, at(1025));
    }

    /// `now.After(…)`: at the very moment it is not replaced yet. `pkg/kubelet/token/token_manager.go`, `requiresRefresh`;
    /// `apis/config/v1beta1/defaults.go`: `SyncFrequency`, a minute.
    #[test]
    fn the_next_sync_comes_after_the_moment() {
        assert_eq!(next_sync(at(0), at(0)), at(60));
        assert_eq!(next_sync(at(0), at(59)), at(60));
        assert_eq!(next_sync(at(0), at(60)), at(120));
        assert_eq!(next_sync(at(30), at(0)), at(90));
    }
}
