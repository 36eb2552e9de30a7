//! Finding the program `callsign-testkit` from the tests of another crate.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// The program `callsign-testkit`, built for the profile the calling test was built for. If it is missing or older than
/// its sources, the first call in a process runs `cargo build`; cargo's own lock lets many test processes do that at once,
/// and all but the first then find nothing to do.
///
/// # Panics
/// If there is no program and none can be built: a test that cannot start its server has failed.
#[must_use]
pub fn server_binary() -> PathBuf {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(build).clone()
}

#[expect(clippy::panic, reason = "only tests call this, and have nothing to go on with")]
fn build() -> PathBuf {
    let Some(folder) = profile_folder() else {
        panic!("cannot tell where the test itself was built");
    };
    let binary = folder.join(format!("callsign-testkit{}", std::env::consts::EXE_SUFFIX));
    if is_fresh(&binary) {
        return binary;
    }
    let built = cargo_build(&folder);
    if !binary.is_file() {
        panic!("no {}: cargo build -p callsign-testkit said {built}", binary.display());
    }
    binary
}

/// `target/<profile>`: the test stands in its folder `deps`, an example or a bench in a sibling of it.
fn profile_folder() -> Option<PathBuf> {
    let test = std::env::current_exe().ok()?;
    test.parent()?.parent().map(Path::to_path_buf)
}

/// Whether the program is younger than everything it is built from here.
fn is_fresh(binary: &Path) -> bool {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let built = binary.metadata().and_then(|it| it.modified());
    let sources = newest(&home.join("src"), newest(&home.join("Cargo.toml"), None));
    matches!((built, sources), (Ok(built), Some(sources)) if built > sources)
}

/// The latest time of change of a file or anything in a folder, or `so_far` if that is later.
fn newest(path: &Path, so_far: Option<SystemTime>) -> Option<SystemTime> {
    let own = path.metadata().and_then(|it| it.modified()).ok();
    let inside = std::fs::read_dir(path).into_iter().flatten().flatten();
    inside.fold(so_far.max(own), |so_far, entry| newest(&entry.path(), so_far))
}

fn cargo_build(folder: &Path) -> String {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["build", "--quiet", "--bin", "callsign-testkit", "--manifest-path"])
        .arg(manifest);
    if let Some(target) = folder.parent() {
        command.arg("--target-dir").arg(target);
    }
    match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => {}
        Some(profile) => {
            command.args(["--profile", profile]);
        }
    }
    match command.output() {
        Ok(output) if output.status.success() => "nothing".into(),
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(cause) => cause.to_string(),
    }
}
