//! Connections and requests.

use std::convert::Infallible;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, IF_NONE_MATCH, USER_AGENT};
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use steady::apimachinery::HttpRequest;
use steady::apiserver::http::{self, BODY_LIMIT, Served};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

use crate::house::House;
use crate::places::Seat;
use crate::reply::{self, Answer, Reply};
use crate::{control, guard, remote, stream, websocket};

/// The content type of plain text.
const TEXT: &str = "text/plain; charset=utf-8";
/// How long to wait after the system refused a connection for lack of a resource.
const BREATH: Duration = Duration::from_millis(50);
/// How long a connection that is asked to close has to send the rest of a response.
const LEAVING: Duration = Duration::from_millis(200);

/// Accepts connections until the door closes, and then lets them finish.
pub async fn serve(house: Rc<House>, listener: TcpListener) {
    let places = std::sync::Arc::new(Semaphore::new(house.limits.connections));
    let mut ending = house.ending();
    let mut connections = JoinSet::new();
    while !*ending.borrow() {
        while connections.try_join_next().is_some() {}
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = ending.changed() => continue,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(BREATH).await;
            continue;
        };
        let place = match places.clone().try_acquire_owned() {
            Ok(place) => place,
            Err(_) => {
                let room = async {
                    house.places.make_room().await;
                    std::future::pending::<()>().await;
                };
                tokio::select! {
                    // The semaphore is never closed.
                    place = places.clone().acquire_owned() => match place {
                        Ok(place) => place,
                        Err(_) => return,
                    },
                    () = room => continue,
                    _ = ending.changed() => continue,
                }
            }
        };
        connections.spawn_local(connection(house.clone(), stream, place));
    }
    drop(listener);
    // Connections that do not finish in time are closed.
    let all = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(house.limits.grace, all).await;
}

async fn connection(house: Rc<House>, stream: TcpStream, place: OwnedSemaphorePermit) {
    // Watch events are small and must not wait for further ones.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(house.limits.write_time));
    let mut ending = house.ending();
    let seat = house.places.seat();
    let service = {
        let (house, seat) = (house.clone(), seat.clone());
        service_fn(move |request| {
            let (house, seat) = (house.clone(), seat.clone());
            async move { Ok::<_, Infallible>(answer(&house, &seat, request).await) }
        })
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(house.limits.head_time)
        .max_buf_size(house.limits.head_bytes)
        .max_headers(house.limits.headers)
        .serve_connection(TokioIo::new(Box::pin(stream)), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    // A failure of a connection concerns only its client, which went away or has been told what was wrong.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = seat.must_leave() => {
            drop(place);
            if seat.has_asked() {
                // The end of a response may still be on its way.
                connection.as_mut().graceful_shutdown();
                let _ = tokio::time::timeout(LEAVING, connection).await;
            }
            return;
        }
        _ = ending.changed() => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

fn header(headers: &HeaderMap, name: HeaderName) -> String {
    let values: Vec<_> =
        headers.get_all(name).iter().map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned()).collect();
    values.join(",")
}

/// The headers that say who asks.
fn identity(headers: &HeaderMap) -> Vec<(String, String)> {
    let named = |name: &str| name == AUTHORIZATION.as_str() || name.starts_with("impersonate-");
    let headers = headers.iter().filter(|(name, _)| named(name.as_str()));
    headers
        .map(|(n, v)| (n.as_str().to_owned(), String::from_utf8_lossy(v.as_bytes()).into_owned()))
        .collect()
}

async fn answer(house: &Rc<House>, seat: &Rc<Seat>, request: Request<Incoming>) -> Response<Answer> {
    let (parts, body) = request.into_parts();
    let body = match read(house, &parts, body).await {
        Ok(body) => body,
        Err(refusal) => return refusal.map(|reply| Answer::new(reply, None)),
    };
    let busy = seat.busy();
    let path = parts.uri.path();
    if let Some(what) = path.strip_prefix("/steady")
        && (what.is_empty() || what.starts_with('/'))
    {
        return control::answer(house, &parts, what, &body).await.map(|reply| Answer::new(reply, Some(busy)));
    }
    let request = HttpRequest {
        method: parts.method.as_str().to_owned(),
        path: path.to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        content_type: header(&parts.headers, CONTENT_TYPE),
        accept: header(&parts.headers, ACCEPT),
        user_agent: header(&parts.headers, USER_AGENT),
        if_none_match: header(&parts.headers, IF_NONE_MATCH),
        identity: identity(&parts.headers),
        body: body.to_vec(),
        unfinished: false,
        attached: String::new(),
    };
    if remote::is_asked_for(path) {
        return remote::exec(house, parts, request, busy);
    }
    let Served { response, stream, .. } = house.http(&request);
    let reply = match stream {
        None => reply::whole(response, &parts.headers),
        Some(list) if !list.is_watch() => stream::list(house, response, list, &parts.headers),
        Some(watch) => match house.count_watch() {
            None => reply::whole(http::too_many(), &parts.headers),
            Some(counted) if websocket::is_asked_for(&parts.headers) => {
                return websocket::watch(house, parts, watch, counted, busy);
            }
            Some(counted) => stream::watch(house, &response, watch, counted),
        },
    };
    reply.map(|reply| Answer::new(reply, Some(busy)))
}

/// Reads the body of a request.
async fn read(house: &House, parts: &Parts, body: Incoming) -> Result<Bytes, Response<Reply>> {
    let own = |status, why: &str| reply::last(reply::own(status, TEXT, why.to_owned()));
    if let Some(why) = guard::refusal(parts.version, &parts.headers, house.host) {
        return Err(own(StatusCode::FORBIDDEN, why));
    }
    let read = Limited::new(body, BODY_LIMIT).collect();
    match tokio::time::timeout(house.limits.body_time, read).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(e)) if e.is::<LengthLimitError>() => {
            Err(reply::last(reply::whole(http::too_large(), &parts.headers)))
        }
        Ok(Err(_)) => Err(own(StatusCode::BAD_REQUEST, "the body of the request did not come\n")),
        Err(_) => Err(own(StatusCode::REQUEST_TIMEOUT, "the body of the request came too slowly\n")),
    }
}
