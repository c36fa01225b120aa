//! Facts about well-known images: what they run, by the name of their repository.
//!
//! Source: the Dockerfiles of the official images (github.com/docker-library, github.com/nginx/docker-nginx) and of
//! Kubernetes' own (kubernetes/build/pause, kubernetes/test/images). An image whose name is not in the table is taken
//! to have no entrypoint, and to run a server if it is given no command.

use jiff::SignedDuration;

use crate::shell::{self, Tools};

/// What is known of an image.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownImage {
    /// The repository without registry, for example `nginx`.
    name: &'static str,
    /// `ENTRYPOINT`, if it is a program of its own.
    pub(super) entrypoint: &'static [&'static str],
    /// `CMD`.
    pub(super) cmd: &'static [&'static str],
    /// What `ENTRYPOINT` does with its arguments, if it is a script that runs them.
    pub(super) script: Script,
    /// Whether its programs are those of BusyBox, and `others`.
    pub(super) busybox: bool,
    /// The programs that it has beside BusyBox'.
    pub(super) others: &'static [&'static str],
    /// The variables of which one has to be set when `CMD` runs, and what is said otherwise before the exit with 1.
    pub(super) needs: Option<(&'static [&'static str], &'static str)>,
}

/// A script that is an image's `ENTRYPOINT` and runs its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// There is none.
    None,
    /// It puts `CMD`'s program before its arguments if the first one is an option (most official images).
    Options,
    /// It does that also if the first one is no command of the image (curl/curl-container: `etc/entrypoint.sh`).
    OptionsAndArguments,
}

/// The user in an image's configuration (`USER`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImageUser {
    /// None, or root.
    Root,
    /// A number, and the group that goes with it.
    Number(i64, i64),
    /// A name, and the numbers that it has in the image.
    Name(&'static str, i64, i64),
}

/// The images of the table whose user is not root.
const USERS: &[(&str, ImageUser)] = &[
    ("coredns/coredns", ImageUser::Name("nonroot", 65_532, 65_532)),
    ("curlimages/curl", ImageUser::Name("curl_user", 100, 101)),
    ("elasticsearch", ImageUser::Number(1000, 0)),
    ("grafana/grafana", ImageUser::Number(472, 0)),
    ("haproxy", ImageUser::Name("haproxy", 99, 99)),
    ("ingress-nginx/controller", ImageUser::Name("www-data", 101, 82)),
    ("memcached", ImageUser::Name("memcache", 11_211, 11_211)),
    ("nginx/nginx-gateway-fabric", ImageUser::Number(101, 1001)),
    ("nginx/nginx-gateway-fabric/nginx", ImageUser::Number(101, 1001)),
    ("nginxinc/nginx-unprivileged", ImageUser::Number(101, 101)),
    ("pause", ImageUser::Number(65_535, 65_535)),
    ("prom/prometheus", ImageUser::Name("nobody", 65_534, 65_534)),
];

/// The images of the table whose configuration names the signal that stops their program (`STOPSIGNAL`).
const STOP_SIGNALS: &[(&str, &str)] = &[
    ("haproxy", "USR1"),
    ("httpd", "WINCH"),
    ("nginx", "QUIT"),
    ("nginxinc/nginx-unprivileged", "QUIT"),
    ("postgres", "INT"),
];

/// The signal with which containerd stops a container of an image, without `SIG`.
pub(super) fn stop_signal(image: &str) -> &'static str {
    let named = find(image).and_then(|known| STOP_SIGNALS.iter().find(|(name, _)| *name == known.name));
    named.map_or("TERM", |(_, signal)| signal)
}

/// The user of an image; `None` if nobody knows the image.
pub(super) fn user(image: &str) -> Option<ImageUser> {
    let known = find(image)?;
    let user = USERS.iter().find(|(name, _)| *name == known.name);
    Some(user.map_or(ImageUser::Root, |(_, user)| *user))
}

const fn plain(name: &'static str, cmd: &'static [&'static str]) -> KnownImage {
    KnownImage { name, entrypoint: &[], cmd, script: Script::None, busybox: false, others: &[], needs: None }
}

const fn wrapped(name: &'static str, cmd: &'static [&'static str]) -> KnownImage {
    KnownImage {
        name,
        entrypoint: &[],
        cmd,
        script: Script::Options,
        busybox: false,
        others: &[],
        needs: None,
    }
}

const fn program(
    name: &'static str,
    entrypoint: &'static [&'static str],
    cmd: &'static [&'static str],
) -> KnownImage {
    KnownImage { name, entrypoint, cmd, script: Script::None, busybox: false, others: &[], needs: None }
}

const POSTGRES: &str = "Error: Database is uninitialized and superuser password is not specified.
       You must specify POSTGRES_PASSWORD to a non-empty value for the
       superuser. For example, \"-e POSTGRES_PASSWORD=password\" on \"docker run\".

       You may also use \"POSTGRES_HOST_AUTH_METHOD=trust\" to allow all
       connections without a password. This is *not* recommended.

       See PostgreSQL documentation about \"trust\":
       https://www.postgresql.org/docs/current/auth-trust.html";

const MYSQL: &str = "[ERROR] [Entrypoint]: Database is uninitialized and password option is not specified
    You need to specify one of the following as an environment variable:
    - MYSQL_ROOT_PASSWORD
    - MYSQL_ALLOW_EMPTY_PASSWORD
    - MYSQL_RANDOM_ROOT_PASSWORD";

const MARIADB: &str = "[ERROR] [Entrypoint]: Database is uninitialized and password option is not specified
\tYou need to specify one of MARIADB_ROOT_PASSWORD, MARIADB_ROOT_PASSWORD_HASH, MARIADB_ALLOW_EMPTY_ROOT_PASSWORD and MARIADB_RANDOM_ROOT_PASSWORD";

/// The table.
const IMAGES: &[KnownImage] = &[
    KnownImage { busybox: true, others: shell::OF_ALPINE, ..plain("alpine", &["/bin/sh"]) },
    KnownImage { busybox: true, ..plain("busybox", &["sh"]) },
    plain("amazonlinux", &["/bin/bash"]),
    plain("debian", &["bash"]),
    plain("fedora", &["/bin/bash"]),
    plain("rockylinux", &["/bin/bash"]),
    plain("ubuntu", &["/bin/bash"]),
    plain("buildpack-deps", &["bash"]),
    wrapped("bash", &["bash"]),
    plain("golang", &["bash"]),
    wrapped("node", &["node"]),
    plain("perl", &["perl", "-de0"]),
    wrapped("php", &["php", "-a"]),
    plain("python", &["python3"]),
    plain("ruby", &["irb"]),
    program("coredns/coredns", &["/coredns"], &[]),
    program("ingress-nginx/controller", &["/usr/bin/dumb-init", "--"], &["/nginx-ingress-controller"]),
    program("nginx/nginx-gateway-fabric", &["/usr/bin/gateway"], &[]),
    program("nginx/nginx-gateway-fabric/nginx", &["/agent/entrypoint.sh"], &[]),
    KnownImage { script: Script::OptionsAndArguments, ..plain("curlimages/curl", &["curl"]) },
    plain("hello-world", &["/hello"]),
    plain("caddy", &["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]),
    plain("cassandra", &["cassandra", "-f"]),
    wrapped("elasticsearch", &["eswrapper"]),
    plain("etcd", &["/usr/local/bin/etcd"]),
    program("grafana/grafana", &["/run.sh"], &[]),
    plain("hpa-example", &["apache2-foreground"]),
    wrapped("haproxy", &["haproxy", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]),
    plain("httpd", &["httpd-foreground"]),
    KnownImage {
        needs: Some((
            &[
                "MARIADB_ROOT_PASSWORD",
                "MARIADB_ROOT_PASSWORD_HASH",
                "MARIADB_ALLOW_EMPTY_ROOT_PASSWORD",
                "MARIADB_RANDOM_ROOT_PASSWORD",
                "MYSQL_ROOT_PASSWORD",
                "MYSQL_ALLOW_EMPTY_PASSWORD",
                "MYSQL_RANDOM_ROOT_PASSWORD",
            ],
            MARIADB,
        )),
        ..wrapped("mariadb", &["mariadbd"])
    },
    wrapped("memcached", &["memcached"]),
    wrapped("mongo", &["mongod"]),
    KnownImage {
        needs: Some((
            &["MYSQL_ROOT_PASSWORD", "MYSQL_ALLOW_EMPTY_PASSWORD", "MYSQL_RANDOM_ROOT_PASSWORD"],
            MYSQL,
        )),
        ..wrapped("mysql", &["mysqld"])
    },
    wrapped("nginx", &["nginx", "-g", "daemon off;"]),
    wrapped("nginxinc/nginx-unprivileged", &["nginx", "-g", "daemon off;"]),
    plain("nginx-slim", &["nginx", "-g", "daemon off;"]),
    program("pause", &["/pause"], &[]),
    KnownImage {
        needs: Some((&["POSTGRES_PASSWORD", "POSTGRES_HOST_AUTH_METHOD"], POSTGRES)),
        ..wrapped("postgres", &["postgres"])
    },
    program("prom/prometheus", &["/bin/prometheus"], &["--config.file=/etc/prometheus/prometheus.yml"]),
    wrapped("rabbitmq", &["rabbitmq-server"]),
    wrapped("redis", &["redis-server"]),
    wrapped("valkey/valkey", &["valkey-server"]),
    plain("tomcat", &["catalina.sh", "run"]),
    wrapped("wordpress", &["apache2-foreground"]),
    program("vish/stress", &["/stress", "-logtostderr"], &[]),
    program("traefik/whoami", &["/whoami"], &[]),
    program("hashicorp/http-echo", &["/http-echo"], &[]),
    program("e2e-test-images/agnhost", &["/agnhost"], &["pause"]),
    program("echoserver", &["/usr/local/bin/run.sh"], &[]),
    program("google-samples/hello-app", &["/hello-app"], &[]),
];

/// Programs that run until they are stopped, whatever the pod's restart policy is. With an option that asks for their
/// version or a check of their configuration they end at once.
const SERVERS: &[&str] = &[
    "agnhost",
    "apache2-foreground",
    "caddy",
    "cassandra",
    "catalina.sh",
    "eswrapper",
    "etcd",
    "haproxy",
    "hello-app",
    "http-echo",
    "httpd",
    "httpd-foreground",
    "mariadbd",
    "memcached",
    "mongod",
    "mysqld",
    "nginx",
    "nginx-ingress-controller",
    "pause",
    "postgres",
    "prometheus",
    "rabbitmq-server",
    "redis-server",
    "run.sh",
    "valkey-server",
    "whoami",
];

/// Images that have these programs and no others.
const BARE: &[(&str, &[&str])] = &[
    ("coredns/coredns", &["/coredns"]),
    ("etcd", &["etcd", "etcdctl", "etcdutl", "/usr/local/bin/etcd", "/usr/local/bin/etcdctl"]),
    ("hashicorp/http-echo", &["/http-echo"]),
    ("hello-world", &["/hello"]),
    ("nginx/nginx-gateway-fabric", &["/usr/bin/gateway"]),
    ("pause", &["/pause"]),
    ("traefik/whoami", &["/whoami"]),
];

/// An image whose first page computes something.
pub(super) struct Computes {
    /// The repository, as in the table.
    name: &'static str,
    /// For how long an answer keeps one CPU busy, in billionths of a second. That depends on the machine: the number is assumed.
    pub(super) work: i64,
    /// What the page says.
    pub(super) page: &'static str,
}

/// The page of `hpa-example` adds up a million square roots (Kubernetes' walkthrough of HorizontalPodAutoscalers).
const COMPUTES: &[Computes] = &[Computes { name: "hpa-example", work: 50_000_000, page: "OK!" }];

/// What the first page of an image computes; `None` if nothing. This is asked of every container at every sync.
pub(super) fn computes(image: &str) -> Option<&'static Computes> {
    let found = COMPUTES.iter().find(|c| image.contains(c.name))?;
    find(image).filter(|known| known.name == found.name).map(|_| found)
}

/// What a program answers to HTTP requests for a path.
struct Page {
    /// The program, and the first word after it.
    program: [&'static str; 2],
    path: &'static str,
    /// For how long the program answers with 200, counted from its start, and what it answers then; `None` if that is for
    /// ever.
    fails: Option<(SignedDuration, u16)>,
}

/// The pages of programs of which it is known what they answer. Any other path of theirs is answered with 404.
const PAGES: &[Page] = &[
    // kubernetes/test/images/agnhost/liveness/server.go
    Page {
        program: ["agnhost", "liveness"],
        path: "/healthz",
        fails: Some((SignedDuration::from_secs(10), 500)),
    },
    Page { program: ["agnhost", "liveness"], path: "/started", fails: None },
];

/// The status of a program's answer to an HTTP request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answered {
    pub(super) status: u16,
    /// When, counted from the start of the program, the status changes next.
    pub(super) changes: Option<SignedDuration>,
}

/// What a program answers that has run for some time; `None` if nobody knows its answers.
pub(super) fn answer(words: &[String], path: &str, after: SignedDuration) -> Option<Answered> {
    let name = words.first().and_then(|w| w.rsplit('/').next()).unwrap_or_default();
    let does = words.get(1).map(String::as_str).unwrap_or_default();
    let mut pages = PAGES.iter().filter(|p| p.program == [name, does]).peekable();
    pages.peek()?;
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let Some(page) = pages.find(|p| p.path == path) else {
        return Some(Answered { status: 404, changes: None });
    };
    Some(match page.fails {
        Some((since, status)) if after > since => Answered { status, changes: None },
        Some((since, _)) => Answered { status: 200, changes: Some(since) },
        None => Answered { status: 200, changes: None },
    })
}

/// Interpreters and their like that read standard input when they are given nothing to run, and end with it.
const INTERACTIVE: &[&str] = &["irb", "node", "perl", "php", "python", "python3", "ruby"];

/// What is known of an image; `None` if nothing is.
pub(super) fn find(image: &str) -> Option<&'static KnownImage> {
    let name = image.split('@').next().unwrap_or_default();
    let name = match name.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => name,
        _ => name,
    };
    let path = match name.split_once('/') {
        Some((host, rest)) if host == "localhost" || host.contains(['.', ':']) => rest,
        _ => name,
    };
    let path = path.strip_prefix("library/").unwrap_or(path);
    IMAGES.iter().find(|i| i.name == path)
}

/// The programs of an image that has no others, so that a shell cannot be started in it; `None` if it has others, or if
/// nobody knows.
pub(super) fn bare(image: &str) -> Option<&'static [&'static str]> {
    // Images without an operating system: github.com/GoogleContainerTools/distroless. Those for debugging have BusyBox.
    if image.contains("distroless/") {
        return (!image.contains("debug")).then_some(&[]);
    }
    let name = find(image)?.name;
    BARE.iter().find(|(bare, _)| *bare == name).map(|(_, programs)| *programs)
}

/// The images of the table that are made of alpine, whatever their tag says, and have more programs than that.
const ON_ALPINE: &[&str] = &["curlimages/curl"];

/// What the messages of an image's commands are like: those of an image on alpine are BusyBox's.
pub(super) fn tools(image: &str, known: Option<&KnownImage>) -> Tools {
    let said = image.rsplit_once(':').is_some_and(|(_, tag)| tag.contains("alpine"));
    let on_alpine = said || known.is_some_and(|k| k.busybox || ON_ALPINE.contains(&k.name));
    if on_alpine { Tools::Busybox } else { Tools::Gnu }
}

/// Whether the program of an image is known to write nothing to `/tmp`, which is empty in the image: what is not found there then
/// is not there. The files of these servers are in `/run`, `/var/cache`, `/usr/local/apache2/logs`, `/data` and `/config`.
pub(super) fn leaves_tmp_empty(image: &str) -> bool {
    const SERVERS: [&str; 6] = ["caddy", "httpd", "memcached", "nginx", "nginx-slim", "redis"];
    find(image).is_some_and(|k| SERVERS.contains(&k.name))
}

/// Whether an image is of BusyBox before 1.29, whose `nslookup` asks the C library.
pub(super) fn has_libc_nslookup(image: &str) -> bool {
    let tag = image.split('@').next().and_then(|i| i.rsplit_once(':')).map_or("", |(_, tag)| tag);
    let mut numbers = tag.split(['.', '-']).map_while(|n| n.parse::<u32>().ok());
    let version = (numbers.next(), numbers.next());
    find(image).is_some_and(|k| k.name == "busybox")
        && matches!(version, (Some(0), _) | (Some(1), Some(0..29)))
}

/// What a program that is no command of the shell is known to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// It runs until it is stopped.
    Server,
    /// It ends at once with 0.
    Ends,
    /// Nothing is known.
    Unknown,
}

/// The program's name: the first word's, or that of the program which an image's init starts.
pub(super) fn program_name(words: &[String]) -> &str {
    let mut all = words.iter();
    let first = all.next();
    let inits = first.is_some_and(|w| w.ends_with("/dumb-init"));
    let word = if inits { all.find(|w| !w.starts_with('-')) } else { first };
    word.and_then(|w| w.rsplit('/').next()).unwrap_or_default()
}

/// What is known of a program.
pub(super) fn sort_of(words: &[String]) -> Sort {
    let name = program_name(words);
    let asks =
        |w: &String| matches!(w.as_str(), "--version" | "--help" | "-v" | "-V" | "-t" | "help" | "version");
    if SERVERS.contains(&name) {
        return if words.iter().skip(1).any(asks) { Sort::Ends } else { Sort::Server };
    }
    // The other commands of the controller of Gateways do one thing each (`cmd/gateway` in nginx/nginx-gateway-fabric).
    if let [program, command, ..] = words
        && program == "/usr/bin/gateway"
        && matches!(command.as_str(), "initialize" | "generate-certs")
    {
        return Sort::Ends;
    }
    let idle = words.iter().skip(1).all(|w| matches!(w.as_str(), "-de0" | "-a" | "-i"));
    if (INTERACTIVE.contains(&name) && idle) || name == "hello" && words.len() == 1 {
        return Sort::Ends;
    }
    Sort::Unknown
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Kubernetes' `build/pause/Dockerfile`, distroless' README ("Debug Images"), and the `Dockerfile` of traefik/whoami: they
    /// are made from nothing, or without a shell.
    #[test]
    fn images_without_a_shell_are_known() {
        for image in ["registry.k8s.io/pause:3.10", "gcr.io/distroless/static:nonroot", "traefik/whoami"] {
            assert!(bare(image).is_some_and(|programs| !programs.contains(&"sh")), "{image}");
        }
        for image in ["gcr.io/distroless/base:debug", "nginx", "team/app"] {
            assert_eq!(bare(image), None, "{image}");
        }
    }

    /// Kubernetes' `test/images/agnhost`: `Dockerfile` and `liveness/server.go`.
    #[test]
    fn an_image_is_found_by_its_repository() {
        for image in ["nginx", "nginx:1.27", "docker.io/library/nginx@sha256:00", "reg.test:5000/nginx:1"] {
            assert_eq!(find(image).unwrap().name, "nginx", "{image}");
        }
        assert_eq!(find("registry.k8s.io/e2e-test-images/agnhost:2.40").unwrap().cmd, ["pause"]);
        let serve = ["/agnhost", "liveness"].map(str::to_owned);
        let status = |path, seconds| answer(&serve, path, SignedDuration::from_secs(seconds)).unwrap().status;
        assert_eq!(
            [status("/healthz", 10), status("/healthz?a=b", 11), status("/started", 11)],
            [200, 500, 200]
        );
        assert_eq!(status("/", 0), 404);
        assert_eq!(
            answer(&["/agnhost".to_owned(), "pause".to_owned()], "/healthz", SignedDuration::ZERO),
            None
        );
        assert!(find("alpine:3.22").unwrap().others.contains(&"apk"));
        assert!(find("team/nginx").is_none());
        assert_eq!(tools("nginx:1.27-alpine", find("nginx")), Tools::Busybox);
        assert_eq!(tools("nginx:1.27", find("nginx")), Tools::Gnu);
    }
}
