//! Connections and requests.

use std::convert::Infallible;
use std::pin::pin;
use std::rc::Rc;

use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, USER_AGENT};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use steady::apimachinery::HttpRequest;
use steady::apiserver::http::{self, BODY_LIMIT, Served};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

use crate::house::House;
use crate::reply::{self, Reply};
use crate::{control, guard, stream};

/// Plain text.
const TEXT: &str = "text/plain; charset=utf-8";
/// How long to wait after the system refused a connection: it has no more of something.
const BREATH: std::time::Duration = std::time::Duration::from_millis(50);

/// Takes connections until the program ends, and then lets them finish.
pub async fn serve(house: Rc<House>, listener: TcpListener) {
    let places = std::sync::Arc::new(Semaphore::new(house.limits.connections));
    let mut ending = house.ending();
    let mut connections = JoinSet::new();
    while !*ending.borrow() {
        while connections.try_join_next().is_some() {}
        tokio::select! {
            place = places.clone().acquire_owned() => {
                // The semaphore is never closed.
                let Ok(place) = place else { return };
                tokio::select! {
                    accepted = listener.accept() => match accepted {
                        Ok((stream, _)) => {
                            let house = house.clone();
                            connections.spawn_local(async move {
                                connection(house, stream).await;
                                drop(place);
                            });
                        }
                        Err(_) => tokio::time::sleep(BREATH).await,
                    },
                    _ = ending.changed() => {}
                }
            }
            _ = ending.changed() => {}
        }
    }
    drop(listener);
    // Those that do not finish in time are cut.
    let all = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(house.limits.grace, all).await;
}

async fn connection(house: Rc<House>, stream: TcpStream) {
    // Watch events are small and must not wait for one another.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(house.limits.write_time));
    let mut ending = house.ending();
    let service = {
        let house = house.clone();
        service_fn(move |request| {
            let house = house.clone();
            async move { Ok::<_, Infallible>(answer(&house, request).await) }
        })
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(house.limits.head_time)
        .max_buf_size(house.limits.head_bytes)
        .max_headers(house.limits.headers)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    let mut connection = pin!(connection);
    // How a connection failed is the client's affair: it went away, or it spoke no HTTP and was told.
    tokio::select! {
        _ = connection.as_mut() => return,
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

async fn answer(house: &Rc<House>, request: Request<Incoming>) -> Response<Reply> {
    let (parts, body) = request.into_parts();
    if let Some(why) = guard::refusal(&parts.headers, house.host) {
        return reply::last(reply::own(StatusCode::FORBIDDEN, TEXT, why.into()));
    }
    let read = Limited::new(body, BODY_LIMIT).collect();
    let body = match tokio::time::timeout(house.limits.body_time, read).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(e)) if e.is::<LengthLimitError>() => {
            return reply::last(reply::whole(http::too_large(), &parts.headers));
        }
        Ok(Err(_)) => {
            let why = "the body of the request did not come\n".to_owned();
            return reply::last(reply::own(StatusCode::BAD_REQUEST, TEXT, why));
        }
        Err(_) => {
            let why = "the body of the request came too slowly\n".to_owned();
            return reply::last(reply::own(StatusCode::REQUEST_TIMEOUT, TEXT, why));
        }
    };
    let path = parts.uri.path();
    if let Some(what) = path.strip_prefix("/steady")
        && (what.is_empty() || what.starts_with('/'))
    {
        return control::answer(house, &parts, what, &body).await;
    }
    let request = HttpRequest {
        method: parts.method.as_str().to_owned(),
        path: path.to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        content_type: header(&parts.headers, CONTENT_TYPE),
        accept: header(&parts.headers, ACCEPT),
        user_agent: header(&parts.headers, USER_AGENT),
        body: body.to_vec(),
    };
    let Served { response, watch, .. } = house.http(&request);
    match watch {
        None => reply::whole(response, &parts.headers),
        Some(watch) => match house.count_watch() {
            Some(counted) => stream::watch(house, response, *watch, counted),
            None => reply::whole(http::too_many(), &parts.headers),
        },
    }
}
