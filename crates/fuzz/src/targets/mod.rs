//! The places at which text from outside comes into the library.

mod cel;
mod lessons;
mod lines;
mod links;
mod manifests;
mod messages;
mod orders;
mod patches;
mod protobuf;
mod requests;
mod scripts;
mod words;

pub(crate) use orders::link;

use crate::heard::Heard;
use crate::mutate::Form;
use crate::seeds;

/// A place at which text from outside comes in.
#[derive(Debug)]
pub struct Target {
    /// Its name in command lines, and that of the folder of its kept inputs.
    pub name: &'static str,
    /// What its inputs are.
    pub what: &'static str,
    /// How many executions a short run has.
    pub short: u64,
    pub(crate) form: Form,
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    pub(crate) run: fn(&[u8], &mut Heard),
}

/// All targets.
pub fn targets() -> &'static [Target] {
    TARGETS
}

const TARGETS: &[Target] = &[
    Target {
        name: "words",
        what: "small languages: amounts, durations, times, schedules, selectors, patterns, paths, templates, URLs",
        short: 2_000,
        form: Form::Text(words::WORDS),
        seeds: words::seeds,
        run: words::run,
    },
    Target {
        name: "manifests",
        what: "YAML in the editor: read, written, applied, imported, and what the cluster makes of it",
        short: 20,
        form: Form::Yaml,
        seeds: manifests::seeds,
        run: manifests::run,
    },
    Target {
        name: "requests",
        what: "requests to the API server, a few after each other",
        short: 60,
        form: Form::Json,
        seeds: || values(seeds::requests(&["0", "1", "20", "3"])),
        run: requests::run,
    },
    Target {
        name: "protobuf",
        what: "bodies of requests in Protobuf",
        short: 150,
        form: Form::Bytes,
        seeds: protobuf::seeds,
        run: protobuf::run,
    },
    Target {
        name: "definitions",
        what: "CustomResourceDefinitions with their schemas and rules, policies, and objects of these kinds",
        short: 25,
        form: Form::Json,
        seeds: || values(seeds::requests(&["21", "22", "23", "24", "25", "26", "27", "28", "29", "30"])),
        run: requests::run,
    },
    Target {
        name: "patches",
        what: "patches of all sorts: what they make of an object, and what they are made of",
        short: 200,
        form: Form::Json,
        seeds: patches::seeds,
        run: patches::run,
    },
    Target {
        name: "cel",
        what: "expressions: read, checked, estimated and evaluated",
        short: 150,
        form: Form::Text(cel::WORDS),
        seeds: || bytes(seeds::expressions()),
        run: cel::run,
    },
    Target {
        name: "links",
        what: "links, and the runs that they repeat",
        short: 6,
        form: Form::Json,
        seeds: links::seeds,
        run: links::run,
    },
    Target {
        name: "messages",
        what: "messages between the page, its engine and its explorer",
        short: 2,
        form: Form::Json,
        seeds: messages::seeds,
        run: messages::run,
    },
    Target {
        name: "lines",
        what: "command lines of kubectl, and how they can go on",
        short: 40,
        form: Form::Text(lines::WORDS),
        seeds: || bytes(seeds::lines()),
        run: lines::run,
    },
    Target {
        name: "scripts",
        what: "scripts that containers and the terminal run",
        short: 60,
        form: Form::Text(scripts::WORDS),
        seeds: || bytes(seeds::scripts().into_iter().chain(scripts::more())),
        run: scripts::run,
    },
    Target {
        name: "lessons",
        what: "files of lessons and scenarios, and the plays of lessons",
        short: 4,
        form: Form::Yaml,
        seeds: lessons::seeds,
        run: lessons::run,
    },
    Target {
        name: "orders",
        what: "whole runs: manifests, command lines, faults and orders of actions; invariants after every step",
        short: 2,
        form: Form::Json,
        seeds: orders::seeds,
        run: orders::run,
    },
];

fn bytes(texts: impl IntoIterator<Item = String>) -> Vec<Vec<u8>> {
    texts.into_iter().map(String::into_bytes).collect()
}

fn values(values: Vec<serde_json::Value>) -> Vec<Vec<u8>> {
    values.into_iter().map(|v| v.to_string().into_bytes()).collect()
}
