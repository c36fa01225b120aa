//! Flags as `spf13/pflag` reads them, from tables; its messages are part of what people see.

use crate::api::duration;
use crate::api::quote::go_quote;
use std::collections::BTreeMap;

use super::go;
use super::stop::{Result, fail};

/// What kind of value a flag has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// `--all`, `--all=false`
    Bool,
    /// A string.
    Text,
    /// A string; the flag alone means this.
    Optional(&'static str),
    /// A number.
    Int,
    /// `5s`
    Duration,
    /// May be repeated.
    Array,
    /// May be repeated, and holds commas.
    Slice,
}

/// One row of a table of flags.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flag {
    pub(super) long: &'static str,
    pub(super) short: Option<char>,
    pub(super) value: Value,
    /// The value where the flag is not given, which [`Args`] has and help shows; `None` for nothing, zero or false.
    pub(super) default: Option<&'static str>,
}

const fn flag(long: &'static str, short: Option<char>, value: Value) -> Flag {
    Flag { long, short, value, default: None }
}

/// `--all`
pub(super) const fn boolean(long: &'static str) -> Flag {
    flag(long, None, Value::Bool)
}
/// `--name=x`
pub(super) const fn text(long: &'static str) -> Flag {
    flag(long, None, Value::Text)
}
/// `--replicas=3`
pub(super) const fn int(long: &'static str) -> Flag {
    flag(long, None, Value::Int)
}
/// `--timeout=5s`
pub(super) const fn duration(long: &'static str) -> Flag {
    flag(long, None, Value::Duration)
}
/// `--from-literal=a=b`, more than once.
pub(super) const fn array(long: &'static str) -> Flag {
    flag(long, None, Value::Array)
}
/// `--tcp=80,81`, more than once.
pub(super) const fn slice(long: &'static str) -> Flag {
    flag(long, None, Value::Slice)
}
/// `--cascade`, `--cascade=orphan`
pub(super) const fn optional(long: &'static str, alone: &'static str) -> Flag {
    flag(long, None, Value::Optional(alone))
}

impl Flag {
    /// Gives the flag a short form of one letter.
    pub(super) const fn short(mut self, c: char) -> Flag {
        self.short = Some(c);
        self
    }

    /// Says what the flag is where it is not given.
    pub(super) const fn or(mut self, default: &'static str) -> Flag {
        self.default = Some(default);
        self
    }

    /// How pflag names it: `-n, --namespace`.
    pub(super) fn display(&self) -> String {
        match self.short {
            Some(c) => format!("-{c}, --{}", self.long),
            None => format!("--{}", self.long),
        }
    }
}

/// The flags every command has.
pub(super) const GLOBAL: &[Flag] = &[
    text("namespace").short('n'),
    text("kubeconfig"),
    text("context"),
    text("cluster"),
    text("user"),
    text("server").short('s'),
    text("token"),
    text("as"),
    array("as-group"),
    text("as-uid"),
    array("as-user-extra"),
    text("request-timeout"),
    boolean("insecure-skip-tls-verify"),
    boolean("match-server-version"),
    boolean("warnings-as-errors"),
    text("cache-dir"),
    int("v").short('v'),
    boolean("help").short('h'),
];

/// The words of a command, sorted out.
#[derive(Clone, Debug, Default)]
pub(super) struct Args {
    /// What is not a flag.
    pub(super) words: Vec<String>,
    /// How many of them stood before `--`.
    pub(super) dash: Option<usize>,
    /// What was given.
    flags: BTreeMap<&'static str, Vec<String>>,
    /// The values of the flags that were not given, of those that have one.
    defaults: BTreeMap<&'static str, &'static str>,
}

impl Args {
    /// Whether the flag was given at all.
    pub(super) fn has(&self, long: &str) -> bool {
        self.flags.contains_key(long)
    }

    /// Whether files are named, by `-f` or `-k`.
    pub(super) fn has_files(&self) -> bool {
        self.has("filename") || !self.text("kustomize").is_empty()
    }

    /// The words and flags as `--record` keeps them, flags by name.
    pub(super) fn recorded(&self) -> String {
        let flags = self.flags.iter().map(|(name, values)| format!("--{name}={}", values.join(",")));
        self.words.iter().cloned().chain(flags).collect::<Vec<_>>().join(" ")
    }

    /// The words and flags as if one of the flags had not been given.
    pub(super) fn without(&self, long: &str) -> Args {
        let mut args = self.clone();
        args.flags.remove(long);
        args
    }

    /// A boolean, or its default.
    pub(super) fn on(&self, long: &str) -> bool {
        self.flag(long).is_some_and(is_true)
    }

    /// The last value of a flag, or its default; `None` if it has neither.
    pub(super) fn flag(&self, long: &str) -> Option<&str> {
        let given = self.flags.get(long).and_then(|v| v.last()).map(String::as_str);
        given.or_else(|| self.defaults.get(long).copied())
    }

    /// The last value of a flag, or its default, or nothing.
    pub(super) fn text(&self, long: &str) -> &str {
        self.flag(long).unwrap_or_default()
    }

    /// All values that were given of a flag, in the order of the command line.
    pub(super) fn all(&self, long: &str) -> &[String] {
        self.flags.get(long).map(Vec::as_slice).unwrap_or_default()
    }

    /// A number, or its default.
    pub(super) fn int(&self, long: &str) -> Option<i64> {
        self.flag(long).and_then(|v| v.parse().ok())
    }

    /// A duration, or its default.
    pub(super) fn duration(&self, long: &str) -> Option<jiff::SignedDuration> {
        duration::parse(self.flag(long)?).ok().map(jiff::SignedDuration::from_nanos)
    }
}

fn is_true(text: &str) -> bool {
    matches!(text, "1" | "t" | "T" | "true" | "TRUE" | "True")
}

fn is_bool(text: &str) -> bool {
    is_true(text) || matches!(text, "0" | "f" | "F" | "false" | "FALSE" | "False")
}

/// Sorts words into flags and the rest. `path` is the command's, for `See '…' for usage.`
pub(super) fn parse(path: &str, tables: &[&'static [Flag]], words: &[String]) -> Result<Args> {
    let mut args = Args::default();
    for flag in tables.iter().flat_map(|t| t.iter()) {
        if let Some(default) = flag.default {
            args.defaults.entry(flag.long).or_insert(default);
        }
    }
    let find = |test: &dyn Fn(&Flag) -> bool| tables.iter().flat_map(|t| t.iter()).find(|f| test(f)).copied();
    let usage = |message: String| fail(format!("{message}\nSee '{path} --help' for usage."));
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            args.dash = Some(args.words.len());
            args.words.extend(words.cloned());
            break;
        } else if let Some(rest) = word.strip_prefix("--") {
            let (name, value) = match rest.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (rest, None),
            };
            if name.is_empty() || name.starts_with('-') {
                return usage(format!("bad flag syntax: {word}"));
            }
            let Some(flag) = find(&|f| f.long == name) else {
                return usage(format!("unknown flag: --{name}"));
            };
            let value = match (value, flag.value) {
                (Some(value), _) => value,
                (None, Value::Bool) => "true".into(),
                (None, Value::Optional(alone)) => alone.into(),
                (None, _) => match words.next() {
                    Some(value) => value.clone(),
                    None => return usage(format!("flag needs an argument: --{name}")),
                },
            };
            if let Err(e) = set(&mut args, &flag, value) {
                return usage(e);
            }
        } else if word.len() > 1 && word.starts_with('-') {
            let mut rest = word.get(1..).unwrap_or_default();
            while let Some(c) = rest.chars().next() {
                let tail = rest.get(c.len_utf8()..).unwrap_or_default();
                let Some(flag) = find(&|f| f.short == Some(c)) else {
                    return usage(format!("unknown shorthand flag: '{c}' in -{rest}"));
                };
                let value = if let Some(value) = tail.strip_prefix('=') {
                    rest = "";
                    value.to_owned()
                } else {
                    match flag.value {
                        Value::Bool | Value::Optional(_) => {
                            rest = tail;
                            if let Value::Optional(alone) = flag.value { alone } else { "true" }.to_owned()
                        }
                        _ if !tail.is_empty() => {
                            rest = "";
                            tail.to_owned()
                        }
                        _ => match words.next() {
                            Some(value) => {
                                rest = "";
                                value.clone()
                            }
                            None => return usage(format!("flag needs an argument: '{c}' in -{rest}")),
                        },
                    }
                };
                if let Err(e) = set(&mut args, &flag, value) {
                    return usage(e);
                }
            }
        } else {
            args.words.push(word.clone());
        }
    }
    Ok(args)
}

fn set(args: &mut Args, flag: &Flag, value: String) -> std::result::Result<(), String> {
    let wrong = match flag.value {
        Value::Bool if !is_bool(&value) => {
            Some(format!("strconv.ParseBool: parsing {value}: invalid syntax", value = go_quote(&value)))
        }
        Value::Int => go::parse_int(&value).err(),
        Value::Duration => duration::parse(&value).err(),
        _ => None,
    };
    if let Some(why) = wrong {
        return Err(format!(
            "invalid argument {value} for {} flag: {why}",
            go_quote(flag.display()),
            value = go_quote(&value)
        ));
    }
    let values = args.flags.entry(flag.long).or_default();
    match flag.value {
        Value::Slice => values.extend(value.split(',').map(str::to_owned)),
        Value::Array => values.push(value),
        _ => *values = vec![value],
    }
    Ok(())
}
