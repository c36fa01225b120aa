//! The door of kube-apiserver for what comes by the network: whether its requests may write, and what was answered to them.

use std::cell::{Cell, RefCell};

use jiff::SignedDuration;

use crate::apimachinery::{Exchanged, HttpRequest, HttpResponse};
use crate::apiserver::http::{self, Served, TextCache};
use crate::apiserver::{ApiServer, Kubelets};
use crate::network::traffic::History;

/// The most requests of one command that write. Who sends more is answered as one who sends too many at once.
const WRITES_LIMIT: usize = 500;

/// The most bytes that all answers to the requests of one command may have. A command that has read more is answered as one who sends
/// too many at once.
const BYTES_LIMIT: usize = 64 << 20;

/// The most pieces of an answer that are read.
const PIECES_LIMIT: usize = 10_000;

/// How requests reach kube-apiserver.
pub(super) struct Door<'a> {
    /// What clients have sent, for logs that are asked for.
    pub(super) traffic: &'a History,
    /// The server on which requests write; `None` if they may not.
    pub(super) writing: Option<&'a RefCell<Writing>>,
    /// Whether somebody has asked the server for more than a connection.
    pub(super) asked: Cell<bool>,
}

impl<'a> Door<'a> {
    /// Requests that write are refused.
    pub(super) fn reading(traffic: &'a History) -> Door<'a> {
        Door { traffic, writing: None, asked: Cell::new(false) }
    }

    /// Requests may write.
    pub(super) fn writing(traffic: &'a History, writing: &'a RefCell<Writing>) -> Door<'a> {
        Door { writing: Some(writing), ..Door::reading(traffic) }
    }

    /// Whether an answer was the server's, and so can be another one after any write.
    pub(super) fn was_asked(&self) -> bool {
        self.asked.get()
    }
}

/// The server that answers the requests of a command, and those that have written.
pub(super) struct Writing {
    pub(super) api: ApiServer,
    wrote: bool,
    /// How many bytes the answers have had.
    bytes: usize,
    exchanges: Vec<Exchanged>,
}

impl Writing {
    pub(super) fn on(api: &ApiServer) -> Writing {
        Writing { api: api.clone(), wrote: false, bytes: 0, exchanges: Vec::new() }
    }

    /// The server that the command leaves, and its requests that have written; `None` if it has written nothing.
    pub(super) fn into_written(self) -> Option<(ApiServer, Vec<Exchanged>)> {
        self.wrote.then_some((self.api, self.exchanges))
    }

    /// Answers a request, and notes it if it has written.
    pub(super) fn serve(&mut self, request: &HttpRequest, kubelets: &dyn Kubelets) -> Answered {
        if self.bytes > BYTES_LIMIT || (self.exchanges.len() >= WRITES_LIMIT && request.method != "GET") {
            return Answered { response: http::too_many(), ..Answered::default() };
        }
        let before = self.api.resource_version();
        let (answered, exchange) = whole(&mut self.api, request, kubelets);
        self.bytes += answered.response.body.len() + answered.response.binary.len();
        let wrote = self.api.resource_version() != before;
        self.wrote |= wrote;
        if let Some((asked, response)) = exchange.filter(|_| wrote) {
            let http = (request.clone(), answered.response.clone());
            self.exchanges.push(Exchanged { asked, response, http });
        }
        answered
    }
}

/// An answer with its whole body, as far as there is one yet.
#[derive(Default)]
pub(super) struct Answered {
    pub(super) response: HttpResponse,
    /// For how long the body goes on.
    pub(super) goes_on: SignedDuration,
}

type Exchange = (crate::apimachinery::Request, crate::apimachinery::Response);

/// The answer to a request with its whole body, and both with their types.
pub(super) fn whole(
    api: &mut ApiServer,
    request: &HttpRequest,
    kubelets: &dyn Kubelets,
) -> (Answered, Option<Exchange>) {
    let Served { mut response, stream, exchange, .. } = http::serve(api, request, kubelets);
    let mut goes_on = SignedDuration::ZERO;
    if let Some(mut stream) = stream {
        let mut cache = TextCache::default();
        for _ in 0..PIECES_LIMIT {
            let piece = stream.more(api, kubelets, &mut cache);
            if piece.is_empty() {
                break;
            }
            for text in piece.into_texts() {
                response.body.push_str(&String::from_utf8_lossy(&text));
            }
        }
        goes_on = stream.goes_on(api);
    }
    (Answered { response, goes_on }, exchange.map(|e| *e))
}
