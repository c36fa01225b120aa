//! `/steady/…`: requests that control a cluster whose time does not follow the clock. docs/door.md describes
//! them.

use std::rc::Rc;
use std::time::Duration;

use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use serde_json::{Value, json};
use steady::api::Timestamp;
use steady::cluster::{Action, COMMANDS_LIMIT, Cluster, Command, Fault, Stopped};

use crate::house::{House, SLICE, Time};
use crate::reply::{self, Reply};

/// The most commands in one response. Further ones are only counted.
const TOLD: usize = 1000;
/// The most seconds that one request lets pass: ten years.
const ADVANCE: f64 = 10.0 * 365.0 * 86_400.0;

type Result<T> = std::result::Result<T, (StatusCode, String)>;

fn bad(why: impl Into<String>) -> (StatusCode, String) {
    (StatusCode::BAD_REQUEST, why.into())
}

/// Answers a request. `what` is the path after `/steady`.
pub async fn answer(house: &Rc<House>, parts: &Parts, what: &str, body: &[u8]) -> Response<Reply> {
    let (status, value) = match control(house, parts, what, body).await {
        Ok(value) => (StatusCode::OK, value),
        Err((status, why)) => (status, json!({"error": why})),
    };
    reply::own(status, "application/json", value.to_string() + "\n")
}

async fn control(house: &Rc<House>, parts: &Parts, what: &str, body: &[u8]) -> Result<Value> {
    let query = parts.uri.query().unwrap_or_default();
    let reads = match what {
        "" | "/digest" | "/next" => true,
        "/step" | "/run" | "/advance" | "/fault" => false,
        _ => return Err((StatusCode::NOT_FOUND, format!("there is no /steady{what}"))),
    };
    if parts.method != if reads { Method::GET } else { Method::POST } {
        let why = format!("/steady{what} wants {}", if reads { "GET" } else { "POST" });
        return Err((StatusCode::METHOD_NOT_ALLOWED, why));
    }
    if house.time == Time::Clock && matches!(what, "/step" | "/run" | "/advance") {
        let why = "time follows the clock here; start the program with --time stepped";
        return Err((StatusCode::CONFLICT, why.into()));
    }
    match what {
        "" => Ok(house.read(|c| {
            let time = if house.time == Time::Clock { "clock" } else { "stepped" };
            let mut value = state(c);
            value["time"] = time.into();
            value
        })),
        "/digest" => Ok(house.read(|c| json!({"digest": c.digest()}))),
        "/next" => {
            let limit = number(query, "limit", 100, TOLD)?;
            Ok(house.read(|c| json!({"commands": told(&c.next_commands(limit))})))
        }
        "/step" => step(house, query).await,
        "/run" => run(house, query).await,
        "/advance" => advance(house, query).await,
        _ => {
            let fault: Fault = serde_json::from_slice(body).map_err(|e| bad(format!("no fault: {e}")))?;
            house.change(|c| c.fault(&fault)).map_err(|e| (StatusCode::CONFLICT, e.to_string()))?;
            Ok(house.read(state))
        }
    }
}

fn state(cluster: &Cluster) -> Value {
    json!({
        "now": cluster.now().to_string(),
        "revision": cluster.api().resource_version(),
        "steady": cluster.is_steady(),
    })
}

fn told(commands: &[Command]) -> Value {
    let one = |c: &Command| {
        let facts = c.why.iter().flat_map(|w| &w.facts);
        let facts: serde_json::Map<String, Value> =
            facts.map(|f| (f.name.to_owned(), f.value.as_str().into())).collect();
        json!({
            "at": c.at.to_string(),
            "by": &*c.by,
            "method": c.request.verb.method(),
            "path": c.request.path(),
            "code": c.response.code(),
            "rule": c.why.as_ref().map(|w| w.rule),
            "facts": facts,
        })
    };
    commands.iter().take(TOLD).map(one).collect()
}

/// The value of a parameter in a query.
fn text<'a>(query: &'a str, key: &str) -> Option<&'a str> {
    query.split('&').filter_map(|p| p.split_once('=')).find(|(k, _)| *k == key).map(|(_, v)| v)
}

fn number(query: &str, key: &str, default: usize, max: usize) -> Result<usize> {
    match text(query, key) {
        None => Ok(default),
        Some(t) => match t.parse() {
            Ok(n) if n <= max => Ok(n),
            _ => Err(bad(format!("{key} is a number up to {max}"))),
        },
    }
}

fn circle() -> (StatusCode, String) {
    (StatusCode::CONFLICT, Stopped::Limit.to_string())
}

/// `POST /steady/step?depth=command|reconcile|machinery&count=1`: takes steps.
async fn step(house: &Rc<House>, query: &str) -> Result<Value> {
    let count = number(query, "count", 1, COMMANDS_LIMIT)?;
    let depth = text(query, "depth").unwrap_or("command");
    let (mut commands, mut steps) = (Vec::new(), 0);
    for _ in 0..count {
        let more = match depth {
            "command" => house.change(|c| c.next_command(None)).map(|c| vec![c]),
            "reconcile" => house.change(|c| c.next_reconcile(None)),
            "machinery" => house.change(|c| match c.fair() {
                Some(action) if action != Action::Advance || !c.is_steady() => {
                    c.act(&action).map(|_| Vec::new()).map_err(|_| Stopped::Idle)
                }
                _ => Err(Stopped::Idle),
            }),
            other => return Err(bad(format!("depth {other:?}: command, reconcile or machinery"))),
        };
        match more {
            Ok(more) => {
                steps += 1;
                commands.extend(more.into_iter().take(TOLD.saturating_sub(commands.len())));
            }
            Err(Stopped::Idle) => break,
            Err(Stopped::Limit) => return Err(circle()),
        }
        tokio::task::yield_now().await;
    }
    let mut value = house.read(state);
    value["steps"] = steps.into();
    value["commands"] = told(&commands);
    Ok(value)
}

/// `POST /steady/run?commands=100000`: runs until the cluster is steady, or this many commands were issued.
async fn run(house: &Rc<House>, query: &str) -> Result<Value> {
    let limit = number(query, "commands", COMMANDS_LIMIT, COMMANDS_LIMIT)?;
    let mut steps = 0;
    while steps < limit {
        match house.change(|c| c.next_command(None).map(|_| ())) {
            Ok(()) => steps += 1,
            Err(Stopped::Idle) => break,
            Err(Stopped::Limit) => return Err(circle()),
        }
        tokio::task::yield_now().await;
    }
    let mut value = house.read(state);
    value["steps"] = steps.into();
    Ok(value)
}

/// `POST /steady/advance?seconds=1.5`: lets time pass, with all that is due in it.
async fn advance(house: &Rc<House>, query: &str) -> Result<Value> {
    let seconds: f64 = text(query, "seconds")
        .and_then(|t| t.parse().ok())
        .filter(|s| (0.0..=ADVANCE).contains(s))
        .ok_or_else(|| bad("seconds is a number from 0 to ten years"))?;
    let to = house.read(Cluster::now).checked_add(Duration::from_secs_f64(seconds)).unwrap_or(Timestamp::MAX);
    let (mut slices, mut moment) = (0, house.read(Cluster::now));
    while house.slice(to, SLICE) {
        let now = house.read(Cluster::now);
        slices = if now == moment { slices + 1 } else { 0 };
        moment = now;
        if slices > CIRCLE {
            return Err(circle());
        }
        tokio::task::yield_now().await;
    }
    Ok(house.read(state))
}

/// After this many slices without time passing the cluster repeats itself for ever.
const CIRCLE: usize = 2000;
