//! Fetches Coal's published wheel and compiles the shim that calls it.
//!
//! Coal is a C++ library; its wheels on PyPI carry the headers and the shared library. They are
//! installed once under the build folder, never into the system. When that fails (no Python, no
//! compiler, no network) the benchmarks are built without Coal and say so.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library, and the header-only Eigen its headers ask for.
const WHEELS: [&str; 2] = ["libcoal==3.0.3", "cmeel-eigen==3.4.1"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=coal/shim.cpp");
    println!("cargo:rerun-if-env-changed=CLEARANCE_BENCH_NO_COAL");
    println!("cargo:rustc-check-cfg=cfg(coal)");
    if env::var_os("CLEARANCE_BENCH_NO_COAL").is_some() {
        return;
    }
    match prefix().and_then(|prefix| compile(&prefix)) {
        Ok(()) => println!("cargo:rustc-cfg=coal"),
        Err(why) => println!("cargo:warning=building without Coal: {why}"),
    }
}

/// Where the wheels' `include` and `lib` folders are.
fn prefix() -> Result<PathBuf, String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let target = out.join("wheels");
    let prefix = target.join("cmeel.prefix");
    if !prefix.join("lib/libcoal.so").exists() {
        let status = Command::new("python3")
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"])
            .arg(&target)
            .args(WHEELS)
            .status()
            .map_err(|error| format!("python3 could not be started ({error})"))?;
        if !status.success() {
            return Err(format!("pip could not install {}", WHEELS.join(" ")));
        }
    }
    if prefix.join("lib/libcoal.so").exists() {
        Ok(prefix)
    } else {
        Err("the wheel holds no lib/libcoal.so".to_owned())
    }
}

fn compile(prefix: &Path) -> Result<(), String> {
    let lib = prefix.join("lib");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .file("coal/shim.cpp")
        .flag("-isystem")
        .flag(path(&prefix.join("include"))?)
        .flag("-isystem")
        .flag(path(&prefix.join("include/eigen3"))?)
        .flag_if_supported("-Wno-deprecated-declarations")
        .opt_level(3)
        .define("NDEBUG", None)
        .try_compile("coal_shim")
        .map_err(|error| error.to_string())?;
    println!("cargo:rustc-link-search=native={}", path(&lib)?);
    println!("cargo:rustc-link-lib=dylib=coal");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", path(&lib)?);
    Ok(())
}

fn path(path: &Path) -> Result<&str, String> {
    path.to_str().ok_or_else(|| format!("{} is not UTF-8", path.display()))
}
