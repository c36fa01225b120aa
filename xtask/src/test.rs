//! `cargo xtask test`: everything that must pass before a commit.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::page::{self, Profile};
use crate::run::{Result, cargo, command, output, path_with, root, run as exec, script, target_dir};
use crate::server::Server;
use crate::{browser, tools};

/// A part: its name, what it covers, and the function that runs it.
type Part = (&'static str, &'static str, fn(Run) -> Result<()>);

const PARTS: &[Part] = &[
    ("lint", "formatting, clippy natively and for wasm, the library's documentation", lint),
    ("native", "unit tests, conformance, properties, a short run of the fuzzing, the door", native),
    ("wasm", "the library in a browser", wasm),
    ("module", "the library as an ES module in Node", module),
    ("journeys", "the built page in a browser", journeys),
];

/// Runs all parts, or those that `--only` names, and reports them. A part that fails does not keep the
/// others from running.
pub fn run(args: &[String]) -> Result<()> {
    let (release, args): (Vec<_>, Vec<_>) = args.iter().cloned().partition(|a| a == "--release");
    let profile = if release.is_empty() { Profile::Dev } else { Profile::Release };
    let only = chosen(&args)?;
    let start = Instant::now();
    let (mut summary, mut failures) = (Vec::new(), Vec::new());
    for (name, what, part) in PARTS {
        if !only.is_empty() && !only.contains(name) {
            continue;
        }
        println!("\n{}", heading(&format!("== {name}: {what}")));
        let begun = Instant::now();
        let built = summary.iter().any(|(part, _)| *part == "native") && !failures.contains(&"native");
        let result = part(Run { profile, built });
        let verdict = if result.is_ok() { "ok" } else { "FAILED" };
        summary.push((*name, format!("{name} {verdict} {}", seconds(begun.elapsed()))));
        if let Err(why) = result {
            eprintln!("\n{name} failed: {why}");
            failures.push(*name);
        }
    }
    let summary: Vec<_> = summary.into_iter().map(|(_, said)| said).collect();
    println!("\n{}", heading(&format!("== {} (in all {})", summary.join(" | "), seconds(start.elapsed()))));
    if failures.is_empty() { Ok(()) } else { Err(format!("failed: {}", failures.join(", "))) }
}

/// The parts that `--only` names; all parts without it.
fn chosen(args: &[String]) -> Result<Vec<&'static str>> {
    let known: Vec<&'static str> = PARTS.iter().map(|(name, ..)| *name).collect();
    let mut only = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let name = match arg.strip_prefix("--only") {
            Some("") => args.next().map(String::as_str),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        let part = name.and_then(|name| known.iter().copied().find(|part| *part == name));
        only.push(
            part.ok_or_else(|| format!("only `--release` and `--only {}` are known here", known.join("|")))?,
        );
    }
    Ok(only)
}

// All in one build, so that the library is compiled once. That turns the `schemars` feature on for everything, which adds
// derived traits and changes nothing else; in wasm, where it would cost 155 KB, steady-schema is never built. steady-embed has
// code for wasm only.
const NATIVE: &[&str] = &["--workspace", "--exclude", "steady-embed"];

/// How a part is run.
#[derive(Clone, Copy)]
struct Run {
    /// How the page is built.
    profile: Profile,
    /// Whether the native part was run before and passed, which leaves its programs in the target directory.
    built: bool,
}

impl Run {
    /// A program that the native part has built, by its file below `target/debug`; `None` if that part was not run.
    ///
    /// Built alone, each of them would have the library compiled once more: cargo unifies features over what is built together.
    fn program(self, file: &str) -> Option<PathBuf> {
        let file = target_dir().join("debug").join(file).with_extension(std::env::consts::EXE_EXTENSION);
        self.built.then_some(file)
    }
}

fn lint(_: Run) -> Result<()> {
    tools::wasm_target()?;
    let deny = ["--", "-D", "warnings"];
    exec(cargo().args(["fmt", "--all", "--check"]))?;
    // Whether the generated files fit the pins, and whether the code follows the map in ARCHITECTURE.md.
    // This takes seconds, so it comes before clippy.
    exec(cargo().args(["test", "--quiet", "--package", "steady-generate", "--package", "xtask"]))?;
    exec(cargo().args(["clippy", "--quiet", "--all-targets"]).args(NATIVE).args(deny))?;
    let mut packages = vec!["--package", "steady", "--package", "steady-embed", "--package", "steady-worker"];
    packages.extend(["--lib", "--bins", "--test", "wasm"]);
    exec(cargo().args(["clippy", "--quiet", "--target", tools::WASM]).args(packages).args(deny))?;
    exec(cargo().args(["doc", "--quiet", "--no-deps", "--workspace"]).env("RUSTDOCFLAGS", "-D warnings"))
}

fn native(run: Run) -> Result<()> {
    exec(cargo().args(["test", "--quiet"]).args(NATIVE))?;
    // The editor's own logic, with the schema that it will have.
    tools::npm_bin()?;
    crate::schema(Run { built: true, ..run }.program("steady-schema").as_deref())?;
    exec(command("node").args([
        "--test",
        "editor/lines.test.mjs",
        "editor/schema.test.mjs",
        "editor/format.test.mjs",
    ]))?;
    // A small module that is cut in two.
    tools::wasm_target()?;
    exec(command("node").args(["--test", "crates/split/cut.test.mjs"]))
}

fn wasm(_: Run) -> Result<()> {
    tools::wasm_target()?;
    let browser = browser::ensure()?;
    let dirs: Vec<_> = tools::WASM_BINDGEN.ensure()?.into_iter().collect();
    let mut test = cargo();
    // Not --quiet: cargo would pass it to the runner, which does not know it.
    test.args([
        "test",
        "--package",
        "steady",
        "--target",
        tools::WASM,
        "--test",
        "wasm",
        "--profile",
        page::QUICK,
    ])
    .env("PATH", path_with(&dirs)?)
    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner")
    .env("CHROMEDRIVER", browser.driver);
    if std::env::var_os("CHROME").is_some() {
        test.env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", capabilities(&browser.chrome)?);
    }
    exec(&mut test)
}

/// A webdriver.json with the browser that was chosen; chromedriver would look for one itself.
fn capabilities(chrome: &Path) -> Result<PathBuf> {
    let read = |e| format!("webdriver.json: {e}");
    let common = std::fs::read_to_string(root().join("webdriver.json")).map_err(read)?;
    let options = "\"goog:chromeOptions\": {";
    let with =
        common.replacen(options, &format!("{options} \"binary\": {:?},", chrome.display().to_string()), 1);
    let file = target_dir().join("webdriver.json");
    std::fs::write(&file, with).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(file)
}

/// Checks that the ES module gives the same result as the native library.
fn module(run: Run) -> Result<()> {
    page::lib(run.profile)?;
    let mut native = run.program("examples/commands").map_or_else(
        || {
            let mut alone = cargo();
            alone.args(["run", "--quiet", "--example", "commands", "--"]);
            alone
        },
        command,
    );
    let printed =
        output(native.arg("tests/wasm/deployment.yaml")).ok_or("the example `commands` cannot be run")?;
    let digest = printed.lines().last().unwrap_or_default();
    exec(command("node").args(["--test", "crates/embed/pkg.test.mjs"]).env("STEADY_DIGEST", digest))
}

fn journeys(run: Run) -> Result<()> {
    let browser = browser::ensure()?;
    page::build(run.profile, run.program("steady-schema").as_deref())?;
    // Not at the root, because the page is published in a subdirectory.
    let server = Server::bind(Some(0), root().join("dist"), "/some/where/")?;
    let url = server.url();
    std::thread::spawn(move || server.run());
    let playwright = tools::npm_bin()?.join(script("playwright"));
    exec(command(playwright).arg("test").env("STEADY_URL", url).env("CHROME", browser.chrome))
}

fn heading(text: &str) -> String {
    if std::io::stdout().is_terminal() { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
