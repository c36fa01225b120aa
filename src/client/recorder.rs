//! The event recorder and its correlator: equal events are counted, similar ones folded, a flood
//! is cut off (`k8s.io/client-go/tools/record/events_cache.go`, and `tools/events` for the
//! components that use the newer API).

use std::collections::VecDeque;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::digest::Digest;
use crate::api::persistent::Map;
use crate::api::types::{Event, EventSeries, EventSource, MicroTime, ObjectMeta, ObjectReference, Time};
use crate::api::{Key, Kind, Object, Shared, Timestamp, seconds};
use crate::apimachinery::{Body, Patch, Request, Response, Verb};

/// The most events of a group that are told apart within the window; the others are aggregated (`maxEvents`).
const MAX_SIMILAR: usize = 10;
/// The window, in seconds.
const SIMILAR_WINDOW: i64 = 600;
/// The events of one type about one object that are recorded at once, before the spam filter drops further ones.
const SPAM_BURST: f64 = 25.0;
/// Seconds after which the spam filter lets one more event pass.
const SPAM_REFILL_SECONDS: f64 = 300.0;

/// Which of Kubernetes' two event APIs a component writes with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventFlavour {
    /// `v1` with count, first and last time.
    Core {
        /// `source.component` and `reportingComponent`
        component: Rc<str>,
        /// `source.host`; kubelets say where they are.
        host: Option<Rc<str>>,
    },
    /// `events.k8s.io/v1` with event time and series.
    Events {
        /// `reportingComponent`
        component: Rc<str>,
        /// `reportingInstance`
        instance: Rc<str>,
    },
}

/// An event to be recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The object it is about.
    pub about: ObjectReference,
    /// `Normal` or `Warning`.
    pub type_: &'static str,
    /// `reason`: one word.
    pub reason: String,
    /// `message`: a sentence.
    pub message: String,
    /// What the component was doing; the newer API only.
    pub action: &'static str,
    /// When it was recorded.
    pub at: Timestamp,
}

/// The key under which events are remembered: the halves of a fingerprint of their texts. (A `u128` would have the trees'
/// leaves aligned to 16 bytes, which in wasm is a detour for the allocator.)
type Fingerprint = (u64, u64);

fn fingerprint(texts: Digest) -> Fingerprint {
    let n = texts.finish();
    ((n >> 64) as u64, n as u64)
}

/// Similar events in the window.
#[derive(Clone, Debug)]
struct Similar {
    /// The messages of the events of the group, sorted.
    messages: Rc<Vec<Rc<str>>>,
    last: Timestamp,
}

#[derive(Clone, Debug)]
struct Known {
    /// How often it was recorded, whether the spam filter let it through or not.
    count: i32,
    event: Rc<Event>,
    /// Whether the API server has it.
    written: bool,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    tokens: f64,
    last: Timestamp,
}

/// Correlates a component's events and turns them into requests.
#[derive(Clone, Debug)]
pub struct Recorder {
    flavour: EventFlavour,
    /// `source` of all its events.
    source: Shared<EventSource>,
    pending: VecDeque<Recorded>,
    similar: Map<Fingerprint, Similar>,
    known: Map<Fingerprint, Known>,
    buckets: Map<Fingerprint, Bucket>,
    counter: u64,
    // The key under which the answer to the request under way will be remembered.
    out: Option<Fingerprint>,
}

impl Recorder {
    /// A recorder that has said nothing yet.
    pub fn new(flavour: EventFlavour) -> Recorder {
        let source = match &flavour {
            EventFlavour::Core { component, host } => EventSource {
                component: Some(component.to_string()),
                host: host.as_deref().map(str::to_owned),
            },
            EventFlavour::Events { .. } => EventSource::default(),
        };
        Recorder {
            flavour,
            source: source.into(),
            pending: VecDeque::new(),
            similar: Map::new(),
            known: Map::new(),
            buckets: Map::new(),
            counter: 0,
            out: None,
        }
    }

    /// Queues an event.
    pub fn record(&mut self, event: Recorded) {
        self.pending.push_back(event);
    }

    /// How many events wait to be correlated and sent.
    pub fn waiting(&self) -> usize {
        self.pending.len()
    }

    /// Whether there is nothing to be sent.
    pub fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }

    /// The next request to send, if the correlator lets one through.
    pub fn next_request(&mut self, user: &Rc<str>) -> Option<Request> {
        while let Some(r) = self.pending.pop_front() {
            let request = match &self.flavour {
                EventFlavour::Core { .. } => self.correlate(r, user),
                EventFlavour::Events { .. } => self.series(r, user),
            };
            if request.is_some() {
                return request;
            }
        }
        None
    }

    /// The answer to the last request.
    pub fn answered(&mut self, response: &Response) {
        let Some(key) = self.out.take() else { return };
        match response {
            Response::Object { object, .. } => {
                if let Some(e) = object.get::<Event>() {
                    let count = e.count.unwrap_or(1);
                    self.known.insert(key, Known { count, event: e.clone(), written: true });
                }
            }
            // An event that could not be written is dropped, as the broadcaster does after retries.
            _ => {
                self.known.remove(&key);
            }
        }
    }

    fn correlate(&mut self, r: Recorded, user: &Rc<str>) -> Option<Request> {
        let (component, host) = match &self.flavour {
            EventFlavour::Core { component, host } => (component.clone(), host.clone()),
            EventFlavour::Events { component, .. } => (component.clone(), None),
        };
        let a = &r.about;
        // Keys are fingerprints: the texts themselves were 2 KB a pod and 3% of a run.
        let object = [&a.kind, &a.namespace, &a.name, &a.uid, &a.api_version].into_iter();
        let object = object
            .fold(Digest::default().with(&component), |d, part| d.with(part.as_deref().unwrap_or_default()));
        // Normal events and warnings about an object have a bucket each (`getSpamKey`).
        let of_type = object.with(r.type_);
        // Similar events: the same but for the message.
        let similar = of_type.with(&r.reason);
        let (spam_key, similar_key) = (fingerprint(of_type), fingerprint(similar));
        let full_key = similar.with(a.field_path.as_deref().unwrap_or_default()).with(&r.message);
        let full_key = fingerprint(full_key);
        let mut message = r.message;
        let folded = self.is_one_of_many(similar_key, &message, r.at);
        let key = if folded {
            message = format!("(combined from similar events): {message}");
            similar_key
        } else {
            full_key
        };
        let known = self.known.get(&key).cloned();
        let passes = self.take_token(spam_key, r.at);
        let now = seconds(r.at);
        if let Some(k) = known {
            let count = k.count.saturating_add(1);
            if !passes {
                // It is counted nevertheless: the next one that passes says how many there were (`EventCorrelate`).
                self.known.insert(key, Known { count, ..k });
                return None;
            }
            self.out = Some(key);
            let mut to = (*k.event).clone();
            to.count = Some(count);
            to.last_timestamp = Some(Time(now));
            to.message = Some(message);
            if !k.written {
                return Some(Self::create(to, user));
            }
            let from = Object::from(k.event.clone());
            return Some(self.patch(from, to, user));
        }
        // An event in which others are folded does not say who reports it, but for its `source` (`EventAggregate`).
        let (reporter, instance) =
            if folded { ("", "") } else { (&*component, host.as_deref().unwrap_or_default()) };
        let event = Event {
            metadata: self.metadata(&r.about, r.at),
            involved_object: r.about,
            reason: Some(r.reason),
            message: Some(message),
            source: Some(self.source.clone()),
            first_timestamp: Some(Time(now)),
            last_timestamp: Some(Time(now)),
            count: Some(1),
            type_: Some(r.type_.into()),
            reporting_component: Some(reporter.to_owned()),
            reporting_instance: Some(instance.to_owned()),
            ..Default::default()
        };
        if !passes {
            self.known.insert(key, Known { count: 1, event: Rc::new(event), written: false });
            return None;
        }
        self.out = Some(key);
        Some(Self::create(event, user))
    }

    /// Remembers a message; whether there are so many with the same key that they are folded.
    fn is_one_of_many(&mut self, key: Fingerprint, message: &str, at: Timestamp) -> bool {
        let Some(s) = self.similar.get_mut(&key) else {
            self.similar.insert(key, Similar { messages: Rc::new(vec![message.into()]), last: at });
            return false;
        };
        if at.duration_since(s.last) > SignedDuration::from_secs(SIMILAR_WINDOW) {
            s.messages = Rc::default();
        }
        s.last = at;
        let messages = Rc::make_mut(&mut s.messages);
        if let Err(place) = messages.binary_search_by(|m| (**m).cmp(message)) {
            messages.insert(place, message.into());
        }
        let many = messages.len() >= MAX_SIMILAR;
        if many {
            messages.remove(0);
        }
        many
    }

    fn series(&mut self, r: Recorded, user: &Rc<str>) -> Option<Request> {
        let EventFlavour::Events { component, instance } = self.flavour.clone() else { return None };
        // Events are about the same only if they are about the same version of an object (`getKey`).
        let uid = r.about.uid.as_deref().unwrap_or_default();
        let version = r.about.resource_version.as_deref().unwrap_or_default();
        let parts = [uid, version, r.type_, r.action, &r.reason, &component, &instance];
        let key = fingerprint(parts.iter().fold(Digest::default(), |d, part| d.with(part)));
        if let Some(k) = self.known.get(&key).cloned() {
            // The first repetition starts a series; the following ones are only counted here and
            // written every half hour (`refreshTime`), which no run here reaches.
            if k.event.series.is_some() {
                return None;
            }
            let mut to = (*k.event).clone();
            let last_observed_time = Some(MicroTime(r.at));
            to.series = Some(Box::new(EventSeries { count: Some(2), last_observed_time }));
            self.out = Some(key);
            let from = Object::from(k.event.clone());
            return Some(self.patch(from, to, user));
        }
        self.out = Some(key);
        let event = Event {
            metadata: self.metadata(&r.about, r.at),
            involved_object: r.about,
            reason: Some(r.reason),
            message: Some(r.message),
            source: Some(self.source.clone()),
            event_time: Some(MicroTime(r.at)),
            type_: Some(r.type_.into()),
            action: Some(r.action.into()),
            reporting_component: Some(component.to_string()),
            reporting_instance: Some(instance.to_string()),
            ..Default::default()
        };
        Some(Self::create(event, user))
    }

    /// A token bucket for each object a component talks about, and type of event.
    fn take_token(&mut self, key: Fingerprint, now: Timestamp) -> bool {
        let Some(b) = self.buckets.get_mut(&key) else {
            self.buckets.insert(key, Bucket { tokens: SPAM_BURST - 1.0, last: now });
            return true;
        };
        let seconds = now.duration_since(b.last).as_secs_f64();
        b.tokens = (b.tokens + seconds / SPAM_REFILL_SECONDS).min(SPAM_BURST);
        b.last = now;
        let ok = b.tokens >= 1.0;
        if ok {
            b.tokens -= 1.0;
        }
        ok
    }

    fn metadata(&mut self, about: &ObjectReference, at: Timestamp) -> ObjectMeta {
        // The suffix is the time in nanoseconds; virtual time stands still, so a counter and
        // the component make the difference that the clock would have made.
        self.counter += 1;
        let component = match &self.flavour {
            EventFlavour::Core { component, .. } | EventFlavour::Events { component, .. } => component,
        };
        let who = component.bytes().fold(0u64, |h, b| (h * 31 + u64::from(b)) % 997);
        let nanos =
            u128::try_from(at.as_nanosecond()).unwrap_or_default() + u128::from(self.counter * 1000 + who);
        let name = about.name.as_deref().unwrap_or_default();
        let namespace = about.namespace.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| "default".into());
        ObjectMeta {
            name: Some(format!("{name}.{nanos:x}")),
            namespace: Some(namespace),
            ..Default::default()
        }
    }

    fn create(event: Event, user: &Rc<str>) -> Request {
        let object = Object::from(event);
        Request::new(user, Verb::Create, Kind::EVENT, object.key()).body(Body::Object(object))
    }

    fn patch(&mut self, from: Object, mut to: Event, user: &Rc<str>) -> Request {
        to.metadata.resource_version = from.resource_version().map(str::to_owned);
        let key = Key::new(from.namespace(), from.name());
        Request::new(user, Verb::Patch, Kind::EVENT, key)
            .body(Body::Patch(Patch::Between { from, to: to.into() }))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;

    /// The verb and the count of each request that the recorder lets through when these events are recorded, of which the
    /// API server takes each.
    fn sent(
        recorder: &mut Recorder,
        events: impl IntoIterator<Item = (&'static str, i64)>,
    ) -> Vec<(Verb, i32)> {
        let mut sent = Vec::new();
        for (message, second) in events {
            recorder.record(Recorded {
                about: ObjectReference { name: Some("p".into()), ..Default::default() },
                type_: "Normal",
                reason: "BackOff".into(),
                message: message.into(),
                action: "",
                at: Timestamp::from_second(second).unwrap(),
            });
            let Some(request) = recorder.next_request(&"kubelet".into()) else { continue };
            let object = match request.body {
                Body::Object(object) => object,
                Body::Patch(Patch::Between { to, .. }) => to,
                other => panic!("{other:?}"),
            };
            sent.push((request.verb, object.get::<Event>().unwrap().count.unwrap()));
            recorder.answered(&Response::Object { object, created: false });
        }
        sent
    }

    /// `client-go/tools/record/events_cache.go`: `eventObserve` counts before `EventCorrelate` asks the spam filter, whose bucket
    /// has 25 tokens for an object and gets one each five minutes.
    #[test]
    fn events_that_the_spam_filter_drops_are_counted() {
        let component = "kubelet".into();
        let mut recorder = Recorder::new(EventFlavour::Core { component, host: None });
        let first = sent(&mut recorder, (0..30).map(|_| ("again", 0)));
        assert_eq!(first.len(), 25);
        assert_eq!((first[0], first[24]), ((Verb::Create, 1), (Verb::Patch, 25)));
        let later = sent(&mut recorder, [("again", 299), ("again", 301), ("again", 302)]);
        assert_eq!(later, [(Verb::Patch, 32)]);
        // One that was never let through is created with its count.
        let other = sent(&mut recorder, [("other", 303), ("other", 304), ("other", 700)]);
        assert_eq!(other, [(Verb::Create, 3)]);
    }

    fn object(request: Request) -> Rc<Event> {
        let Body::Object(object) = request.body else { panic!("{:?}", request.body) };
        object.get::<Event>().unwrap().clone()
    }

    /// `client-go/tools/record/events_cache.go`: what `EventAggregate` makes of the tenth event that differs in its message alone
    /// has a `source`, but no reporter. `getSpamKey` has the event's type.
    #[test]
    fn a_folded_event_names_no_reporter_and_warnings_have_a_bucket_of_their_own() {
        let component = "kubelet".into();
        let mut recorder = Recorder::new(EventFlavour::Core { component, host: Some("node-1".into()) });
        let mut write = |type_, message: String| {
            recorder.record(Recorded {
                about: ObjectReference { name: Some("p".into()), ..Default::default() },
                type_,
                reason: "BackOff".into(),
                message,
                action: "",
                at: Timestamp::UNIX_EPOCH,
            });
            recorder.next_request(&"kubelet".into())
        };
        let events: Vec<_> = (0..10).map(|n| object(write("Normal", n.to_string()).unwrap())).collect();
        let reporter = |e: &Event| (e.reporting_component.clone(), e.reporting_instance.clone());
        assert_eq!(reporter(&events[8]), (Some("kubelet".into()), Some("node-1".into())));
        assert_eq!(reporter(&events[9]), (Some(String::new()), Some(String::new())));
        assert_eq!(events[9].message.as_deref(), Some("(combined from similar events): 9"));
        assert_eq!(events[9].source.as_ref().unwrap().host.as_deref(), Some("node-1"));
        assert_eq!((0..30).filter(|_| write("Normal", "again".into()).is_some()).count(), 15);
        assert!(write("Warning", "again".into()).is_some());
    }
}
