//! What `site-audit lab setup` installs: npm packages into a folder of their own, as pinned here, and Chromium from the
//! system's packages.

use std::ffi::OsString;
use std::path::Path;

use crate::lighthouse::programs::InstalledProgram;

/// The npm packages, each with version and digest.
const PACKAGES: [(&str, &str); 2] = [
    ("package.json", include_str!("../../npm/package.json")),
    ("package-lock.json", include_str!("../../npm/package-lock.json")),
];
/// Debian's program for packages.
const APT: &str = "/usr/bin/apt-get";

/// A command that installs something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Install {
    /// What it installs.
    pub what: &'static str,
    /// The program.
    pub program: &'static str,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// The commands that install what is missing, in order. Packages of npm run no scripts of theirs.
pub fn commands(programs: &[InstalledProgram; 3], folder: &Path) -> Vec<Install> {
    let [node, lighthouse, chromium] = programs;
    let mut commands = Vec::new();
    if !node.is_usable || !lighthouse.is_usable || lighthouse.version.as_deref() != Some(pinned_version()) {
        // The package of Node is optional: it is left out where the system's Node will do.
        let own_node = node.path.as_ref().is_some_and(|path| path.starts_with(folder));
        let without_node = node.is_usable && !own_node;
        let what = if without_node { "Lighthouse" } else { "Lighthouse and Node" };
        // Below errors, npm warns of the system's Node, which is not the one that is used.
        let mut arguments: Vec<OsString> =
            ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"].map(OsString::from).into();
        if without_node {
            arguments.push("--omit=optional".into());
        }
        arguments.extend(["--prefix".into(), folder.into()]);
        commands.push(Install { what, program: "npm", arguments });
    }
    if !chromium.is_usable && chromium.path.is_none() && Path::new(APT).exists() {
        let arguments = ["install", "--yes", "--no-install-recommends", "chromium"].map(OsString::from).into();
        commands.push(Install { what: "Chromium", program: APT, arguments });
    }
    commands
}

/// Writes the pins of npm into the folder.
pub fn write_pins(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    PACKAGES.iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text))
}

/// The version of Lighthouse that is installed.
pub fn pinned_version() -> &'static str {
    let [(_, package), _] = PACKAGES;
    let after = package.split_once("\"lighthouse\": \"").map_or("", |(_, rest)| rest);
    after.split('"').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &'static str, path: &str, version: Option<&str>, is_usable: bool) -> InstalledProgram {
        InstalledProgram { name, path: Some(path.into()), version: version.map(str::to_owned), is_usable }
    }

    fn texts(programs: &[InstalledProgram; 3]) -> Vec<String> {
        let line = |install: Install| {
            let arguments: Vec<_> = install.arguments.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            format!("{} {}", install.program, arguments.join(" "))
        };
        commands(programs, Path::new("/srv/lab")).into_iter().map(line).collect()
    }

    #[test]
    fn only_what_is_missing_is_installed() {
        let node = found("Node", "/usr/bin/node", Some("v22.19.0"), true);
        let old = found("Node", "/usr/bin/node", Some("v20.0.0"), false);
        let lighthouse = found("Lighthouse", "/srv/lab/node_modules/lighthouse", Some(pinned_version()), true);
        let none = InstalledProgram { name: "Lighthouse", path: None, version: None, is_usable: false };
        let chromium = found("Chromium", "/usr/bin/chromium", Some("Chromium 150"), true);
        let npm = "npm ci --ignore-scripts --no-audit --no-fund --loglevel=error";
        assert_eq!(texts(&[node.clone(), lighthouse.clone(), chromium.clone()]), Vec::<String>::new());
        assert_eq!(
            texts(&[node, none.clone(), chromium.clone()]),
            [format!("{npm} --omit=optional --prefix /srv/lab")]
        );
        assert_eq!(texts(&[old, none, chromium]), [format!("{npm} --prefix /srv/lab")]);
    }

    #[test]
    fn the_pins_agree() {
        let [(_, package), (_, lock)] = PACKAGES.map(|(name, text)| (name, serde_json::from_str(text).unwrap()));
        let (package, lock): (serde_json::Value, serde_json::Value) = (package, lock);
        assert_eq!(package["dependencies"]["lighthouse"], pinned_version());
        assert_eq!(lock["packages"]["node_modules/lighthouse"]["version"], pinned_version());
        let packages = lock["packages"].as_object().unwrap();
        assert!(packages.iter().all(|(name, package)| name.is_empty() || package["integrity"].is_string()));
    }
}
