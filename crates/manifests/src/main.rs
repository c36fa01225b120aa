//! `steady-manifests DIR [--minutes N] [--ip-family ipv4|dual]`

use std::path::PathBuf;
use std::process::ExitCode;

use jiff::SignedDuration;
use steady::api::ip_family::{IpFamily, NoSuchIpFamily};
use steady_manifests::{Clusters, folders, table};

const USAGE: &str = "steady-manifests DIR [--minutes N] [--ip-family ipv4|dual]

Applies every manifest below DIR to a cluster of its own, lets the cluster run for N minutes of its time (5 if not
given), and prints what came of it as Markdown. The clusters have IPv4, or with --ip-family dual IPv6 too.";

fn run(mut args: impl Iterator<Item = String>) -> Result<String, String> {
    let (mut directory, mut minutes, mut ip_family) = (None, 5, IpFamily::default());
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--minutes" => {
                let number = args.next().and_then(|n| n.parse().ok()).filter(|n| (0..=10_000).contains(n));
                minutes = number.ok_or("--minutes needs a number up to 10000")?;
            }
            "--ip-family" => {
                let name = args.next().unwrap_or_default();
                ip_family = name.parse().map_err(|e: NoSuchIpFamily| e.to_string())?;
            }
            "--help" | "-h" => return Err(USAGE.into()),
            a if a.starts_with('-') => return Err(format!("unknown option {a}\n\n{USAGE}")),
            a => directory = Some(PathBuf::from(a)),
        }
    }
    let directory = directory.ok_or(USAGE)?;
    let clusters = Clusters { time: SignedDuration::from_mins(minutes), ip_family };
    Ok(table(&folders(&directory, clusters)?))
}

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}
