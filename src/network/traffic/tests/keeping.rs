//! What becomes of the requests of clients that keep their connections.

use super::*;

/// A connection stays with its endpoint while the rules lead to others: conntrack translates an established flow as it has its
/// first packet, and Go's transport takes the connection that was given back last. iptables(8): the table `nat` is consulted for
/// the first packet of a connection. `net/http/transport.go`, `queueForIdleConn` and `shouldRetryRequest`.
#[test]
fn kept_connections_outlive_a_scale_up_and_end_with_their_process() {
    let (old, new) = (web(1, 10), web(2, 10));
    let both = [(&old, Life::Serves), (&new, Life::Serves)];
    let text = ["10/s http://web/ keep-alive"];
    let all = history(vec![
        (0, scene(&text, &[old.reply()], &both[..1])),
        (1000, scene(&text, &[old.reply(), new.reply()], &both)),
        // The old one is not in the rules any more, and still runs.
        (2000, scene(&text, &[new.reply()], &both)),
        (3000, scene(&text, &[new.reply()], &both[1..])),
    ]);
    assert_eq!(by_port(&until(&all, 2999)), [(1, 29)], "the new pod gets nothing");
    let counts = until(&all, 4000);
    assert_eq!((by_port(&counts), counts.losses()), (vec![(1, 29), (2, 11)], 0));
    // A request that is cut off on its first use of a connection is lost; over one that was in use before Go sends it again.
    let (slow, other) = (web(1, 400), web(2, 400));
    let cut = |text: &str, at: i64| {
        let lives = [(&slow, Life::Serves), (&other, Life::Serves)];
        let scenes = vec![
            (0, scene(&[text], &[slow.reply()], &lives)),
            (at, scene(&[text], &[other.reply()], &lives[1..])),
        ];
        until(&history(scenes), 6000).lost
    };
    assert_eq!(cut("1/s http://web/ keep-alive", 1200), [(Cause::Broken, 1)].into());
    assert_eq!(cut("1/s http://web/ keep-alive", 2200), [].into(), "it is sent again on another connection");
    assert_eq!(cut("1/s http://web/", 2200), [(Cause::Broken, 1)].into());
}

/// The transport of net/http looks for a connection to the host before it asks for its name. `net/http/transport.go`, `getConn`.
#[test]
fn a_connection_that_is_kept_needs_no_name() {
    let one = web(1, 10);
    let lives = [(&one, Life::Serves)];
    let nameless = |text: &str| {
        let (mut lost, c) = (scene(&[text], &[one.reply()], &lives), client(text));
        let fate = Fate::Nowhere(Cause::NoSuchName);
        lost.streams = vec![Rc::new(Stream::new(id(0), Rc::new(c), None, fate))];
        until(&history(vec![(0, scene(&[text], &[one.reply()], &lives)), (1050, lost)]), 3000).losses()
    };
    assert_eq!((nameless("10/s http://web/ keep-alive"), nameless("10/s http://web/")), (0, 20));
}

/// Go's `net/http`, `Server.Shutdown`: idle connections are closed, and others when they become idle.
#[test]
fn a_server_that_drains_gives_its_connections_up() {
    let (old, new) = (Web { drains: true, ..web(1, 10) }, web(2, 10));
    let text = ["10/s http://web/ keep-alive"];
    let of = |life: Life| {
        let lives = [(&old, life), (&new, Life::Serves)];
        scene(&text, &[new.reply()], &lives)
    };
    let first = scene(&text, &[old.reply()], &[(&old, Life::Serves), (&new, Life::Serves)]);
    let drained = history(vec![(0, first.clone()), (1000, of(Life::Drains))]);
    assert_eq!(by_port(&until(&drained, 2000)), [(1, 9), (2, 11)]);
    // One that does not drain keeps on answering over them, until it is killed.
    let stays = history(vec![(0, first), (1000, of(Life::Stops))]);
    assert_eq!(by_port(&until(&stays, 2000)), [(1, 20)]);
    // Nothing comes back from a node that is cut off; the client gives up, and opens another connection.
    let text = ["10/s http://web/ timeout=150ms keep-alive"];
    let lives = |life| [(&old, life), (&new, Life::Serves)];
    let all = history(vec![
        (0, scene(&text, &[old.reply()], &lives(Life::Serves))),
        (1000, scene(&text, &[new.reply()], &lives(Life::CutOff))),
    ]);
    let counts = until(&all, 2000);
    assert_eq!(counts.lost, [(Cause::TimedOut(Because::CutOff), 1)].into());
}

#[test]
fn a_client_with_few_connections_waits_for_one() {
    let slow = web(1, 250);
    let lives = [(&slow, Life::Serves)];
    let of = |text: &str| until(&history(vec![(0, scene(&[text], &[slow.reply()], &lives))]), 10_000);
    // Ten a second of 250 ms each are two and a half at once.
    let enough = of("10/s http://web/ connections=3");
    assert_eq!((enough.losses(), ms(&enough, 1000)), (0, 250));
    let few = of("10/s http://web/ connections=2 timeout=1s");
    assert!(few.losses() > 10 && ms(&few, 750) > 500, "{few:?}");
    // `http.Client.Timeout` includes the time in which a request waits for a connection (`setRequestCancel` in `net/http/client.go`).
    assert!(ms(&few, 1000) <= 1000, "{few:?}");
    // A server closes a connection after so many requests.
    let nginx = Web { requests: Some(7), ..web(1, 0) };
    let lives = [(&nginx, Life::Serves)];
    let other = web(2, 0);
    let all = history(vec![
        (0, scene(&["10/s http://web/ keep-alive"], &[nginx.reply()], &lives)),
        (
            500,
            scene(
                &["10/s http://web/ keep-alive"],
                &[other.reply()],
                &[(&nginx, Life::Serves), (&other, Life::Serves)],
            ),
        ),
    ]);
    assert_eq!(by_port(&until(&all, 2000)), [(1, 7), (2, 13)]);
}

/// `queueForDial` and `decConnsPerHost` in Go's `net/http/transport.go`: a connection counts from the moment on at which it begins to be
/// opened, and when that fails the next request that waits opens one.
#[test]
fn a_connection_that_is_being_opened_counts() {
    let silent = Reply { outcome: Outcome::TimedOut, ..refused(1) };
    let text = "10/s http://web/ connections=1";
    let all = history(vec![(0, scene(&[text], &[silent], &[]))]);
    let ledger = all.so_far(millis(5000));
    let pool = ledger.pool(&id(0)).unwrap();
    assert_eq!((pool.busy.len(), pool.waiting.len(), pool.by_endpoint().len()), (1, 49, 0));
    let slow = web(1, 1000);
    let all = history(vec![
        (0, scene(&[text], &[slow.reply()], &[(&slow, Life::Serves)])),
        (550, scene(&[text], &[refused(2)], &[])),
    ]);
    let counts = until(&all, 2000);
    assert_eq!(counts.lost, [(Cause::Broken, 1), (Cause::Refused(Because::Stopping), 19)].into());
}

/// Which answers are errors is drawn for each request, and not for the connection: an answer with an error leaves it open (RFC 9112,
/// section 9.3).
#[test]
fn errors_are_drawn_for_each_request_over_a_connection() {
    let rate = ErrorRate { thousandths: 100, status: 503 };
    let fails = Web { errors: Some(Errors { rate, otherwise: 200 }), ..web(1, 10) };
    for first in [200, 503] {
        let reply = Web { status: first, ..fails.clone() }.reply();
        let lives = [(&fails, Life::Serves)];
        let all = history(vec![(0, scene(&["10/s http://web/ keep-alive"], &[reply], &lives))]);
        let counts = until(&all, 100_000);
        let lost = counts.lost.get(&Cause::Status(503)).copied().unwrap_or(0);
        assert_eq!((counts.sent, counts.losses()), (1000, lost), "{counts:?}");
        assert!((97..=103).contains(&lost), "{counts:?}");
        assert_eq!(
            all.so_far(millis(100_050)).pool(&id(0)).unwrap().idle.len(),
            1,
            "one connection is enough"
        );
    }
}

/// So many requests that each of them may not be handled within the one before it.
#[test]
fn many_that_wait_for_a_connection_go_on_at_once() {
    let (slow, fast) = (web(1, 60_000), web(2, 0));
    let text = "2000/s http://web/ connections=1";
    let all = history(vec![
        (0, scene(&[text], &[slow.reply()], &[(&slow, Life::Serves)])),
        (25_000, scene(&[text], &[fast.reply()], &[(&fast, Life::Serves)])),
    ]);
    let counts = until(&all, 26_000);
    assert_eq!((counts.sent, counts.lost.clone()), (52_000, [(Cause::Broken, 1)].into()));
    assert_eq!(by_port(&counts), [(2, 51_999)]);
}

/// Go's `net/http`, `Transport`: `IdleConnTimeout`.
#[test]
fn a_connection_on_which_nothing_is_asked_is_closed() {
    let (one, two) = (web(1, 0), web(2, 0));
    let lives = [(&one, Life::Serves), (&two, Life::Serves)];
    let of = |text: &str| {
        let all = history(vec![
            (0, scene(&[text], &[one.reply()], &lives)),
            (4500, scene(&[text], &[two.reply()], &lives)),
        ]);
        by_port(&until(&all, 10_000))
    };
    assert_eq!(of("30/m http://web/ keep-alive"), [(1, 5)]);
    assert_eq!(
        of("30/m http://web/ idle=2s"),
        [(1, 2), (2, 3)],
        "two seconds are over when the next one comes"
    );
    assert_eq!(of("30/m http://web/ idle=3s"), [(1, 5)]);
}
