//! The commands for this repository, as `cargo xtask …`. Each command installs what it needs, says what it
//! does, and is quick the second time.

mod bench;
mod browser;
mod images;
mod licences;
mod package;
mod page;
mod run;
mod server;
mod test;
mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use run::{Result, cargo, command, root};

const USAGE: &str = "\
cargo xtask serve [--port N] [--dev] [--watch] [--no-build]
    builds the page and serves it on 127.0.0.1
    --dev       a quick build: no optimisation, names kept
    --watch     builds again when a file changes (reload the page yourself)
    --no-build  serves dist/ as it is
cargo xtask build [--dev]
    builds the page into dist/
cargo xtask test [--only lint|native|wasm|module|journeys]… [--release]
    everything that must hold before a commit, or a part of it
    --release   the journeys on the page as it is published, which takes minutes to build
cargo xtask lib
    the library as an ES module and npm package, in pkg/
cargo xtask release [vX.Y.Z] [--check]
    whether the tag, the version and CHANGELOG.md agree; then the npm package in pkg/ and the notes in target/
    --check     builds nothing
cargo xtask bench [--only native|changes|why|traffic|api|browser|cold|page|explorer|lighthouse|size|peer] [REPLICAS…]
    the figures of docs/benchmarks.md, as tables; of the replicas that are named, or of all
    (`--only explorer` takes how many states instead)
cargo xtask split
    learns anew which functions open the page, for crates/split/{page,engine}; leaves a page with marks in dist/
cargo xtask cut
    what Trunk calls after a build: cuts the wasm of a page as it is published in two
cargo xtask first
    what index.html shows until the wasm runs, in static/first.html, from the page as it is built in dist/
cargo xtask picture
    the pictures in docs/images, of the page as it is built in dist/
cargo xtask conformance [DIR] [--suite cases|api|kubectl|hash] [--filter PREFIX] [--brief | --verbose | --against FILE]
    recorded runs of Kubernetes against ours: each group with its first difference; in brief; every
    difference; or what changed since a report in FILE
cargo xtask manifests DIR [--minutes N] [--ip-family ipv4|dual]
    what comes of each manifest below DIR in a cluster of its own, as the tables of docs/manifests.md
cargo xtask fuzz [TARGET]… [--executions N] [--seed N]
    inputs that nobody would write, N for each target (10000 without it); those that break a promise are kept in
    crates/fuzz/kept
cargo xtask generate --from DIR [--pin]
    the tables that are made from Kubernetes' sources, from checkouts in DIR of what kubernetes.toml pins
    --pin       pins the files as they are
cargo xtask images --from DIR
    the images that the simulated registry has, from a clone of github.com/docker-library/official-images in DIR
cargo xtask schema
    the schema that the editor completes from, in target/schema.json";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = match args.split_first() {
        Some((name, rest)) => (name.as_str(), rest),
        None => ("", args.as_slice()),
    };
    let done = match name {
        "serve" => serve(rest),
        "build" => flags(rest, &["--dev", "--release"]).and_then(|()| page::build(profile(rest), None)),
        "test" => test::run(rest),
        "lib" => flags(rest, &[]).and_then(|()| page::lib(page::Profile::Release)),
        "bench" => bench::run(rest),
        "release" => package::release(rest),
        "cut" => flags(rest, &[]).and_then(|()| page::cut()),
        "split" => flags(rest, &[]).and_then(|()| page::profile()),
        "first" => flags(rest, &[]).and_then(|()| bench::with_page("static/first.mjs", &[])),
        "picture" => flags(rest, &[]).and_then(|()| bench::with_page("docs/picture.mjs", &[])),
        "conformance" => {
            run::run(cargo().args(["run", "--quiet", "--package", "steady-conformance", "--"]).args(rest))
        }
        "manifests" => {
            run::run(cargo().args(["run", "--quiet", "--package", "steady-manifests", "--"]).args(rest))
        }
        "fuzz" => fuzz(rest),
        "generate" => {
            run::run(cargo().args(["run", "--quiet", "--package", "steady-generate", "--"]).args(rest))
        }
        "images" => images::run(rest),
        "schema" => {
            flags(rest, &[]).and_then(|()| schema(std::env::var_os(SCHEMA_PROGRAM).as_deref().map(Path::new)))
        }
        "" | "help" | "-h" | "--help" => {
            println!("{USAGE}");
            Ok(())
        }
        other => Err(format!("there is no command `{other}`\n\n{USAGE}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("\nerror: {why}");
            ExitCode::FAILURE
        }
    }
}

fn serve(args: &[String]) -> Result<()> {
    let mut port = None;
    let mut args = args.to_vec();
    if let Some(at) = args.iter().position(|a| a == "--port") {
        let value = args.get(at + 1).and_then(|v| v.parse().ok());
        port = Some(value.ok_or("--port wants a number up to 65535")?);
        args.drain(at..at + 2);
    }
    flags(&args, &["--dev", "--release", "--watch", "--no-build"])?;
    let has = |flag: &str| args.iter().any(|a| a == flag);
    if !has("--no-build") {
        page::build(profile(&args), None)?;
    }
    let server = server::Server::bind(port, root().join("dist"), "/")?;
    let _watch = if has("--watch") { Some(page::watch(profile(&args))?) } else { None };
    println!("\nSteady is at {}  (Ctrl+C ends it)", server.url());
    server.run();
    Ok(())
}

/// Built so that inputs are executed fast, and with the checks of a build for development.
fn fuzz(args: &[String]) -> Result<()> {
    let build = ["run", "--quiet", "--package", "steady-fuzz", "--profile", page::QUICK, "--"];
    run::run(cargo().args(build).args(args))
}

/// The environment variable with which Trunk's hook gets the program that writes the schema, if it is built already.
const SCHEMA_PROGRAM: &str = "STEADY_SCHEMA_PROGRAM";

/// Writes the editor's schema with `program`, or with one that is built for it: into Trunk's staging directory if Trunk calls this, else into target/.
fn schema(program: Option<&Path>) -> Result<()> {
    let dir = std::env::var_os("TRUNK_STAGING_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let file = dir.join("schema.json");
    let mut write = match program {
        Some(program) => command(program),
        None => {
            let mut run = cargo();
            run.args(["run", "--quiet", "--package", "steady-schema", "--"]);
            run
        }
    };
    run::run(write.arg(&file))?;
    let size = std::fs::metadata(&file).map_err(|e| format!("{}: {e}", file.display()))?.len();
    println!("schema.json: {} KB", size / 1000);
    Ok(())
}

fn profile(args: &[String]) -> page::Profile {
    if args.iter().any(|a| a == "--dev") { page::Profile::Dev } else { page::Profile::Release }
}

/// Refuses flags that a command does not know.
fn flags(args: &[String], known: &[&str]) -> Result<()> {
    match args.iter().find(|a| !known.contains(&a.as_str())) {
        Some(unknown) => Err(format!("`{unknown}` is not known here\n\n{USAGE}")),
        None => Ok(()),
    }
}
