//! Finding Chromium for the tests, or installing it where one command does that.

use std::path::{Path, PathBuf};

use crate::run::{Result, command, find, output, run};

/// A browser and its driver.
pub struct Browser {
    /// Chrome or Chromium.
    pub chrome: PathBuf,
    /// The chromedriver of the same version.
    pub driver: PathBuf,
}

const CHROMES: &[&str] =
    &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];
const CHROME_PLACES: &[&str] = &[
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/snap/bin/chromium",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
];
const DRIVER_PLACES: &[&str] = &[
    "/usr/lib/chromium/chromedriver",
    "/usr/lib/chromium-browser/chromedriver",
    "/opt/homebrew/bin/chromedriver",
    "/usr/local/bin/chromedriver",
];

/// Finds both. On Debian, as root, it installs what is missing.
pub fn ensure() -> Result<Browser> {
    if (chrome().is_none() || driver().is_none()) && debian_root() {
        run(command("apt-get").arg("update").env("DEBIAN_FRONTEND", "noninteractive"))?;
        apt(&["chromium", "chromium-driver"])?;
    }
    if find("fc-list")
        .is_some_and(|_| output(command("fc-list").arg(":lang=zh")).is_some_and(|l| l.is_empty()))
    {
        if debian_root() {
            apt(&["fonts-noto-cjk"])?;
        } else {
            println!("note: no Chinese font here, so screenshots show boxes (Debian: fonts-noto-cjk)");
        }
    }
    match (chrome(), driver()) {
        (Some(chrome), Some(driver)) => Ok(Browser { chrome, driver }),
        (chrome, _) => {
            let missing = if chrome.is_none() { "Chrome or Chromium" } else { "chromedriver" };
            Err(format!(
                "{missing} is missing; the tests in a browser need both, of one version.\n\
                 Debian:          sudo apt-get install chromium chromium-driver fonts-noto-cjk\n\
                 Fedora:          sudo dnf install chromium chromedriver google-noto-sans-cjk-fonts\n\
                 Arch:            sudo pacman -S chromium noto-fonts-cjk\n\
                 macOS:           brew install --cask google-chrome chromedriver\n\
                 Ubuntu, Windows: Chrome, and its chromedriver from https://googlechromelabs.github.io/chrome-for-testing/\n\
                 Or name them in the variables CHROME and CHROMEDRIVER."
            ))
        }
    }
}

fn chrome() -> Option<PathBuf> {
    named("CHROME").or_else(|| CHROMES.iter().find_map(|name| find(name))).or_else(|| existing(CHROME_PLACES))
}

fn driver() -> Option<PathBuf> {
    let name = format!("chromedriver{}", std::env::consts::EXE_SUFFIX);
    named("CHROMEDRIVER")
        .or_else(|| find("chromedriver"))
        // CI machines set a directory.
        .or_else(|| Some(named("CHROMEWEBDRIVER")?.join(name)).filter(|file| file.is_file()))
        .or_else(|| existing(DRIVER_PLACES))
}

fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.exists())
}

fn existing(places: &[&str]) -> Option<PathBuf> {
    places.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// Whether this is Debian itself, as root: Ubuntu's `chromium` is a stub that needs snapd.
fn debian_root() -> bool {
    let debian =
        std::fs::read_to_string("/etc/os-release").is_ok_and(|os| os.lines().any(|l| l == "ID=debian"));
    debian
        && Path::new("/usr/bin/apt-get").exists()
        && output(command("id").arg("-u")).as_deref() == Some("0")
}

fn apt(packages: &[&str]) -> Result<()> {
    run(command("apt-get")
        .args(["install", "--yes", "--no-install-recommends"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive"))
}
