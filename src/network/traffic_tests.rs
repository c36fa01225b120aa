#![allow(clippy::unwrap_used)]
use super::*;
use crate::api::Key;
use crate::network::Response;

const START: Timestamp = Timestamp::UNIX_EPOCH;

fn millis(n: i64) -> Timestamp {
    later(START, SignedDuration::from_millis(n))
}

fn names() -> Names {
    let conf = "search ns.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n";
    Names { conf: ResolvConf::parse(conf), hosts: "127.0.0.1 localhost\n".into() }
}

fn client(text: &str) -> Client {
    Client::parse(text).unwrap().remove(0)
}

fn served(port: u16, status: u16, takes: i64) -> Reply {
    let takes = SignedDuration::from_millis(takes);
    let response = Response {
        status,
        server: "".into(),
        content_type: "".into(),
        body: "".into(),
        takes,
        since: Some(START),
        work: None,
        location: "".into(),
    };
    let endpoint = Some(([10, 244, 0, 1], port).into());
    Reply { endpoint, ..Reply::of_all(Outcome::Answered(Rc::new(response)), Because::Nothing) }
}

fn refused(port: u16) -> Reply {
    let endpoint = Some(([10, 244, 0, 1], port).into());
    Reply { endpoint, stale: true, ..Reply::of_all(Outcome::Refused, Because::Stopping) }
}

/// Answers to a client for `web`, of which the last question becomes another one at some moments.
fn answers(c: &Client, all: &[(i64, Vec<Reply>)]) -> BTreeMap<Question, Answers> {
    let mut out = BTreeMap::new();
    while let Some(question) = c.open(&names(), &out, START) {
        let history = match &question {
            Question::Lookup { name, .. } => {
                let addresses: Vec<IpAddr> = match &**name {
                    "web.ns.svc.cluster.local" => vec!["10.96.0.7".parse().unwrap()],
                    _ => Vec::new(),
                };
                let exists = !addresses.is_empty();
                vec![(START, Answer::Records(Some(Records { exists, addresses, ..Records::default() })))]
            }
            _ => all
                .iter()
                .map(|(at, replies)| {
                    (millis(*at), Answer::Replies { replies: replies.clone().into(), seed: 9 })
                })
                .collect(),
        };
        out.insert(question, history);
    }
    out
}

fn sending<'a>(
    client: &'a Client,
    names: &'a Names,
    answers: &'a BTreeMap<Question, Answers>,
    ended: &'a [Ended],
) -> Sending<'a> {
    Sending { client, names, answers, ended, start: START }
}

#[test]
fn clients_are_read() {
    let c = client("20/s http://web:8080/x timeout=500ms retries=2");
    assert_eq!(
        (c.requests, c.url.authority(), c.timeout.as_millis(), c.retries),
        (20, "web:8080".into(), 500, 2)
    );
    assert_eq!(Client::parse("1/s a; 2/m b").unwrap().len(), 2);
    for (text, why) in [
        ("20 http://web", "\"20\" is no rate: expected for example 20/s or 30/m"),
        ("0/s web", "\"0\" is no number of requests between 1 and 10000"),
        ("5/s ftp://web", "\"ftp://web\" is no URL of HTTP"),
        ("5/s web retries=x", "\"retries=x\" is none of timeout=DURATION, retries=NUMBER and host=NAME"),
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
fn costly(pod: &str, share: u32, millis: i64) -> Reply {
    let Reply { outcome: Outcome::Answered(response), .. } = served(1, 200, 0) else { panic!() };
    let work = Work { pod: Key::new("ns", pod), container: "web".into(), cpu: millis * 1_000_000 };
    let response = Response { work: Some(work), ..(*response).clone() };
    Reply { share, ..Reply::of_all(Outcome::Answered(Rc::new(response)), Because::Nothing) }
}

#[test]
fn what_answers_cost_is_rate_times_share_times_price() {
    let of = |text: &str, replies: Vec<Reply>| {
        let c = client(text);
        let all = answers(&c, &[(0, replies)]);
        let (names, ended) = (names(), []);
        let work = sending(&c, &names, &all, &ended).work(millis(5));
        work.iter().map(|(w, cpu)| format!("{} {}m", w.pod.name, *cpu as f64 / 1e6)).collect::<Vec<_>>()
    };
    assert_eq!(of("20/s http://web", vec![costly("a", 1, 5)]), ["a 100m"]);
    assert_eq!(of("20/s http://web", vec![costly("a", 3, 5), costly("b", 1, 5)]), ["a 75m", "b 25m"]);
    assert_eq!(of("30/m http://web", vec![costly("a", 1, 500), refused(2)]), ["a 125m"]);
    assert!(of("20/s http://web", vec![served(1, 200, 0)]).is_empty());
}

#[test]
fn each_request_is_counted_once() {
    let c = client("20/s http://web/");
    let two = vec![served(1, 200, 0), served(2, 200, 0)];
    let lossy = vec![served(1, 200, 0), refused(2)];
    let all = answers(&c, &[(0, two), (1000, lossy), (1500, vec![served(1, 200, 0)])]);
    let (names, ended) = (names(), []);
    let sending = sending(&c, &names, &all, &ended);
    let counted = |from, to| sending.count(millis(from), millis(to));
    let whole = counted(0, 10_000);
    assert_eq!(whole.sent, 200);
    assert_eq!(whole.answered.values().sum::<u64>() + whole.losses(), 200);
    assert_eq!(whole.losses(), 5, "half of the ten in between: {whole:?}");
    let first = whole.first.unwrap();
    assert_eq!((first.cause, first.stale), (Cause::Refused(Because::Stopping), true));
    assert!(first.at >= millis(1000) && first.at < millis(1500));
    // However the time is divided, the sums are the same.
    for step in [1, 37, 50, 333, 1000] {
        let (mut sent, mut lost, mut from) = (0, 0, 0);
        while from < 10_000 {
            let to = (from + step).min(10_000);
            let part = counted(from, to);
            sent += part.sent;
            lost += part.losses();
            from = to;
        }
        assert_eq!((sent, lost), (200, 5), "{step}");
    }
}

#[test]
fn errors_and_slow_answers_are_losses_and_retries_save_requests() {
    let lost = |text: &str, replies: Vec<Reply>| {
        let c = client(text);
        let (names, all) = (names(), answers(&c, &[(0, replies)]));
        sending(&c, &names, &all, &[]).count(START, millis(1000)).lost
    };
    assert_eq!(lost("10/s web", vec![served(1, 503, 0)]), [(Cause::Status(503), 10)].into());
    assert_eq!(lost("10/s web", vec![served(1, 404, 0)]), [].into());
    assert_eq!(lost("10/s web timeout=1s", vec![served(1, 200, 1500)]), [(Cause::TooSlow, 10)].into());
    let half = || vec![served(1, 200, 0), refused(2)];
    assert_eq!(lost("10/s web", half()), [(Cause::Refused(Because::Stopping), 5)].into());
    assert_eq!(lost("10/s web retries=3", half()), [].into());
    assert_eq!(lost("10/s wbe", half()), [(Cause::NoSuchName, 10)].into());
}

#[test]
fn requests_in_flight_are_lost_with_the_process_that_answers_them() {
    // Answers take 400 ms; the server ends at 2 s, and the rules lead to another one from 1 s on.
    let c = client("10/s http://web/");
    let all = answers(&c, &[(0, vec![served(1, 200, 400)]), (1000, vec![served(2, 200, 400)])]);
    let names = names();
    let lost = |address: u16, since: i64, at: i64| {
        let ended =
            [Ended { address: ([10, 244, 0, 1], address).into(), since: millis(since), at: millis(at) }];
        let counts = sending(&c, &names, &all, &ended).count(START, millis(3000));
        assert_eq!((counts.sent, counts.answered.values().sum::<u64>()), (30, 30 - counts.losses()));
        counts.lost.get(&Cause::Broken).copied().unwrap_or_default()
    };
    assert_eq!(lost(1, 0, 700), 4, "sent after 300 ms until 700 ms");
    assert_eq!(lost(1, 0, 1200), 1, "sent at 900 ms; what is sent from 1 s on meets the other one");
    assert_eq!(lost(1, 0, 2000), 0);
    assert_eq!(lost(1, 5, 700), 0, "another process had been there before");
    assert_eq!(lost(2, 0, 2000), 4);
    // A client that sends again meets the other one.
    let c = Client { retries: 1, ..c };
    let ended = [Ended { address: ([10, 244, 0, 1], 1).into(), since: START, at: millis(1200) }];
    assert_eq!(sending(&c, &names, &all, &ended).count(START, millis(3000)).losses(), 0);
}

/// nginx' `proxy_next_upstream error`: an endpoint that ends before it has answered is followed by the next one, and without another one the
/// client gets 502.
#[test]
fn a_proxy_asks_another_endpoint_when_one_ends_while_it_answers() {
    let c = client("10/s http://web host=shop.example");
    let other: SocketAddr = ([10, 244, 0, 2], 1).into();
    let ended = [Ended { address: ([10, 244, 0, 1], 1).into(), since: START, at: millis(1200) }];
    for (next, lost) in [(Some(other), None), (None, Some(Cause::Status(502)))] {
        let via = crate::network::question::Via {
            pod: Key::new("ingress-nginx", "controller"),
            at: ([10, 244, 0, 9], 80).into(),
            place: super::super::ingress::Place {
                host: "shop.example".into(),
                rule: None,
                ingress: None,
                service: None,
            },
            lack: None,
            asked: None,
            failed: Vec::new(),
            next,
        };
        let reply = Reply { via: Some(Rc::new(via)), ..served(1, 200, 500) };
        let all = answers(&c, &[(0, vec![reply])]);
        assert!(all.keys().any(|q| matches!(q, Question::Fetch { host, .. } if &**host == "shop.example")));
        let names = names();
        let counts = sending(&c, &names, &all, &ended).count(START, millis(2000));
        assert_eq!(counts.sent, 20);
        assert_eq!(counts.answered.get(&next).copied(), next.map(|_| 5));
        assert_eq!(counts.lost, lost.map(|cause| (cause, 5)).into_iter().collect());
    }
}
