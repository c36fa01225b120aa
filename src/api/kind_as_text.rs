//! Kinds in messages between the page and the engine.

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};

use super::kind::{CustomNames, Kind};

/// A kind as it is written: `apps/v1/Deployment` for a built-in kind (`v1/Pod` for the core group), all names for a kind
/// that a CustomResourceDefinition made, since whoever reads the message may never have met that kind.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    BuiltIn(String),
    Custom(CustomNames),
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        let written = if self.is_custom() {
            Written::Custom(CustomNames {
                group: self.group().to_owned(),
                version: self.version().to_owned(),
                kind: self.as_str().to_owned(),
                list_kind: self.list_kind().to_owned(),
                plural: self.plural().to_owned(),
                singular: self.singular().to_owned(),
                short_names: owned(self.short_names()),
                categories: owned(self.categories()),
                scope: self.scope(),
                subresources: owned(self.subresources()),
            })
        } else {
            Written::BuiltIn(format!("{}/{}", self.api_version(), self.as_str()))
        };
        written.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Kind, D::Error> {
        match Written::deserialize(from)? {
            Written::BuiltIn(text) => {
                let kind = text.rsplit_once('/').and_then(|(version, kind)| Kind::of(version, kind));
                kind.ok_or_else(|| D::Error::custom(format_args!("no such kind: {text}")))
            }
            Written::Custom(names) => Ok(Kind::custom(&names)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::kind::Scope;
    use super::*;

    #[test]
    fn a_kind_comes_back_as_it_was_written() {
        for kind in Kind::BUILT_IN {
            let text = serde_json::to_string(kind).unwrap();
            assert_eq!(text, format!("\"{}/{}\"", kind.api_version(), kind.as_str()));
            assert_eq!(serde_json::from_str::<Kind>(&text).unwrap(), *kind);
        }
        let names = CustomNames {
            group: "stable.example.com".into(),
            version: "v1".into(),
            kind: "CronTab".into(),
            list_kind: "CronTabList".into(),
            plural: "crontabs".into(),
            singular: "crontab".into(),
            short_names: vec!["ct".into()],
            categories: vec!["all".into()],
            scope: Scope::Cluster,
            subresources: vec!["status".into(), "scale".into()],
        };
        let text = serde_json::to_string(&Kind::custom(&names)).unwrap();
        assert_eq!(serde_json::from_str::<CustomNames>(&text).unwrap(), names);
        // Also where nobody has met that kind before.
        let there = text.replace("crontab", "timetab");
        let kind: Kind = serde_json::from_str(&there).unwrap();
        assert_eq!((kind.plural(), kind.scope()), ("timetabs", Scope::Cluster));
        assert_eq!(serde_json::to_string(&kind).unwrap(), there);
        assert!(serde_json::from_str::<Kind>("\"apps/v1/Pod\"").is_err());
    }
}
