//! `cargo xtask bench`: the figures of docs/benchmarks.md. They show how costs grow; nothing passes or fails
//! by them.

use crate::run::{Result, cargo, command, output, root, run as exec};
use crate::server::Server;
use crate::{browser, page, tools};

/// The parts that can be measured separately.
const PARTS: [&str; 12] = [
    "native",
    "changes",
    "why",
    "traffic",
    "api",
    "browser",
    "cold",
    "page",
    "explorer",
    "lighthouse",
    "size",
    "peer",
];

/// Runs all benchmarks but the one beside webernetes, or one part: the native one, of it the changes of a steady cluster, the questions about causes, the requests of clients, the API server's, the one in Chromium, the cold load,
/// the page, the explorer, Lighthouse's scores, the size of what is loaded; for some or all numbers of replicas.
pub fn run(args: &[String]) -> Result<()> {
    let mut part = None;
    let mut sizes: Vec<&str> = Vec::new();
    let mut args = args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        match arg {
            "--only" => part = Some(args.next().unwrap_or_default()),
            _ if arg.parse::<usize>().is_ok() => sizes.push(arg),
            other => return Err(format!("`{other}` is no number of replicas")),
        }
    }
    if let Some(other) = part.filter(|p| !PARTS.contains(p)) {
        return Err(format!("`--only {other}`: only {} are known here", PARTS.join(", ")));
    }
    let wanted = |name| part.is_none_or(|p| p == name);
    println!("{}\n", machine());
    if wanted("native") {
        exec(cargo().args(["bench", "--quiet", "--bench", "cluster", "--"]).args(&sizes))?;
    }
    if part == Some("changes") {
        // The native part has them, too.
        exec(cargo().args(["bench", "--quiet", "--bench", "cluster", "--", "changes"]).args(&sizes))?;
    }
    if part == Some("why") {
        exec(cargo().args(["bench", "--quiet", "--bench", "why", "--"]).args(&sizes))?;
    } else if wanted("why") {
        // The numbers that are named are of replicas; this counts moments.
        exec(cargo().args(["bench", "--quiet", "--bench", "why"]))?;
    }
    if part == Some("traffic") {
        exec(cargo().args(["bench", "--quiet", "--bench", "traffic", "--"]).args(&sizes))?;
    } else if wanted("traffic") {
        exec(cargo().args(["bench", "--quiet", "--bench", "traffic"]))?;
    }
    if wanted("api") {
        exec(cargo().args(["bench", "--quiet", "--package", "steady-door", "--bench", "api"]))?;
    }
    if wanted("browser") {
        let chromium = browser::ensure()?;
        tools::npm_bin()?;
        page::lib(page::Profile::Release)?;
        exec(command("node").arg("benches/browser.mjs").args(&sizes).env("CHROME", chromium.chrome))?;
    }
    // Takes many minutes, most of them the other's.
    if part == Some("peer") {
        let chromium = browser::ensure()?;
        tools::npm_bin()?;
        page::lib(page::Profile::Release)?;
        exec(command("node").arg("benches/peer.mjs").args(&sizes).env("CHROME", chromium.chrome))?;
    }
    let pages = [
        ("cold", "benches/cold.mjs"),
        ("page", "benches/page.mjs"),
        ("explorer", "benches/explorer.mjs"),
        ("lighthouse", "benches/lighthouse.mjs"),
    ];
    if pages.iter().any(|(name, _)| wanted(name)) || wanted("size") {
        page::build(page::Profile::Release, None)?;
    }
    for (name, script) in pages.into_iter().filter(|(name, _)| wanted(name)) {
        // The explorer's numbers are states, not replicas.
        let sizes: &[&str] = if name == "explorer" && part.is_none() { &[] } else { &sizes };
        with_page(script, sizes)?;
    }
    if wanted("size") {
        exec(command("node").arg("benches/size.mjs"))?;
    }
    Ok(())
}

/// Serves `dist/` and runs a script that opens it.
pub fn with_page(script: &str, args: &[&str]) -> Result<()> {
    let chromium = browser::ensure()?;
    tools::npm_bin()?;
    let server = Server::bind(Some(0), root().join("dist"), "/")?;
    let url = server.url();
    std::thread::spawn(move || server.run());
    exec(command("node").arg(script).args(args).env("STEADY_URL", url).env("CHROME", chromium.chrome))
}

/// The commit and the machine, as far as the system reports them.
fn machine() -> String {
    let commit = output(command("git").args(["describe", "--always", "--dirty"])).unwrap_or_default();
    let date = output(command("date").arg("+%Y-%m-%d")).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|l| l.strip_prefix("model name")).unwrap_or_default();
    let model = model.trim_start_matches(|c: char| c.is_whitespace() || c == ':');
    format!("{date}, commit {commit}, {cores} cores {model}, {}", std::env::consts::OS)
}
