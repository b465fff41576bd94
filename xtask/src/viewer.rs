//! The page that plays recordings: that the text built into the program is the one its sources give, and that it works in
//! a real browser. Node's packages and Chromium are fetched where they are missing.

use crate::{Outcome, run};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PAGE: &str = "crates/formats/src/page/viewer.html";

/// The text says which sources it was built from; they must be those that are here.
pub(crate) fn is_built() -> Outcome {
    let page = std::fs::read_to_string(run::root().join(PAGE)).map_err(|error| format!("{PAGE}: {error}"))?;
    let digest = digest(&run::root().join("viewer")).map_err(|error| format!("viewer: {error}"))?;
    if page.contains(&format!("content=\"{digest}\"")) {
        return Ok(());
    }
    Err(format!(
        "{PAGE} is not built from viewer/ as it is: `npm install --no-save && npm run build` in viewer/"
    ))
}

/// FNV-1a over the names and texts of the sources, as `viewer/vite.config.mjs` computes it.
fn digest(folder: &Path) -> std::io::Result<String> {
    let mut names: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(folder.join("src"))? {
        names.push(format!("src/{}", entry?.file_name().to_string_lossy()));
    }
    names.sort();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let fixed = ["index.html", "package-lock.json", "tsconfig.json", "vite.config.mjs"].map(str::to_owned);
    for name in fixed.into_iter().chain(names) {
        let text = std::fs::read_to_string(folder.join(&name))?.replace("\r\n", "\n");
        for byte in format!("{name}\n{text}").bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    Ok(format!("{hash:016x}"))
}

/// Type checks the page and runs its tests with the program `clearance`.
pub(crate) fn works(program: &Path) -> Outcome {
    let npm = |words: &[&str]| {
        let mut command = Command::new("npm");
        command.args(words).current_dir(run::root().join("viewer"));
        command
    };
    if !answers("npm") || !answers("node") {
        return Err("the page's tests need Node.js (node and npm), which is not installed".to_owned());
    }
    if !run::root().join("viewer/node_modules/playwright-core").exists() {
        // `npm ci` refuses lock files that leave out the packages of other platforms.
        run::through(npm(&["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]))?;
    }
    let chromium = chromium()?;
    run::through(npm(&["run", "--silent", "check"]))?;
    let mut tests = npm(&["run", "--silent", "test"]);
    tests.env("CLEARANCE", program).env("CHROMIUM", chromium);
    run::through(tests)
}

/// A Chromium that is here, or is fetched with the system's package manager.
fn chromium() -> Result<PathBuf, String> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let found = || {
        ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
            .into_iter()
            .find(|name| answers(name))
            .map(PathBuf::from)
            .and_then(|name| which(&name))
    };
    if let Some(path) = named.or_else(found) {
        return Ok(path);
    }
    println!("fetching Chromium");
    let mut fetch = Command::new("apt-get");
    fetch.args(["install", "--yes", "--quiet", "--no-install-recommends", "chromium"]).stdout(Stdio::null());
    let fetched = fetch.status().is_ok_and(|status| status.success());
    if !fetched {
        // The list of packages may be old.
        let mut update = Command::new("apt-get");
        update.args(["update", "--quiet"]).stdout(Stdio::null());
        let _ = update.status();
        let _ = fetch.status();
    }
    found().ok_or_else(|| "the page's tests need Chromium; install it, or name it in CHROMIUM".to_owned())
}

fn answers(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn which(program: &Path) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).map(|folder| folder.join(program)).find(|path| path.is_file())
}
