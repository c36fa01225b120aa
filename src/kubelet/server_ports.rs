//! The ports on which well-known programs listen: by their images' default configurations, their arguments, and the configuration
//! that is mounted.

use super::known_images::program_name;
use super::servers::{NGINX_OF_GATEWAYS, Server};
use crate::api::order;
use crate::network::Protocol;
use crate::network::nginx::Configuration;

/// The ports of programs that listen on the same ones whatever their arguments are.
const PORTS: &[(&str, &[u16])] = &[
    ("apache2-foreground", &[80]),
    ("caddy", &[80, 2019]),
    ("cassandra", &[9042, 7000]),
    ("catalina.sh", &[8080]),
    ("eswrapper", &[9200, 9300]),
    ("httpd", &[80]),
    ("httpd-foreground", &[80]),
    ("mariadbd", &[3306]),
    ("memcached", &[11_211]),
    ("mysqld", &[3306, 33_060]),
    ("prometheus", &[9090]),
    ("rabbitmq-server", &[5672, 15_692, 25_672]),
];

impl Server<'_> {
    /// The ports on which it listens; `None` if nobody knows the program.
    pub(super) fn ports(&self) -> Option<Vec<(u16, Protocol)>> {
        let tcp = |ports: &[u16]| ports.iter().map(|p| (*p, Protocol::Tcp)).collect::<Vec<_>>();
        let one = |port: u16| Some(tcp(&[port]));
        let name = program_name(self.words);
        if let Some((_, ports)) = PORTS.iter().find(|(program, _)| *program == name) {
            return Some(tcp(ports));
        }
        match name {
            "nginx" => Some(tcp(&self.nginx_ports())),
            "pause" => Some(Vec::new()),
            "nginx-ingress-controller" => Some(tcp(&self.ingress_ports())),
            "entrypoint.sh" if self.image.contains(NGINX_OF_GATEWAYS) => Some(tcp(self.opened)),
            "etcd" => Some(tcp(&self.etcd_ports())),
            "kube-apiserver" => one(self.secure_port(6443)),
            "kube-controller-manager" => one(self.secure_port(10_257)),
            "kube-scheduler" => one(self.secure_port(10_259)),
            "whoami" => {
                let port =
                    self.option(&["--port", "-port"]).or_else(|| self.env.get("WHOAMI_PORT_NUMBER").cloned());
                one(port.and_then(|p| p.parse().ok()).unwrap_or(80))
            }
            "http-echo" => {
                let listen = self.option(&["-listen", "--listen"]);
                one(listen.and_then(|l| l.rsplit(':').next()?.parse().ok()).unwrap_or(5678))
            }
            "hello-app" => one(self.env.get("PORT").and_then(|p| p.parse().ok()).unwrap_or(8080)),
            "redis-server" | "valkey-server" => {
                one(self.option(&["--port"]).and_then(|p| p.parse().ok()).unwrap_or(6379))
            }
            "postgres" => {
                let port = self.option(&["-p", "--port"]).or_else(|| self.env.get("PGPORT").cloned());
                one(port.and_then(|p| p.parse().ok()).unwrap_or(5432))
            }
            "mongod" => one(self.option(&["--port"]).and_then(|p| p.parse().ok()).unwrap_or(27_017)),
            "agnhost" => Some(self.agnhost_ports()),
            "run.sh" if self.image.contains("echoserver") => Some(tcp(&[8080, 8443])),
            "run.sh" if self.image.contains("grafana") => one(3000),
            _ => None,
        }
    }

    /// The ports of ingress-nginx: for requests, for probes and, if a flag says so, for the webhook.
    fn ingress_ports(&self) -> Vec<u16> {
        let number = |text: String| text.rsplit(':').next()?.parse().ok();
        let port = |flag: &str, default: u16| self.option(&[flag]).and_then(number).unwrap_or(default);
        let webhook = self.option(&["--validating-webhook"]).and_then(number);
        let all = [("--http-port", 80), ("--https-port", 443), ("--healthz-port", 10_254)];
        all.into_iter().map(|(flag, default)| port(flag, default)).chain(webhook).collect()
    }

    /// The port of a part of the control plane.
    fn secure_port(&self, default: u16) -> u16 {
        self.option(&["--secure-port"]).and_then(|p| p.parse().ok()).unwrap_or(default)
    }

    /// The ports of etcd: for clients, for its other members, and for metrics and probes if a flag says so.
    fn etcd_ports(&self) -> Vec<u16> {
        let of = |flag: &str, default: Option<u16>| {
            let urls = self.option(&[flag]);
            let ports = urls
                .iter()
                .flat_map(|urls| urls.split(','))
                .filter_map(|u| u.rsplit(':').next()?.parse().ok());
            let ports: Vec<u16> = ports.collect();
            if ports.is_empty() { default.into_iter().collect() } else { ports }
        };
        let all = [
            ("--listen-client-urls", Some(2379)),
            ("--listen-peer-urls", Some(2380)),
            ("--listen-metrics-urls", None),
        ];
        let mut ports: Vec<u16> = all.into_iter().flat_map(|(flag, default)| of(flag, default)).collect();
        order::sort(&mut ports);
        ports.dedup();
        ports
    }

    /// The ports of `listen` in the configuration that is mounted, or the image's own.
    fn nginx_ports(&self) -> Vec<u16> {
        let own = if self.image.contains("unprivileged") { 8080 } else { 80 };
        let configured = self.nginx_configuration();
        if configured.is_empty() {
            return vec![own];
        }
        // One that nginx refuses, and one without a server.
        let ports = Configuration::read(&configured).map(|c| c.ports()).unwrap_or_default();
        if ports.is_empty() { vec![own] } else { ports }
    }

    fn agnhost_ports(&self) -> Vec<(u16, Protocol)> {
        let port =
            |names: &[&str], default| self.option(names).and_then(|p| p.parse().ok()).unwrap_or(default);
        match self.words.get(1).map(String::as_str) {
            Some("netexec") => vec![
                (port(&["--http-port"], 8080), Protocol::Tcp),
                (port(&["--udp-port"], 8081), Protocol::Udp),
            ],
            Some("serve-hostname") => vec![(port(&["--port"], 9376), Protocol::Tcp)],
            Some("liveness") => vec![(8080, Protocol::Tcp)],
            Some("test-webserver") => vec![(port(&["--port"], 80), Protocol::Tcp)],
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::kubelet::servers::tests::with;

    fn ports(image: &str, words: &[&str], files: &[(&str, &str)]) -> Option<Vec<u16>> {
        with(image, words, files, |s| s.ports()).map(|all| all.iter().map(|(p, _)| *p).collect())
    }

    /// <https://nginx.org/en/docs/http/ngx_http_core_module.html#listen>; the default of `-listen` in http-echo's `main.go`;
    /// Kubernetes' `test/images/agnhost/netexec/netexec.go`: `--http-port` and `--udp-port`.
    #[test]
    fn servers_listen_where_their_configuration_says() {
        let nginx = &["nginx", "-g", "daemon off;"];
        assert_eq!(ports("nginx:1.27", nginx, &[]).unwrap(), [80]);
        assert_eq!(ports("nginxinc/nginx-unprivileged", nginx, &[]).unwrap(), [8080]);
        let conf =
            "server {\n  listen 8081;\n  listen [::]:8081; # listen 1;\n  location / { return 200; }\n}";
        assert_eq!(ports("nginx", nginx, &[("/etc/nginx/conf.d/default.conf", conf)]).unwrap(), [8081]);
        assert_eq!(ports("hashicorp/http-echo", &["/http-echo", "-listen=:8080"], &[]).unwrap(), [8080]);
        assert_eq!(ports("hashicorp/http-echo", &["/http-echo", "-text", "x"], &[]).unwrap(), [5678]);
        assert_eq!(ports("postgres", &["postgres"], &[]).unwrap(), [5432]);
        assert_eq!(ports("agnhost", &["/agnhost", "netexec", "--http-port", "81"], &[]).unwrap(), [81, 8081]);
        assert_eq!(ports("pause", &["/pause"], &[]).unwrap(), [0_u16; 0]);
        assert_eq!(ports("team/app", &["/app"], &[]), None);
    }
}
