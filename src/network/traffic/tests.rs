#![allow(clippy::unwrap_used)]
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use jiff::SignedDuration;

use super::*;
use crate::api::{Key, Kind, ObjectRef, Timestamp, later};
use crate::network::dns::Records;
use crate::network::passing::{Place, Whose};
use crate::network::question::{Behind, Via};
use crate::network::resolver::ResolvConf;
use crate::network::serving::{ErrorRate, Errors, Life, Process, Serving};
use crate::network::{Answer, Because, Outcome, Question, Reply, Response};

mod keeping;

const START: Timestamp = Timestamp::UNIX_EPOCH;

fn millis(n: i64) -> Timestamp {
    later(START, SignedDuration::from_millis(n))
}

fn names() -> Names {
    let conf = "search ns.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n";
    Names { conf: ResolvConf::parse(conf), hosts: "127.0.0.1 localhost\n".into() }
}

/// A client; with `alone` behind it, one that sends nothing while it waits.
fn client(text: &str) -> Client {
    let alone = text.strip_suffix(" alone");
    let client = Client::parse(alone.unwrap_or(text)).unwrap().remove(0);
    Client { one_at_a_time: alone.is_some(), ..client }
}

/// A server that answers at a port of the pods' address, after some milliseconds.
#[derive(Clone)]
struct Web {
    port: u16,
    status: u16,
    takes: i64,
    /// When its process started, in milliseconds.
    since: i64,
    at_once: Option<u32>,
    queue: u32,
    /// Milliseconds of CPU that an answer needs, and those that it has in 100 ms.
    cpu: i64,
    quota: Option<i64>,
    drains: bool,
    requests: Option<u32>,
    share: u32,
    errors: Option<Errors>,
}

fn web(port: u16, takes: i64) -> Web {
    let (at_once, quota, requests) = (None, None, None);
    Web {
        port,
        status: 200,
        takes,
        since: 0,
        at_once,
        queue: 511,
        cpu: 0,
        quota,
        drains: false,
        requests,
        share: 1,
        errors: None,
    }
}

const MS: i64 = 1_000_000;

impl Web {
    fn serving(&self) -> Rc<Serving> {
        let pod = Key::new("ns", &format!("web-{}", self.port));
        Rc::new(Serving {
            process: Process { pod, container: "web".into(), since: millis(self.since) },
            node: "node".into(),
            cpu: self.cpu * MS,
            quota: self.quota.map(|q| q * MS),
            at_once: self.at_once,
            queue: self.queue,
            idle: None,
            requests: self.requests,
            drains: self.drains,
            errors: self.errors,
        })
    }

    fn reply(&self) -> Reply {
        let response = Response {
            status: self.status,
            server: "".into(),
            content_type: "".into(),
            body: "".into(),
            takes: SignedDuration::from_millis(self.takes.max(self.cpu)),
            goes_on: SignedDuration::ZERO,
            by: Some(self.serving()),
            location: "".into(),
            headers: Default::default(),
        };
        let endpoint = Some(([10, 244, 0, 1], self.port).into());
        let outcome = Outcome::Answered(Rc::new(response));
        Reply { endpoint, share: self.share, ..Reply::of_all(outcome, Because::Nothing) }
    }
}

fn served(port: u16, status: u16, takes: i64) -> Reply {
    Web { status, ..web(port, takes) }.reply()
}

fn refused(port: u16) -> Reply {
    let endpoint = Some(([10, 244, 0, 1], port).into());
    Reply { endpoint, behind: Some(Behind::Rules), ..Reply::of_all(Outcome::Refused, Because::Stopping) }
}

/// What the client's requests meet, after all names were asked.
fn fate(c: &Client, replies: &[Reply]) -> Fate {
    let mut answers: BTreeMap<Question, Answers> = BTreeMap::new();
    while let Some(question) = c.open(&names(), &answers, START) {
        let answer = match &question {
            Question::Lookup { name, .. } => {
                let addresses: Vec<IpAddr> = match &**name {
                    "web.ns.svc.cluster.local" => vec!["10.96.0.7".parse().unwrap()],
                    _ => Vec::new(),
                };
                let exists = !addresses.is_empty();
                Answer::Records(Some(Records { exists, addresses, ..Records::default() }))
            }
            _ => Answer::Replies { replies: replies.into(), seed: 9 },
        };
        answers.insert(question, vec![(START, answer)]);
    }
    c.fate(&names(), &answers, START)
}

fn id(place: usize) -> StreamId {
    StreamId {
        sender: ObjectRef { kind: Kind::POD, key: Key::new("ns", "client") },
        container: "c".into(),
        place,
        start: START,
    }
}

/// Clients that all meet the same replies, and what the processes do that answer.
fn scene(clients: &[&str], replies: &[Reply], lives: &[(&Web, Life)]) -> Scene {
    let stream = |(place, text): (usize, &&str)| {
        let c = client(text);
        let fate = fate(&c, replies);
        Rc::new(Stream::new(id(place), Rc::new(c), None, fate))
    };
    let streams = clients.iter().enumerate().map(stream).collect();
    let life = |(web, life): &(&Web, Life)| (web.serving().process.clone(), (web.serving(), *life));
    Scene::new(streams, lives.iter().map(life).collect())
}

fn history(scenes: Vec<(i64, Scene)>) -> History {
    let mut history = History::default();
    scenes.into_iter().for_each(|(at, scene)| history.note(millis(at), scene));
    history
}

/// What became of the requests of the first client that were sent after a moment until another one.
fn within(history: &History, from: i64, to: i64) -> Counts {
    history.within((millis(from), millis(to)), millis(to)).counts(&id(0))
}

fn until(history: &History, to: i64) -> Counts {
    history.until(millis(to)).counts(&id(0))
}

fn by_port(counts: &Counts) -> Vec<(u16, u64)> {
    counts.answered.iter().map(|(e, n)| (e.unwrap().port(), *n)).collect()
}

fn ms(counts: &Counts, thousandths: u64) -> i128 {
    counts.took.percentile(thousandths).unwrap().as_nanos() / i128::from(MS)
}

#[test]
fn clients_are_read() {
    let c = client("20/s http://web:8080/x timeout=500ms retries=2");
    assert_eq!(
        (c.requests, c.url.authority(), c.timeout.as_millis(), c.retries),
        (20, "web:8080".into(), 500, 2)
    );
    assert_eq!(Client::parse("1/s a; 2/m b").unwrap().len(), 2);
    assert_eq!(client("1/s web host=shop.example").host.as_deref(), Some("shop.example"));
    let keep = |text: &str| client(text).keep.map(|k| (k.most, k.idle_most, k.idle.as_secs()));
    assert_eq!(keep("1/s web"), None);
    assert_eq!(keep("1/s web keep-alive"), Some((None, 2, 90)), "as DefaultTransport of net/http");
    assert_eq!(keep("1/s web idle=5s connections=4"), Some((Some(4), 4, 5)));
    for (text, why) in [
        ("20 http://web", "\"20\" is no rate: expected for example 20/s or 30/m"),
        ("0/s web", "\"0\" is no number of requests between 1 and 10000"),
        ("5/s ftp://web", "\"ftp://web\" is no URL of HTTP"),
        (
            "5/s web retries=x",
            "\"retries=x\" is none of timeout=DURATION, retries=NUMBER, host=NAME, keep-alive, connections=NUMBER or idle=DURATION",
        ),
    ] {
        assert_eq!(Client::parse(text).unwrap_err().to_string(), why);
    }
}

#[test]
fn requests_are_sent_at_regular_moments() {
    for text in ["20/s web", "3/s web", "7/m web", "1/s web"] {
        let c = client(text);
        for nth in [0, 1, 2, 50, 999] {
            let at = c.sent(START, nth);
            let before = later(at, SignedDuration::from_nanos(-1));
            assert_eq!((c.until(START, before), c.until(START, at)), (nth, nth + 1), "{text} {nth}");
        }
    }
    assert_eq!(client("20/s web").until(START, millis(1000)), 20);
}

/// A reply that costs a container of a pod so many milliseconds of CPU.
fn costly(port: u16, share: u32, cpu: i64) -> Reply {
    Web { cpu, share, ..web(port, 0) }.reply()
}

#[test]
fn what_answers_cost_is_rate_times_share_times_price() {
    let of = |text: &str, replies: &[Reply]| {
        let scene = scene(&[text], replies, &[]);
        let work = scene.streams[0].work(None);
        let said = |(by, cpu): &(Rc<Serving>, i64)| format!("{} {}m", by.process.pod.name, *cpu as f64 / 1e6);
        work.iter().map(said).collect::<Vec<_>>()
    };
    assert_eq!(of("20/s http://web", &[costly(1, 1, 5)]), ["web-1 100m"]);
    assert_eq!(of("20/s http://web", &[costly(1, 3, 5), costly(2, 1, 5)]), ["web-1 75m", "web-2 25m"]);
    assert_eq!(of("30/m http://web", &[costly(1, 1, 500), refused(2)]), ["web-1 125m"]);
    assert!(of("20/s http://web", &[served(1, 200, 0)]).is_empty());
}

#[test]
fn each_request_is_counted_once() {
    let of = |replies: &[Reply]| scene(&["20/s http://web/"], replies, &[]);
    let (two, lossy) = ([served(1, 200, 0), served(2, 200, 0)], [served(1, 200, 0), refused(2)]);
    let all = history(vec![(0, of(&two)), (1000, of(&lossy)), (1500, of(&[served(1, 200, 0)]))]);
    let whole = until(&all, 10_000);
    assert_eq!((whole.sent, whole.took.len()), (200, 195));
    assert_eq!(whole.answered.values().sum::<u64>() + whole.losses(), 200);
    assert_eq!(whole.losses(), 5, "half of the ten in between: {whole:?}");
    let first = whole.first.clone().unwrap();
    assert_eq!((first.cause, first.behind), (Cause::Refused(Because::Stopping), Some(Behind::Rules)));
    assert!(first.at >= millis(1000) && first.at < millis(1500));
    assert_eq!(
        whole.behind,
        [(Behind::Rules, 5)].into(),
        "each of them was led there by rules that were behind"
    );
    // However the time is divided, the sums are the same.
    for step in [1, 37, 50, 333, 1000] {
        let mut sum = Counts::default();
        let mut from = 0;
        while from < 10_000 {
            let to = (from + step).min(10_000);
            sum.add(within(&all, from, to));
            from = to;
        }
        assert_eq!(sum, whole, "{step}");
    }
}

/// RFC 9110, 15.5 and 15.6: an answer of the class 5xx is the server's failure, one of the class 4xx the client's own. Go's
/// `net/http/client.go`, `Client.Timeout`: it includes the answer's body. RFC 9293, 3.5.2: a closed port refuses at once. What `retries` says
/// is Steady's own (docs/behaviour.md, "Traffic").
#[test]
fn errors_and_slow_answers_are_losses_and_retries_save_requests() {
    let lost =
        |text: &str, replies: &[Reply]| until(&history(vec![(0, scene(&[text], replies, &[]))]), 1000).lost;
    assert_eq!(lost("10/s web", &[served(1, 503, 0)]), [(Cause::Status(503), 10)].into());
    assert_eq!(lost("10/s web", &[served(1, 404, 0)]), [].into());
    assert_eq!(lost("10/s web timeout=1s", &[served(1, 200, 1500)]), [(Cause::TooSlow, 10)].into());
    let half = [served(1, 200, 0), refused(2)];
    assert_eq!(lost("10/s web", &half), [(Cause::Refused(Because::Stopping), 5)].into());
    assert_eq!(lost("10/s web retries=3", &half), [].into());
    assert_eq!(lost("10/s wbe", &half), [(Cause::NoSuchName, 10)].into());
}

/// Linux' `net/ipv4/tcp.c`, `__tcp_close`, and RFC 9293, 3.5.2: when a process ends its kernel closes or resets its connections, so what it
/// has not answered is lost. conntrack keeps the connection's endpoint, whatever the rules say by then
/// (Linux' `net/netfilter/nf_nat_core.c`, `nf_nat_setup_info`: only a connection's first packet is given a translation).
#[test]
fn requests_in_flight_are_lost_with_the_process_that_answers_them() {
    // Answers take 400 ms; the rules lead to another server from 1 s on.
    let (one, two) = (web(1, 400), web(2, 400));
    let lost = |text: &str, cut: &Web, at: i64| {
        let lives = |at_: i64| {
            let all = [(&one, Life::Serves), (&two, Life::Serves)];
            all.into_iter().filter(|(w, _)| w.port != cut.port || at_ < at).collect::<Vec<_>>()
        };
        let of = |moment: i64| {
            let reply = if moment < 1000 { one.reply() } else { two.reply() };
            (moment, scene(&[text], &[reply], &lives(moment)))
        };
        let mut moments = vec![0, 1000, at];
        moments.sort_unstable();
        moments.dedup();
        let counts = until(&history(moments.into_iter().map(of).collect()), 3000);
        assert_eq!((counts.sent, counts.took.len()), (30, 30 - counts.losses()));
        counts.lost.get(&Cause::Broken).copied().unwrap_or_default()
    };
    assert_eq!(lost("10/s http://web/", &one, 700), 3, "sent after 300 ms and before 700 ms");
    assert_eq!(
        lost("10/s http://web/", &one, 1200),
        1,
        "sent at 900 ms; what is sent from 1 s on meets the other one"
    );
    assert_eq!(lost("10/s http://web/", &one, 2000), 0);
    assert_eq!(lost("10/s http://web/", &two, 2000), 3);
    // A client that sends again meets the other one.
    assert_eq!(lost("10/s http://web/ retries=1", &one, 1200), 0);
}

/// nginx' `proxy_next_upstream error`: an endpoint that ends before it has answered is followed by the next one, and without another one
/// the client gets 502.
#[test]
fn a_proxy_asks_another_endpoint_when_one_ends_while_it_answers() {
    let other: SocketAddr = ([10, 244, 0, 2], 1).into();
    let server = web(1, 500);
    for (next, lost) in [(Some(other), None), (None, Some(Cause::Status(502)))] {
        let via = Via {
            pod: Key::new("ingress-nginx", "controller"),
            at: ([10, 244, 0, 9], 80).into(),
            place: Place {
                whose: Whose::Ingress,
                host: "shop.example".into(),
                rule: None,
                of: None,
                service: None,
            },
            lack: None,
            asked: None,
            failed: Vec::new(),
            next,
        };
        let replies = [Reply { via: Some(Rc::new(via)), ..server.reply() }];
        // Also a client that keeps connections, whose connection is one to the proxy.
        for text in ["10/s http://web host=shop.example", "10/s http://web host=shop.example keep-alive"] {
            let lives = scene(&[text], &replies, &[(&server, Life::Serves)]);
            let ended = scene(&[text], &[refused(1)], &[]);
            let counts = within(&history(vec![(0, lives), (1250, ended)]), 0, 1250);
            assert_eq!(counts.sent, 12, "{text}");
            // Those of the last half second were being answered.
            assert_eq!(counts.answered.get(&next).copied(), next.map(|_| 5), "{text}");
            assert_eq!(counts.lost, lost.map(|cause| (cause, 5)).into_iter().collect(), "{text}");
        }
    }
}

/// A run is a value: what a clone of it has worked out is not seen in it where the two differ.
#[test]
fn what_a_clone_knows_of_a_later_time_is_not_taken_over() {
    let first = || (0, scene(&["10/s http://web/"], &[served(1, 200, 0)], &[]));
    let late = history(vec![first()]);
    let mut other = late.clone();
    assert_eq!(until(&late, 10_000).losses(), 0);
    other.note(millis(5000), scene(&["10/s http://web/"], &[refused(1)], &[]));
    let alone = history(vec![first(), (5000, scene(&["10/s http://web/"], &[refused(1)], &[]))]);
    for moment in [3000, 6000, 10_000, 12_000] {
        assert_eq!(until(&other, moment), until(&alone, moment), "{moment}");
    }
    assert_eq!(until(&late, 12_000).losses(), 0);
}

#[test]
fn the_first_request_of_a_window_has_the_number_of_its_rate_at_that_moment() {
    let of = |text: &str| scene(&[text], &[served(1, 200, 0)], &[]);
    let all =
        history(vec![(0, of("10/s http://web/")), (5000, of("20/s http://web/")), (8000, Scene::default())]);
    let first = |from: i64, to: i64| {
        all.first_request((millis(from), millis(to))).map(|(at, _, nth)| (at.as_millisecond(), nth))
    };
    assert_eq!(first(1000, 2000), Some((1100, 10)));
    assert_eq!(first(4950, 6000), Some((5000, 99)), "a request of the new rate");
    assert_eq!(first(6000, 7000), Some((6050, 120)));
    assert_eq!(first(8100, 9000), None, "nobody sends any more");
}

#[test]
fn requests_wait_for_a_server_that_is_busy_and_the_load_is_that_of_all_clients() {
    let busy = Web { at_once: Some(1), queue: 2, ..web(1, 100) };
    let lives = [(&busy, Life::Serves)];
    let of = |clients: &[&str]| history(vec![(0, scene(clients, &[busy.reply()], &lives))]);
    let calm = until(&of(&["5/s http://web/"]), 10_000);
    assert_eq!((calm.losses(), ms(&calm, 1000)), (0, 100));
    // Two clients send ten a second together, at the same moments.
    let both = of(&["5/s http://web/", "5/s http://web/"]).until(millis(10_000));
    let (one, two) = (both.counts(&id(0)), both.counts(&id(1)));
    assert_eq!((ms(&one, 1000), ms(&two, 500), one.losses() + two.losses()), (100, 200, 0));
    // Twenty a second are too many: the queue of two is full, and who gets in waits for it.
    let many = until(&of(&["20/s http://web/"]), 10_000);
    assert_eq!((many.sent, ms(&many, 500)), (200, 300));
    assert_eq!(many.lost.keys().collect::<Vec<_>>(), [&Cause::QueueFull]);
    assert!((95..=100).contains(&many.losses()), "{many:?}");
    // Whose client does not wait so long is lost, too; and the server works for nothing.
    let hasty = until(&of(&["20/s http://web/ timeout=250ms"]), 10_000);
    assert!(hasty.lost.contains_key(&Cause::TooSlow) && hasty.losses() > 190, "{hasty:?}");
}

/// `cpu.max`: 20 ms in each 100 ms are 200m. An answer that needs 5 ms is fast as long as few are asked for. The kernel's
/// `Documentation/admin-guide/cgroup-v2.rst` and `Documentation/scheduler/sched-bwc.rst`.
#[test]
fn a_container_at_its_limit_of_cpu_answers_later() {
    let throttled = Web { cpu: 5, quota: Some(20), at_once: Some(1024), ..web(1, 0) };
    let lives = [(&throttled, Life::Serves)];
    let of = |text: &str| until(&history(vec![(0, scene(&[text], &[throttled.reply()], &lives))]), 10_000);
    let (few, more, many) = (of("20/s web"), of("40/s web"), of("60/s web timeout=1s"));
    assert_eq!((ms(&few, 1000), few.losses()), (5, 0));
    assert!(ms(&more, 1000) < 100 && more.losses() == 0, "{more:?}");
    assert!(ms(&many, 500) > 200 && many.lost.contains_key(&Cause::TooSlow), "{many:?}");
}

/// What is counted in one go is the same as what is followed request by request.
#[test]
fn both_ways_come_to_the_same_counts() {
    let roomy = Web { at_once: Some(50), ..web(1, 120) };
    let tight = Web { at_once: Some(2), queue: 3, ..web(2, 90) };
    let throttled = Web { cpu: 4, quota: Some(30), at_once: Some(1024), ..web(3, 20) };
    let (plain, failing) = (web(4, 35), Web { status: 500, ..web(5, 10) });
    let all = [&roomy, &tight, &throttled, &plain, &failing];
    let lives: Vec<_> = all.iter().map(|w| (*w, Life::Serves)).collect();
    let without = |port: u16| lives.iter().copied().filter(|(w, _)| w.port != port).collect::<Vec<_>>();
    let replies = |ports: &[u16]| ports.iter().map(|p| all[usize::from(*p) - 1].reply()).collect::<Vec<_>>();
    let (dead, mixed) = (refused(6), replies(&[1, 2, 3, 4, 5]));
    let nothing = [
        vec!["37/s http://web/"],
        vec!["37/s http://web/ timeout=100ms", "90/m http://web/ keep-alive"],
        vec![
            "20/s http://web/ retries=2",
            "11/s http://wbe/",
            "50/s http://web/ connections=3 timeout=300ms",
        ],
        vec!["300/s http://web/", "7/m http://web/"],
        vec!["10/s http://web/ alone", "37/s http://web/ alone", "3/s http://web/ timeout=100ms alone"],
    ];
    for clients in &nothing {
        let of = |replies: &[Reply], lives: &[(&Web, Life)]| scene(clients, replies, lives);
        let scenes = vec![
            (0, of(&replies(&[1, 4]), &lives)),
            (2300, of(&replies(&[4]), &lives)),
            (5100, of(&[replies(&[1, 3]), vec![dead.clone()]].concat(), &without(4))),
            (5150, of(&mixed, &lives)),
            (9000, of(&replies(&[2]), &without(1))),
            (12_000, of(&replies(&[3]), &lives)),
            (16_500, of(&replies(&[1, 2, 3, 4]), &lives)),
        ];
        let all = history(scenes.clone());
        let seen = |ledger: &Ledger| {
            let counts: Vec<Counts> = (0..clients.len()).map(|place| ledger.counts(&id(place))).collect();
            let mut rows: BTreeMap<i64, Row> = BTreeMap::new();
            for (first, seconds, row) in ledger.rows().flat_map(|(_, rows)| rows.iter()) {
                for second in (0..seconds).zip(first..).map(|(_, second)| second) {
                    rows.entry(second).or_default().merge(row, 1);
                }
            }
            rows.retain(|_, row| *row != Row::default());
            (counts, rows)
        };
        let whole = all.until(millis(20_000));
        let followed = RequestTrace { stream: id(99), nth: 0, steps: Vec::new() };
        let each = all.one_by_one(followed, millis(20_000));
        assert_eq!(seen(&whole), seen(&each), "{clients:?}");
        for (counts, _) in (0..clients.len()).map(|place| (whole.counts(&id(place)), ())) {
            assert_eq!(counts.sent, counts.took.len() + counts.losses());
        }
        // Asked at every step, it comes to the same.
        let stepped = history(scenes);
        let mut at = 0;
        while at < 20_000 {
            at += 270;
            stepped.until(millis(at));
        }
        assert_eq!(seen(&stepped.until(millis(20_000))), seen(&whole));
    }
}

/// A loop of a shell asks a server that has become slow as often as the server answers, and one that is gone as often as it gives up
/// (127 s, `tcp_syn_retries` of Linux).
#[test]
fn who_waits_for_an_answer_sends_nothing_meanwhile() {
    let (quick, slow) = (web(1, 50), web(2, 350));
    let lives = [(&quick, Life::Serves), (&slow, Life::Serves)];
    let gone = Reply::of_all(Outcome::TimedOut, Because::CutOff);
    let of = |replies: &[Reply]| scene(&["10/s http://web/ timeout=900s alone"], replies, &lives);
    let all = history(vec![(0, of(&[quick.reply()])), (10_000, of(&[slow.reply()])), (20_000, of(&[gone]))]);
    assert_eq!(within(&all, 0, 10_000).sent, 100);
    // Every fourth moment of the client comes after the answer to the last request.
    assert_eq!(within(&all, 10_000, 20_000).sent, 25);
    // A third one is under way by then.
    assert_eq!(within(&all, 20_000, 280_000).sent, 2);
}

/// A process that is killed closes its sockets. Of one whose data it had read the kernel sends a `FIN`, so the client reads the end of
/// the data (curl: `(52) Empty reply from server`); of one with data that nobody had read it sends a `RST` (curl: `(56) Recv failure:
/// Connection reset by peer`). Linux' `net/ipv4/tcp.c`, `__tcp_close`; RFC 2525, section 2.17; libcurl-errors(3).
#[test]
fn what_a_killed_process_had_not_read_is_reset() {
    let one = Web { at_once: Some(1), queue: 10, ..web(1, 1000) };
    let text = ["10/s http://web/ timeout=5s"];
    let lost = |text: &[&str]| {
        let alive = scene(text, &[one.reply()], &[(&one, Life::Serves)]);
        let counts = until(&history(vec![(0, alive), (550, scene(text, &[served(2, 200, 0)], &[]))]), 2000);
        assert_eq!(counts.took.len() + counts.losses(), 20);
        counts.lost
    };
    // Five were sent: the first is being answered, and the others wait.
    assert_eq!(lost(&text), [(Cause::Broken, 1), (Cause::Reset, 4)].into());
    assert_eq!(lost(&["10/s http://web/ timeout=5s retries=1"]), [].into());
    let closes = |outcome: Outcome| {
        let reply =
            Reply { endpoint: Some(([10, 244, 0, 1], 1).into()), ..Reply::of_all(outcome, Because::Nothing) };
        until(&history(vec![(0, scene(&["10/s http://web/"], &[reply], &[]))]), 1000).lost
    };
    assert_eq!(closes(Outcome::Closed), [(Cause::NoHttp, 10)].into());
    assert_eq!(closes(Outcome::Connected), [(Cause::NoHttp, 10)].into());
}

#[test]
fn a_request_is_followed() {
    let (slow, other) = (web(1, 400), web(2, 0));
    let lives = [(&slow, Life::Serves), (&other, Life::Serves)];
    let all = history(vec![
        (0, scene(&["2/s http://web/ retries=1"], &[slow.reply()], &lives)),
        (1200, scene(&["2/s http://web/ retries=1"], &[other.reply()], &lives[1..])),
    ]);
    let request = RequestTrace { stream: id(0), nth: 1, steps: Vec::new() };
    let told = all.follow(request, millis(1000), millis(5000)).unwrap();
    let said = |(at, step): &(Timestamp, Step)| {
        let what = match step {
            Step::Opens(reply) => format!("opens {}", reply.endpoint.unwrap().port()),
            other => format!("{other:?}"),
        };
        format!("{} {what}", at.as_millisecond())
    };
    assert_eq!(
        told.steps.iter().map(said).collect::<Vec<_>>(),
        ["1000 opens 1", "1200 Again(Broken, false)", "1200 opens 2", "1200 Answered(200)"]
    );
}
