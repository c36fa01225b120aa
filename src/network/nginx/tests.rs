//! Configurations as nginx' documentation has them, and what nginx does with requests by them.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::network::passing::{Passes as _, Request, Then};

fn read(texts: &[(&str, &str)]) -> Option<Configuration> {
    Configuration::read(&texts.iter().map(|(path, text)| ((*path).into(), (*text).to_owned())).collect())
}

/// What is done with a GET, as one line.
fn does(conf: &str, host: &str, path: &str) -> String {
    let configuration = read(&[("/etc/nginx/conf.d/default.conf", conf)]).unwrap();
    let files = ["/usr/share/nginx/html/index.html", "/usr/share/nginx/html/a.css", "/data/x/index.html"];
    let there = |path: &str| {
        if files.contains(&path) {
            There::File
        } else if files.iter().any(|f| f.starts_with(&format!("{path}/"))) {
            There::Directory
        } else {
            There::Nothing
        }
    };
    let wanted = Wanted { port: 80, host, method: "GET", path, hostname: "web-1" };
    match configuration.find(&wanted, &there) {
        Done::Text { status, content_type, body, .. } => format!("{status} {content_type} {body}"),
        Done::Redirect { status, to } => format!("{status} {to}"),
        Done::Error(status) => format!("{status}"),
        Done::File { status: 200, path, .. } => path,
        Done::File { status, path, .. } => format!("{status} {path}"),
        Done::Closed => "closed".to_owned(),
        Done::Unclear => "unclear".to_owned(),
        Done::Pass(passing) => {
            let headers = Default::default();
            let request = Request { port: 80, host, method: "GET", path, headers: &headers, tls: false };
            let Then::Pass(passed) = passing.route(&request).unwrap().then else { panic!("it is passed on") };
            let to =
                passed.backends.iter().map(|(name, _)| passing.upstream(name).unwrap().external.unwrap());
            let to: Vec<String> = to.map(|(host, port)| format!("{host}:{port}")).collect();
            format!("{} {} as {}", to.join(","), passed.path, passed.host)
        }
    }
}

/// <https://nginx.org/en/docs/http/ngx_http_core_module.html#location>, the example.
#[test]
fn locations_are_chosen_as_the_documentation_has_it() {
    let conf = "server { listen 80;
        location = / { return 200 A; }
        location / { return 200 B; }
        location /documents/ { return 200 C; }
        location ^~ /images/ { return 200 D; }
        location ~* \\.(gif|jpg|jpeg)$ { return 200 E; }
    }";
    let of = |path: &str| does(conf, "web", path).rsplit(' ').next().unwrap().to_owned();
    let paths = ["/", "/index.html", "/documents/document.html", "/images/1.gif", "/documents/1.jpg"].map(of);
    assert_eq!(paths, ["A", "B", "C", "D", "E"]);
}

/// <https://nginx.org/en/docs/http/server_names.html> and request_processing.html.
#[test]
fn servers_are_chosen_by_port_and_name() {
    let conf = "server { listen 80; server_name example.org www.example.org; return 200 exact; }
        server { listen 80 default_server; server_name *.example.org; return 200 wild; }
        server { listen 80; server_name .example.net; return 200 dot; }
        server { listen 80; server_name www.example.*; return 200 end; }
        server { listen 8080; return 200 other; }";
    let of = |host: &str| does(conf, host, "/").rsplit(' ').next().unwrap().to_owned();
    let hosts = ["www.example.org:80", "a.example.org", "example.net", "www.example.com", "nowhere"].map(of);
    assert_eq!(hosts, ["exact", "wild", "dot", "end", "wild"]);
    assert_eq!(read(&[("/etc/nginx/conf.d/a.conf", conf)]).unwrap().ports(), [80, 8080]);
}

/// <https://nginx.org/en/docs/http/ngx_http_rewrite_module.html#return>; the image's `nginx.conf` has
/// `default_type application/octet-stream`.
#[test]
fn return_answers_and_leads_elsewhere() {
    let conf = "server {
        location /healthz { return 200 \"ok\\n\"; }
        location /text { default_type text/plain; return 201 \"$host $request_uri ${uri}\"; }
        location /old { return 301 /new?$args; }
        location /far { return https://far.example$request_uri; }
        location /no { return 403; }
        location /shut { return 444; }
        location /who { return 200 $remote_addr; }
    }";
    let of = |path: &str| does(conf, "web:80", path);
    assert_eq!(of("/healthz"), "200 application/octet-stream ok\n");
    assert_eq!(of("/text?a=1"), "201 text/plain web /text?a=1 /text");
    assert_eq!(of("/old?b=2"), "301 http://web/new?b=2");
    assert_eq!(of("/far/a"), "302 https://far.example/far/a");
    assert_eq!((of("/no"), of("/shut"), of("/who")), ("403".into(), "closed".into(), "unclear".into()));
}

/// <https://nginx.org/en/docs/http/ngx_http_core_module.html#try_files>, `#alias` and `#root`.
#[test]
fn files_are_found_below_root_and_alias() {
    let conf = "server { root /usr/share/nginx/html;
        location / { try_files $uri $uri/ /index.html; }
        location /static/ { alias /data/; }
        location /plain { }
        location /strict { try_files $uri =404; }
    }";
    let of = |path: &str| does(conf, "web", path);
    assert_eq!(of("/a.css"), "/usr/share/nginx/html/a.css");
    assert_eq!(of("/orders/7"), "/usr/share/nginx/html/index.html");
    assert_eq!(of("/static/x/"), "/data/x/index.html");
    assert_eq!(of("/static/x"), "301 http://web/static/x/");
    assert_eq!((of("/static/"), of("/plain"), of("/strict")), ("403".into(), "404".into(), "404".into()));
    // Without a root nginx looks where it was built for.
    assert_eq!(does("server { }", "web", "/"), "404");
}

/// <https://nginx.org/en/docs/http/ngx_http_core_module.html#error_page> and `#internal`. The configuration of nginx' images has the
/// first line.
#[test]
fn errors_have_pages() {
    let conf = "server { root /data; error_page 500 502 503 504 /50x.html;
        error_page 404 /x/index.html; error_page 403 =200 /x/index.html;
        location /x/ { internal; }
        location /shut { return 503; }
        location /no { return 403; }
        location /far { error_page 404 http://far.example/; }
        location /app { error_page 404 = @app; }
        location @app { return 201 app; }
    }";
    let of = |path: &str| does(conf, "web", path);
    assert_eq!((of("/gone"), of("/no")), ("404 /data/x/index.html".into(), "/data/x/index.html".into()));
    assert_eq!(of("/x/index.html"), "404 /data/x/index.html", "nobody may ask for it");
    assert_eq!((of("/shut"), of("/far")), ("503".into(), "302 http://far.example/".into()));
    assert_eq!(of("/app"), "201 application/octet-stream app");
}

/// <https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_pass>: with a path the part of the location is replaced.
#[test]
fn requests_are_passed_on() {
    let conf = "upstream team { server one:8080; server two; server three down; }
        server {
        location /api/ { proxy_pass http://api:8080/; }
        location /same/ { proxy_pass http://api; }
        location /team { proxy_pass http://team; proxy_set_header Host $host; }
        location /any { proxy_pass http://$arg_to; }
        location /secure/ { proxy_pass https://safe/v1/; }
    }";
    let of = |path: &str| does(conf, "web", path);
    assert_eq!(of("/api/orders?n=1"), "api:8080 /orders?n=1 as api:8080");
    assert_eq!(of("/api"), "301 http://web/api/");
    assert_eq!(of("/same/x"), "api:80 /same/x as api");
    assert_eq!(of("/team/x"), "one:8080,two:80 /team/x as web");
    assert_eq!(of("/secure/x"), "safe:443 /v1/x as safe");
    assert_eq!(of("/any"), "unclear");
}

/// <https://nginx.org/en/docs/ngx_core_module.html#include>.
#[test]
fn a_configuration_is_what_its_files_include() {
    let main =
        "events {} http { include mime.types; default_type text/plain; include /etc/nginx/sites/*.conf; }";
    let site = "server { listen 81; include snippet; }";
    let all = [
        ("/etc/nginx/nginx.conf", main),
        ("/etc/nginx/sites/a.conf", site),
        ("/etc/nginx/snippet", "location / { return 200 hi; }"),
        ("/etc/nginx/conf.d/default.conf", "server { listen 82; }"),
    ];
    let made = read(&all).unwrap();
    assert_eq!(made.ports(), [81]);
    let wanted = Wanted { port: 81, host: "web", method: "GET", path: "/", hostname: "web-1" };
    let Done::Text { content_type, body, .. } = made.find(&wanted, &|_| There::Nothing) else { panic!() };
    assert_eq!((content_type.as_str(), body.as_str()), ("text/plain", "hi"));
    assert!(read(&[("/etc/nginx/nginx.conf", "http {")]).is_none());
    // A file that includes itself.
    assert!(read(&[("/etc/nginx/conf.d/a.conf", "include /etc/nginx/conf.d/a.conf;")]).is_none());
}
