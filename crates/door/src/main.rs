//! `steady-door`: a cluster for kubectl and client libraries. See docs/door.md.

use std::io::Write as _;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::SystemTime;

use steady::api::Timestamp;
use steady::cluster::{Cluster, Config};
use steady_door::{Running, args, kubeconfig};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let now = Timestamp::try_from(SystemTime::now())?;
    let Some(args) = args::parse(std::env::args().skip(1), now)? else {
        println!("{}", args::USAGE);
        return Ok(());
    };
    let (nodes, seed, start) = (args.nodes, args.seed, args.start);
    let address = args.options.address;
    let running = Running::start(args.options, move || {
        let mut config = Config { seed, ..Config::nodes(nodes) };
        if let Some(start) = start {
            config.start = start;
        }
        let mut cluster = Cluster::new(&config);
        cluster.set_texts(Rc::new(steady_schema::texts()));
        cluster
    })
    .map_err(|e| format!("{address}: {e}"))?;
    if let Some(file) = &args.kubeconfig {
        kubeconfig::write(file, &running.url()).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    // The reader of the output may have closed it, which is no error.
    let _ = writeln!(std::io::stdout(), "Steady's API server is at {}  (Ctrl+C ends it)", running.url());
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(ended())?;
    running.stop();
    Ok(())
}

/// Waits for the signal to end, from the system or a person.
#[cfg(unix)]
async fn ended() -> std::io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        done = tokio::signal::ctrl_c() => done,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn ended() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
