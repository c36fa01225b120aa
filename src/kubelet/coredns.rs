//! CoreDNS as the process of a container: what it prints, when it ends, where it listens, and which configuration it answers
//! with ([`crate::network::coredns`]).
//!
//! The Corefile is read when the process starts. With the plugin `reload` it is read again at the first look after the file
//! has changed, as the history of the process' files says it has; whoever changes mounted files has nothing to tell to anybody here.

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::duration::go_duration;
use crate::api::{Timestamp, later};
use crate::network::Protocol;
use crate::network::coredns::{Configuration, DEFAULT, Finds, PORT};
use crate::shell::{End, Files, Listens, Node, Output, Program, Run, STOPS_AFTER, Until, absolute};

/// What CoreDNS 1.14.2 says of itself when it starts, after its version.
const BUILD: (&str, &str) = ("1.14.2", "linux/amd64, go1.26.1, dd1df4f");

/// The most changes of a Corefile that a process follows.
const RELOADS_LIMIT: usize = 256;

/// Whether a program is CoreDNS.
pub(super) fn is(words: &[String]) -> bool {
    words.first().is_some_and(|w| w.rsplit('/').next() == Some("coredns"))
}

/// A configuration, and since when CoreDNS answers with it.
pub(super) type Since = (Timestamp, Rc<Configuration>);

/// The files that CoreDNS finds.
pub(super) struct Found<'a> {
    /// With their history.
    pub(super) files: &'a Files,
    /// As they are when it starts.
    pub(super) first: &'a Files,
}

/// What becomes of CoreDNS.
pub(super) struct Life {
    configurations: Vec<Since>,
    output: Vec<Output>,
    /// When it has failed.
    failed: Option<Timestamp>,
}

/// The value of an option, which begins with one dash or with two.
fn option<'a>(program: &'a Program, name: &str) -> Option<&'a str> {
    let mut words = program.words.iter().skip(1);
    while let Some(word) = words.next() {
        let flag = word.trim_start_matches('-');
        match flag.split_once('=') {
            Some((flag, value)) if flag == name => return Some(value),
            None if flag == name => return words.next().map(String::as_str),
            _ => {}
        }
    }
    None
}

fn text_at(files: &Files, path: &str, at: Timestamp) -> Option<String> {
    match files.at(path, at) {
        Some(Node::File(text)) => Some(text),
        _ => None,
    }
}

impl Life {
    fn say(&mut self, at: Timestamp, stderr: bool, line: &str) {
        self.output.push(Output { at, stderr, text: format!("{line}\n") });
    }

    fn say_lameduck(&mut self, at: Timestamp, lameduck: SignedDuration) {
        if !lameduck.is_zero() {
            let time = go_duration(lameduck);
            self.say(at, false, &format!("[INFO] plugin/health: Going into lameduck mode for {time}"));
        }
    }

    pub(super) fn of(program: &Program, found: &Found<'_>, version: &str) -> Life {
        let (start, files) = (program.start, found.files);
        let mut life = Life { configurations: Vec::new(), output: Vec::new(), failed: None };
        let given = option(program, "conf");
        let port = option(program, "dns.port").or_else(|| option(program, "p"));
        let port = port.and_then(|p| p.parse().ok()).unwrap_or(PORT);
        let path = absolute(&program.directory, given.unwrap_or("Corefile"));
        let text = match (text_at(found.first, &path, start), given) {
            (Some(text), _) => text,
            (None, None) => DEFAULT.to_owned(),
            (None, Some(given)) => {
                let why = format!("loading Caddyfile via flag: open {given}: no such file or directory");
                life.say(start, true, &why);
                life.failed = Some(start);
                return life;
            }
        };
        let read = |text: &str, files: &Files, at: Timestamp| {
            let other = |path: &str| text_at(files, &absolute(&program.directory, path), at);
            let finds = Finds { file: given.unwrap_or("Corefile"), port, env: &program.env, read: &other };
            Configuration::read(text, &finds)
        };
        let first = match read(&text, found.first, start) {
            Ok(first) => first,
            Err(why) => {
                life.say(start, true, &why);
                life.failed = Some(start);
                return life;
            }
        };
        life.say(
            start,
            true,
            &format!("maxprocs: Leaving GOMAXPROCS={}: CPU quota undefined", program.processors),
        );
        for name in first.names() {
            life.say(start, false, &name);
        }
        let running = |c: &Configuration| {
            let checksum = &c.checksum;
            c.reloads().map(|_| format!("[INFO] plugin/reload: Running configuration SHA512 = {checksum}"))
        };
        if let Some(line) = running(&first) {
            life.say(start, false, &line);
        }
        life.say(start, false, &format!("CoreDNS-{version}"));
        if version == BUILD.0 {
            life.say(start, false, BUILD.1);
        }
        if let Some(line) = first.loop_found() {
            life.say(start, false, &line);
            life.failed = Some(start);
            return life;
        }
        let mut interval = first.reloads();
        life.configurations.push((start, Rc::new(first)));
        // The looks are counted from the start; of several changes between two looks the last one is seen.
        let mut next = match text_at(files, &path, start) {
            Some(now) if now != text => Some(start),
            _ => files.next_change(&path, start),
        };
        let mut seen = text;
        for _ in 0..RELOADS_LIMIT {
            let (Some(every), Some(change)) = (interval, next) else { break };
            let look = next_look(start, every, change);
            next = files.next_change(&path, look);
            let Some(text) = text_at(files, &path, look).filter(|text| *text != seen) else { continue };
            seen.clone_from(&text);
            life.say(look, false, "[INFO] Reloading");
            // The plugin `health` waits before its successor starts, and also where there will be none.
            let lameduck = life.at(look).map(|(_, c)| c.lameduck()).unwrap_or_default();
            life.say_lameduck(look, lameduck);
            let then = later(look, lameduck);
            match read(&text, files, look) {
                Ok(new) => {
                    if let Some(line) = running(&new) {
                        life.say(then, false, &line);
                    }
                    life.say(then, false, "[INFO] Reloading complete");
                    interval = new.reloads();
                    life.configurations.push((then, Rc::new(new)));
                }
                Err(why) => {
                    life.say(then, false, &format!("[ERROR] Restart failed: {why}"));
                    let failed = "[ERROR] plugin/reload: Corefile changed but reload failed";
                    life.say(
                        then,
                        false,
                        &format!("{failed}: starting with listener file descriptors: {why}"),
                    );
                }
            }
        }
        life
    }

    pub(super) fn at(&self, at: Timestamp) -> Option<&Since> {
        self.configurations.iter().rev().find(|(since, _)| *since <= at)
    }
}

/// The first look of `reload` at a moment or after it. There is none at the start.
fn next_look(start: Timestamp, every: SignedDuration, at: Timestamp) -> Timestamp {
    let (passed, every) = (at.duration_since(start).as_nanos().max(0), every.as_nanos().max(1));
    let looks = ((passed + every - 1) / every).max(1);
    later(start, SignedDuration::from_nanos(i64::try_from(looks * every).unwrap_or(i64::MAX)))
}

/// What becomes of CoreDNS with the files that it finds.
pub(super) fn run(program: &Program, found: &Found<'_>, version: &str, until: Until) -> Run {
    let mut life = Life::of(program, found, version);
    let moment = match until {
        Until::End => None,
        Until::Moment(moment) => Some(moment),
    };
    let mut end = life.failed.map(|at| (at, 1));
    if program.words.iter().skip(1).any(|w| w.trim_start_matches('-') == "version") {
        let text = format!("CoreDNS-{version}\n");
        life.output = vec![Output { at: program.start, stderr: false, text }];
        end = Some((program.start, 0));
    }
    if let Some(signal) = program.signal.filter(|_| end.is_none()) {
        let lameduck = life.at(signal).map(|(_, c)| c.lameduck()).unwrap_or_default();
        life.say(signal, false, "[INFO] SIGTERM: Shutting down servers then terminating");
        life.say_lameduck(signal, lameduck);
        end = Some((later(signal, lameduck.max(STOPS_AFTER)), 0));
    }
    let last = end.map(|(at, _)| at).into_iter().chain(moment).min();
    life.output.retain(|o| last.is_none_or(|last| o.at <= last));
    let mut listens: Vec<Listens> = Vec::new();
    for (from, configuration) in &life.configurations {
        let dns = configuration.ports().into_iter();
        let dns = dns.flat_map(|port| [(port, Protocol::Udp), (port, Protocol::Tcp)]);
        let http = configuration.http_ports().into_iter().map(|(port, _)| (port, Protocol::Tcp));
        for (port, protocol) in dns.chain(http) {
            if !listens.iter().any(|l| (l.port, l.protocol) == (port, protocol)) {
                listens.push(Listens { from: *from, port, protocol });
            }
        }
    }
    Run {
        reads: false,
        end: match end.filter(|(at, _)| moment.is_none_or(|moment| *at <= moment)) {
            Some((at, code)) => End::Exit(at, code),
            None => End::Runs,
        },
        certain: true,
        asked: Default::default(),
        open: None,
        listens,
        cycles: Vec::new(),
        files: Default::default(),
        writes: Vec::new(),
        output: life.output,
        signals: Vec::new(),
        exhausted: false,
        printed: Vec::new(),
    }
}
