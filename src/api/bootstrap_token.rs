//! Bootstrap tokens (`k8s.io/cluster-bootstrap`: `token/api`, `util/secrets`, `util/tokens`): a machine that joins a cluster says who it
//! is with one, and knows the cluster by what is signed with it. Each is a Secret in `kube-system`.

use std::borrow::Cow;

use jiff::SignedDuration;

use super::types::Secret;
use super::{MetaExt, Timestamp};

/// The namespace of the Secrets.
pub const NAMESPACE: &str = "kube-system";
/// What the name of such a Secret begins with; the id of the token follows.
pub const SECRET_NAME_PREFIX: &str = "bootstrap-token-";
/// The type of the Secrets.
const SECRET_TYPE: &str = "bootstrap.kubernetes.io/token";
/// The group of all who come with a bootstrap token.
const DEFAULT_GROUP: &str = "system:bootstrappers";

const ID_KEY: &str = "token-id";
const SECRET_KEY: &str = "token-secret";
const EXPIRATION_KEY: &str = "expiration";
const EXTRA_GROUPS_KEY: &str = "auth-extra-groups";

const ID_LENGTH: usize = 6;
const SECRET_LENGTH: usize = 16;

/// What a token may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// To say who one is.
    Authentication,
    /// To sign the ConfigMap `cluster-info`.
    Signing,
}

impl Usage {
    fn key(self) -> &'static str {
        match self {
            Usage::Authentication => "usage-bootstrap-authentication",
            Usage::Signing => "usage-bootstrap-signing",
        }
    }
}

/// How long a token is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiration {
    /// For ever.
    Never,
    /// For so long.
    After(SignedDuration),
    /// No longer; or its time cannot be read.
    Expired,
}

/// Whether a Secret is a bootstrap token's.
pub fn is_token(secret: &Secret) -> bool {
    secret.type_.as_deref() == Some(SECRET_TYPE) && secret.metadata.namespace() == NAMESPACE
}

/// What a Secret holds under a key; nothing if it does not have it (`GetData`).
fn data<'a>(secret: &'a Secret, key: &str) -> &'a [u8] {
    secret.data.as_ref().and_then(|data| data.get(key)).map_or(&[], |value| &value.0)
}

/// The moment at which a token expires, as its Secret has it.
pub fn expiration_text(secret: &Secret) -> Cow<'_, str> {
    String::from_utf8_lossy(data(secret, EXPIRATION_KEY))
}

/// How long a token is still good for (`GetExpiration`).
pub fn expiration(secret: &Secret, now: Timestamp) -> Expiration {
    let text = expiration_text(secret);
    if text.is_empty() {
        return Expiration::Never;
    }
    // What cannot be read has expired.
    let moment = super::rfc3339::parse(&text);
    let left = moment.map(|moment| moment.duration_since(now)).filter(SignedDuration::is_positive);
    left.map_or(Expiration::Expired, Expiration::After)
}

fn is_of_letters(text: &[u8], length: usize) -> bool {
    text.len() == length && text.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

/// The id and the secret of a token that may be used so; `None` if the Secret does not hold one, or it has expired
/// (`validateSecretForSigning`).
pub fn usable(secret: &Secret, usage: Usage, now: Timestamp) -> Option<(&str, &[u8])> {
    let id = secret.metadata.name().strip_prefix(SECRET_NAME_PREFIX)?;
    let key = data(secret, SECRET_KEY);
    let holds = is_token(secret)
        && is_of_letters(id.as_bytes(), ID_LENGTH)
        && data(secret, ID_KEY) == id.as_bytes()
        && !key.is_empty()
        && expiration(secret, now) != Expiration::Expired
        && data(secret, usage.key()) == b"true";
    holds.then_some((id, key))
}

/// The id and the secret of a text `id.secret` (`ParseToken`).
pub fn parse(token: &str) -> Option<(&str, &str)> {
    let (id, secret) = token.split_once('.')?;
    let fits = is_of_letters(id.as_bytes(), ID_LENGTH) && is_of_letters(secret.as_bytes(), SECRET_LENGTH);
    fits.then_some((id, secret))
}

/// The groups of whoever comes with a token; `None` if one of those that its Secret names cannot be given (`GetGroups`).
pub fn groups(secret: &Secret) -> Option<Vec<String>> {
    let mut groups = vec![DEFAULT_GROUP.to_owned()];
    let extra = std::str::from_utf8(data(secret, EXTRA_GROUPS_KEY)).ok()?;
    if !extra.is_empty() {
        for group in extra.split(',') {
            if !is_group(group) {
                return None;
            }
            groups.push(group.to_owned());
        }
    }
    groups.sort_unstable();
    groups.dedup();
    Some(groups)
}

/// `BootstrapGroupPattern`: up to 255 letters, digits, colons and hyphens, and a letter or a digit behind them.
fn is_group(group: &str) -> bool {
    let Some(name) = group.strip_prefix(DEFAULT_GROUP).and_then(|rest| rest.strip_prefix(':')) else {
        return false;
    };
    let letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let inner = |b: u8| letter(b) || matches!(b, b':' | b'-');
    name.len() <= 256 && name.bytes().all(inner) && name.bytes().last().is_some_and(letter)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use k8s_openapi::ByteString;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

    use super::*;

    const NOW: i64 = 1_000_000;

    fn now() -> Timestamp {
        Timestamp::from_second(NOW).unwrap()
    }

    fn secret(name: &str, data: &[(&str, &str)]) -> Secret {
        let data = data.iter().map(|(k, v)| ((*k).to_owned(), ByteString(v.as_bytes().to_vec())));
        Secret {
            metadata: ObjectMeta {
                name: Some(name.into()),
                namespace: Some(NAMESPACE.into()),
                ..Default::default()
            },
            type_: Some(SECRET_TYPE.into()),
            data: Some(data.collect()),
            ..Default::default()
        }
    }

    fn at(seconds: i64) -> String {
        Timestamp::from_second(NOW + seconds).unwrap().to_string()
    }

    /// `util/secrets/secrets_test.go`: `TestGetSecretString`, `TestHasExpired`, `TestGetExpiration`.
    #[test]
    fn a_token_is_good_until_its_time() {
        let of = |time: &str| expiration(&secret("bootstrap-token-abc123", &[(EXPIRATION_KEY, time)]), now());
        assert_eq!(of(""), Expiration::Never);
        assert_eq!(of(&at(10)), Expiration::After(SignedDuration::from_secs(10)));
        for over in [at(0), at(-1), "tomorrow".to_owned(), "2999-01-01T00:00Z".to_owned()] {
            assert_eq!(of(&over), Expiration::Expired, "{over}");
        }
    }

    /// `pkg/controller/bootstrap/util_test.go`: `TestValidateSecretForSigning`.
    #[test]
    fn a_secret_that_does_not_hold_a_token_signs_nothing() {
        let of = |name: &str, id: &str, key: &str, signs: &str, time: &str| {
            let data =
                [(ID_KEY, id), (SECRET_KEY, key), ("usage-bootstrap-signing", signs), (EXPIRATION_KEY, time)];
            usable(&secret(name, &data), Usage::Signing, now()).is_some()
        };
        let name = "bootstrap-token-abc123";
        assert!(of(name, "abc123", "key", "true", ""));
        assert!(of(name, "abc123", "key", "true", &at(10)));
        for (name, id, key, signs, time) in [
            ("token-abc123", "abc123", "key", "true", String::new()),
            ("bootstrap-token-ABC123", "ABC123", "key", "true", String::new()),
            ("bootstrap-token-abc12", "abc12", "key", "true", String::new()),
            (name, "", "key", "true", String::new()),
            (name, "abc124", "key", "true", String::new()),
            (name, "abc123", "", "true", String::new()),
            (name, "abc123", "key", "", String::new()),
            (name, "abc123", "key", "yes", String::new()),
            (name, "abc123", "key", "true", at(-10)),
        ] {
            assert!(!of(name, id, key, signs, &time), "{name} {id} {key} {signs} {time}");
        }
        let mut other =
            secret(name, &[(ID_KEY, "abc123"), (SECRET_KEY, "key"), ("usage-bootstrap-signing", "true")]);
        assert_eq!(usable(&other, Usage::Signing, now()), Some(("abc123", &b"key"[..])));
        assert_eq!(usable(&other, Usage::Authentication, now()), None);
        other.metadata.namespace = Some("default".into());
        assert_eq!(usable(&other, Usage::Signing, now()), None);
    }

    /// `util/tokens/tokens_test.go`: `TestParseToken`, `TestValidateBootstrapGroupName`; `util/secrets/secrets_test.go`:
    /// `TestGetGroups`.
    #[test]
    fn texts_of_tokens_and_groups_have_a_form() {
        assert_eq!(parse("123456.1234567890abcdef"), Some(("123456", "1234567890abcdef")));
        for wrong in
            ["", ".", "1234567890abcdef", "123456.", "12345.1234567890abcdef", "12345@.1234567890abcdef"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        let of = |extra: &str| groups(&secret("s", &[(EXTRA_GROUPS_KEY, extra)]));
        assert_eq!(of(""), Some(vec![DEFAULT_GROUP.to_owned()]));
        let both = of("system:bootstrappers:foo,system:bootstrappers:bar,system:bootstrappers:foo").unwrap();
        assert_eq!(both, [DEFAULT_GROUP, "system:bootstrappers:bar", "system:bootstrappers:foo"]);
        for wrong in ["foo", "system:bootstrappers:", "system:bootstrappers:-", "system:bootstrappers:A", ","]
        {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
