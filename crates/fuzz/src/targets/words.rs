//! The small languages.

use std::collections::BTreeMap;

use serde_json::json;
use steady::api::types::IntOrString;
use steady::api::{
    cron, duration, field_set, jsonpath, labels, names, patch, pkcs10, quantity, quote, regexp,
};
use steady::cel;
use steady::engine::Options;
use steady::network::url;
use steady::shell;

use crate::heard::Heard;
use crate::hostile;

pub(crate) const WORDS: &[&str] = &[
    "Ki",
    "Mi",
    "Ei",
    "m",
    "n",
    "e",
    "E",
    ".",
    "-",
    "+",
    "0",
    "9",
    "h",
    "ms",
    "us",
    "µs",
    "ns",
    "*",
    "/",
    ",",
    "@daily",
    "@every ",
    "TZ=",
    "JAN",
    "SUN",
    "L",
    "#",
    "?",
    "in",
    "notin",
    "exists",
    "==",
    "!=",
    "!",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "{end}",
    "{range .items[*]}",
    "{.metadata.name}",
    "[?(@.",
    "[-1:]",
    "..",
    "'",
    "\"",
    "\\",
    "|",
    "+?",
    "{1,1000}",
    "(?P<a>",
    "[^",
    "\\d",
    "\\b",
    "$",
    "^",
    "http://",
    ":80",
    "[::1]",
    "%25",
    "&",
    "=",
    "#",
    "f:",
    "k:{",
    "v:",
    "i:",
    ":",
    "T",
    "Z",
    "+00:00",
    "/*",
    "//",
];

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let more = [
        "{range .items[*]}{.metadata.name}{\"\\n\"}{end}",
        "{.items[?(@.spec.replicas>1)].metadata['name','uid']}",
        "{$.a..b[1:3]}",
        "environment in (production, qa),tier notin (frontend),partition,!x",
        "30 2 * * 1-5",
        "0 0 29 2 *",
        "TZ=America/New_York 0,30 */2 1-15/3 JAN-JUN MON",
        "@every 1h30m",
        "1h2m3.000004s",
        "123456789.5e-3",
        "16Ei",
        "^([a-z0-9]+(-[a-z0-9]+)*)?$",
        "https://user@example.com:8443/a%20b?c=d&e#f",
        "2026-11-26T21:18:20.123456789+02:00",
        "{\"f:metadata\":{\"f:labels\":{\".\":{},\"f:a\":{}}},\"k:{\\\"name\\\":\\\"x\\\"}\":{\".\":{}}}",
    ];
    let all = more.iter().chain(hostile::WORDS).map(|t| (*t).to_owned());
    super::bytes(all.chain([CERTIFICATE.to_owned()]))
}

const CERTIFICATE: &str = include_str!("../../../../src/api/pkcs10_test.pem");

pub(crate) fn run(input: &[u8], heard: &mut Heard) {
    let text = &String::from_utf8_lossy(input);
    amounts(text, heard);
    times(text, heard);
    selectors(text, heard);
    paths(text, heard);
    others(text, input, heard);
}

fn amounts(text: &str, heard: &mut Heard) {
    match quantity::Amount::parse(text) {
        Ok(amount) => {
            let canonical = amount.canonical();
            heard.say("amount", canonical.trim_start_matches(|c: char| c.is_ascii_digit()));
            let again = quantity::Amount::parse(&canonical).map(|a| a.canonical());
            assert_eq!(again.as_deref(), Ok(&*canonical), "the canonical form of {text:?} is not canonical");
            let (value, milli) = (amount.value(), amount.milli_value());
            assert!(
                value == i64::MAX || value == i64::MIN || value == 0 || (value < 0) == (milli < 0),
                "{text:?}: {value}, {milli}"
            );
            let _ = (
                amount.plus(amount).canonical(),
                amount.minus(amount).canonical(),
                amount.negated().canonical(),
            );
            for scale in -20..20 {
                let _ = amount.scaled_value(scale);
            }
        }
        Err(why) => heard.say("amount", &why.to_string()),
    }
    let percent = IntOrString::String(text.to_owned());
    for total in [0, 1, 7, i32::MAX, i32::MIN] {
        for rounding in [steady::api::intstr::Rounding::Up, steady::api::intstr::Rounding::Down] {
            match steady::api::intstr::scaled_value(Some(&percent), total, rounding) {
                Ok(_) => heard.say("percent", ""),
                Err(why) => heard.say("percent", &why),
            }
        }
    }
}

fn times(text: &str, heard: &mut Heard) {
    match duration::parse(text) {
        Ok(nanoseconds) => {
            let written = duration::go_duration(jiff::SignedDuration::from_nanos(nanoseconds));
            assert_eq!(duration::parse(&written), Ok(nanoseconds), "{text:?} is written {written:?}");
            let _ = duration::human_duration(jiff::SignedDuration::from_nanos(nanoseconds));
            heard.say("duration", &written);
        }
        Err(why) => heard.say("duration", &why),
    }
    let _ = cron::load_location(text);
    match cron::parse(text) {
        Ok(schedule) => {
            heard.say("schedule", "");
            let mut at = jiff::Timestamp::from_second(1_767_225_600).unwrap_or_default();
            for _ in 0..4 {
                let Some(next) = schedule.next(at) else { break };
                assert!(next > at, "{text:?}: {next} does not come after {at}");
                at = next;
            }
            for at in [jiff::Timestamp::MAX, jiff::Timestamp::MIN] {
                let _ = schedule.next(at);
            }
        }
        Err(why) => heard.say("schedule", &why),
    }
    heard.say("sleep", if shell::duration(text).is_some() { "yes" } else { "no" });
}

fn selectors(text: &str, heard: &mut Heard) {
    match labels::Selector::parse(text) {
        Ok(selector) => {
            let written = selector.to_string();
            let again = labels::Selector::parse(&written).map(|s| s.to_string());
            assert_eq!(again.as_ref(), Ok(&written), "{text:?}");
            let set = BTreeMap::from([("a".to_owned(), "b".to_owned()), ("app".to_owned(), String::new())]);
            heard.say("selector", if selector.matches(&set) { "matches" } else { "not" });
        }
        Err(why) => heard.say("selector", &why),
    }
    let said = [
        names::is_qualified_name(text),
        names::is_valid_label_value(text),
        names::is_dns1123_subdomain(text),
        names::is_dns1035_label(text),
    ];
    said.iter().flatten().for_each(|why| heard.say("name", why));
    if let Ok(value) = serde_json::from_str(text)
        && let Some(set) = field_set::Set::from_value(&value)
    {
        let written = set.to_value();
        assert_eq!(field_set::Set::from_value(&written).as_ref(), Some(&set), "{text:?}");
        assert_eq!(set.clone().union(&set), set, "{text:?}");
        assert!(set.difference(&set).is_empty(), "{text:?}");
        assert_eq!(set.intersection(&set), set, "{text:?}");
        set.paths().iter().for_each(|path| heard.say("fields", &field_set::path_text(path)));
    }
}

fn paths(text: &str, heard: &mut Heard) {
    let value = json!({
        "metadata": {"name": "web", "labels": {"a.b/c": "d"}}, "kind": "List", "n": 3, "x": null,
        "items": [{"spec": {"replicas": 2}, "metadata": {"name": "é"}}, {"spec": {"replicas": 1.5}}, [1, 2, [3]], "text", true],
    });
    match jsonpath::Template::parse(text) {
        Ok(template) => {
            for template in [template.clone(), template.strict()] {
                match template.render(&value) {
                    Ok(printed) => heard.say("path", &printed),
                    Err(why) => heard.say("path", &why),
                }
                let _ = template.find(&value);
            }
        }
        Err(why) => heard.say("path", &why),
    }
    if let Err(why) = jsonpath::relaxed(text) {
        heard.say("relaxed", &why);
    }
    match patch::json_patch(
        value.clone(),
        &json!([{"op": "replace", "path": text, "value": 1}, {"op": "add", "path": text, "value": {}}, {"op": "remove", "path": text}]),
    ) {
        Ok(_) => heard.say("pointer", ""),
        Err(why) => heard.say("pointer", why.message()),
    }
}

fn others(text: &str, input: &[u8], heard: &mut Heard) {
    match regexp::compile(text) {
        Ok(pattern) => heard.say("pattern", if pattern.is_match("abc-123 é") { "matches" } else { "not" }),
        Err(why) => heard.say("pattern", &why),
    }
    match url::Url::parse(text) {
        Ok(url) => heard.say("url", &format!("{url:?}")),
        Err(why) => heard.say("url", &format!("{why:?}")),
    }
    match pkcs10::Request::parse(input) {
        Ok(_) => heard.say("csr", ""),
        Err(why) => heard.say("csr", &why),
    }
    if let Err(why) = pkcs10::check_certificates(input) {
        heard.say("certificates", &why);
    }
    let options = Options::parse(text);
    assert_eq!(Options::parse(&options.query()), options, "{text:?}");
    heard.say("options", &options.query());
    match cel::escape(text) {
        Some(escaped) => heard.say("escape", &escaped),
        None => heard.say("escape", "none"),
    }
    let _ = quote::go_quote(text);
    let quoted = quote::go_json_string(text);
    let read: Result<String, _> = serde_json::from_str(&quoted);
    assert_eq!(read.ok().as_deref(), Some(text), "{quoted}");
}
