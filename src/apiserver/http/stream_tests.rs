//! Lists and watches piece by piece.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::{Piece, Served, Stream, TextCache, http, serve};
use crate::api::yaml;
use crate::apimachinery::HttpRequest;
use crate::apiserver::{ApiServer, NoKubelets};

/// More than a piece.
const MAPS: usize = 300;

fn get(path: &str, query: &str, accept: &str) -> HttpRequest {
    HttpRequest {
        method: "GET".into(),
        path: path.into(),
        query: query.into(),
        accept: accept.into(),
        ..HttpRequest::default()
    }
}

fn create(api: &mut ApiServer, path: &str, object: &Value) {
    let body = object.to_string().into_bytes();
    let answer =
        http(api, &HttpRequest { method: "POST".into(), path: path.into(), body, ..HttpRequest::default() });
    assert_eq!(answer.status, 201, "{}", answer.body);
}

fn map(i: usize) -> Value {
    let text = format!("{} \"{{}}[]: , \\ 'é\n  {i}", "x".repeat(i));
    json!({"metadata": {"name": format!("m{i:04}"), "labels": {"third": format!("{}", i % 3)}}, "data": {"k": text}})
}

fn filled() -> ApiServer {
    let mut api = ApiServer::new(1);
    create(&mut api, "/api/v1/namespaces", &json!({"metadata": {"name": "d"}}));
    for i in 0..MAPS {
        create(&mut api, "/api/v1/namespaces/d/configmaps", &map(i));
    }
    api
}

const PATH: &str = "/api/v1/namespaces/d/configmaps";

fn begin(api: &mut ApiServer, query: &str, accept: &str) -> Stream {
    let Served { response, stream, .. } = serve(api, &get(PATH, query, accept), &NoKubelets);
    assert_eq!((response.status, response.body.as_str()), (200, ""));
    stream.unwrap()
}

fn text(piece: Piece) -> String {
    piece.into_texts().iter().map(|t| std::str::from_utf8(t).unwrap()).collect()
}

fn names(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|o| o["metadata"]["name"].as_str().unwrap()).collect()
}

/// Reads events; checks that no piece ends within one.
fn events(piece: Piece) -> Vec<(String, String)> {
    let text = text(piece);
    assert!(text.is_empty() || text.ends_with('\n'));
    let event = |line: &str| {
        let event: Value = serde_json::from_str(line).unwrap();
        let name = event["object"]["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        (event["type"].as_str().unwrap().to_owned(), name)
    };
    text.lines().map(event).collect()
}

#[test]
fn a_list_comes_in_pieces_of_bounded_size() {
    let mut api = filled();
    let mut cache = TextCache::default();
    let mut stream = begin(&mut api, "", "");
    let (mut pieces, mut whole) = (0, String::new());
    while !stream.ended() {
        let piece = stream.more(&api, &NoKubelets, &mut cache);
        assert!(piece.len() < 40 * 1024, "{}", piece.len());
        pieces += 1;
        whole.push_str(&text(piece));
    }
    assert!(pieces > 2, "{pieces}");
    assert!(stream.more(&api, &NoKubelets, &mut cache).is_empty());
    assert_eq!(whole, http(&mut api, &get(PATH, "", "")).body);
    let list: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(names(&list).len(), MAPS);
    assert!(list["items"][0].get("kind").is_none());
}

#[test]
fn every_form_of_a_list_says_the_same() {
    let mut api = filled();
    let mut body = |query: &str, accept: &str| http(&mut api, &get(PATH, query, accept)).body;
    let list: Value = serde_json::from_str(&body("", "")).unwrap();
    assert_eq!(body("", "application/yaml"), yaml::to_yaml(&list));
    let pretty = body("pretty=true", "");
    assert_eq!(serde_json::from_str::<Value>(&pretty).unwrap(), list);
    assert!(pretty.starts_with("{\n  \"kind\": \"ConfigMapList\",\n  \"apiVersion\": \"v1\",\n"), "{pretty}");
    let none: Value = serde_json::from_str(&body("labelSelector=third=9", "")).unwrap();
    assert_eq!(body("labelSelector=third=9", "application/yaml"), yaml::to_yaml(&none));
    assert!(body("labelSelector=third=9&pretty=true", "").contains("\"items\": []\n"));
    for form in ["PartialObjectMetadataList", "Table"] {
        let accept = format!("application/json;as={form};g=meta.k8s.io;v=v1");
        let all: Value = serde_json::from_str(&body("", &accept)).unwrap();
        let rows = all.get("rows").or(all.get("items")).unwrap().as_array().unwrap();
        assert_eq!(rows.len(), MAPS);
        let last = rows.last().unwrap();
        let object = last.get("object").unwrap_or(last);
        assert_eq!(object["kind"], "PartialObjectMetadata");
        assert_eq!(object["metadata"], list["items"][MAPS - 1]["metadata"]);
        let as_yaml = body("", &accept.replace("json", "yaml"));
        assert_eq!(as_yaml, yaml::to_yaml(&all));
    }
}

#[test]
fn clients_share_the_texts_that_they_read() {
    let mut api = filled();
    let mut cache = TextCache::default();
    let longest = |piece: Piece| {
        let texts = piece.into_texts();
        texts.iter().max_by_key(|t| t.len()).map(|t| t.as_ptr_range()).unwrap()
    };
    let mut first = begin(&mut api, "limit=10", "");
    let mut second = begin(&mut api, "limit=10&labelSelector=third!=7", "");
    let mut watch = begin(&mut api, "watch=1&fieldSelector=metadata.name=m0009", "");
    let one = longest(first.more(&api, &NoKubelets, &mut cache));
    assert_eq!(one, longest(second.more(&api, &NoKubelets, &mut cache)));
    let event = longest(watch.more(&api, &NoKubelets, &mut cache));
    assert_eq!(one.end, event.end);
}

#[test]
fn a_list_is_of_one_moment_however_slowly_it_is_read() {
    let mut api = filled();
    let mut cache = TextCache::default();
    let mut stream = begin(&mut api, "", "");
    let mut whole = text(stream.more(&api, &NoKubelets, &mut cache));
    for i in [1, 250] {
        let path = format!("{PATH}/m{i:04}");
        http(&mut api, &HttpRequest { method: "DELETE".into(), path, ..HttpRequest::default() });
    }
    while !stream.ended() {
        whole.push_str(&text(stream.more(&api, &NoKubelets, &mut cache)));
    }
    assert_eq!(names(&serde_json::from_str(&whole).unwrap()).len(), MAPS);
}

#[test]
fn a_watch_goes_on_from_the_moment_its_beginning_is_of() {
    let mut api = filled();
    let mut cache = TextCache::default();
    let query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut watch = begin(&mut api, query, "");
    let mut told = events(watch.more(&api, &NoKubelets, &mut cache));
    let path = format!("{PATH}/m0299");
    http(&mut api, &HttpRequest { method: "DELETE".into(), path, ..HttpRequest::default() });
    create(&mut api, PATH, &map(MAPS));
    loop {
        let piece = watch.more(&api, &NoKubelets, &mut cache);
        if piece.is_empty() {
            break;
        }
        told.extend(events(piece));
    }
    let event = |kind: &str, i: usize| (kind.to_owned(), format!("m{i:04}"));
    let mut want: Vec<_> = (0..MAPS).map(|i| event("ADDED", i)).collect();
    want.push(("BOOKMARK".into(), String::new()));
    want.extend([event("DELETED", 299), event("ADDED", MAPS)]);
    assert_eq!(told, want);
}

#[test]
fn what_was_missed_comes_in_pieces_too() {
    let mut api = filled();
    let mut cache = TextCache::default();
    let mut watch = begin(&mut api, "watch=1&resourceVersion=2", "");
    let first = watch.more(&api, &NoKubelets, &mut cache);
    assert!(first.len() < 40 * 1024);
    let mut told = events(first).len();
    loop {
        let piece = watch.more(&api, &NoKubelets, &mut cache);
        if piece.is_empty() {
            break;
        }
        told += events(piece).len();
    }
    assert!(told >= MAPS - 1, "{told}");
}

#[test]
fn parts_of_all_namespaces_leave_nothing_out() {
    let mut api = ApiServer::new(1);
    // `-` comes before the `/` that stands between namespace and name.
    for namespace in ["a", "a-b", "b"] {
        create(&mut api, "/api/v1/namespaces", &json!({"metadata": {"name": namespace}}));
        let path = format!("/api/v1/namespaces/{namespace}/configmaps");
        create(&mut api, &path, &json!({"metadata": {"name": "m"}}));
    }
    let (mut found, mut token) = (0, String::new());
    loop {
        let query = format!("limit=1&continue={token}");
        let body = http(&mut api, &get("/api/v1/configmaps", &query, "")).body;
        let part: Value = serde_json::from_str(&body).unwrap();
        found += names(&part).len();
        token = part["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(found, 3);
}
