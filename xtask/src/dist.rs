//! What is given to users: the program for other machines, as an archive, a Debian package and a container, with its parts
//! list and checksums.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use testkit::postgres_server::is_root;

use crate::command::{has, run, run_with};
use crate::packages::install;

/// Where all of it is put.
const FOLDER: &str = "target/packages";
/// Where the compiler for older C libraries is installed.
const ZIG: &str = "target/zig";
/// The oldest C library that the program runs with: that of Debian 10, RHEL 8 and Ubuntu 18.10.
const GLIBC: &str = "2.28";
/// Shells that get a completion script: its name for the program, its folder and its file in a package.
const SHELLS: [(&str, &str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions", "site-audit"),
    ("zsh", "usr/share/zsh/vendor-completions", "_site-audit"),
    ("fish", "usr/share/fish/vendor_completions.d", "site-audit.fish"),
];
/// Files of the Debian package that are as they are in the repository: source, place, mode.
const FILES: [(&str, &str, u32); 8] = [
    ("packaging/debian/site-audit.service", "lib/systemd/system/site-audit.service", 0o644),
    ("packaging/debian/site-audit.toml", "etc/site-audit/site-audit.toml", 0o644),
    ("packaging/debian/environment", "etc/site-audit/environment", 0o640),
    ("LICENSE", "usr/share/doc/site-audit/copyright", 0o644),
    ("CHANGELOG.md", "usr/share/doc/site-audit/CHANGELOG.md", 0o644),
    ("packaging/debian/postinst", "DEBIAN/postinst", 0o755),
    ("packaging/debian/prerm", "DEBIAN/prerm", 0o755),
    ("packaging/debian/postrm", "DEBIAN/postrm", 0o755),
];
/// Files of the Debian package that an owner changes and an upgrade keeps.
const SETTINGS: &str = "/etc/site-audit/environment\n/etc/site-audit/site-audit.toml\n";

/// Makes all of it. `--program FILE` packs a program that is there instead of building one; `--revision N` is the revision
/// of the Debian package, after the version.
pub(crate) fn dist(root: &Path, mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let (mut given, mut revision) = (None, "1".to_owned());
    while let Some(argument) = arguments.next() {
        let value = arguments.next().with_context(|| format!("{argument} needs a value"))?;
        match argument.as_str() {
            "--program" => given = Some(PathBuf::from(value)),
            "--revision" => revision = value,
            other => bail!("{other} is unknown: dist takes --program FILE and --revision N"),
        }
    }
    let version = version(root)?;
    let folder = root.join(FOLDER);
    let staged = folder.join("staged");
    if staged.exists() {
        fs::remove_dir_all(&staged)?;
    }
    let (program, glibc) = match given {
        Some(program) => (program, glibc_of_this_machine()?),
        None => (build(root)?, GLIBC.to_owned()),
    };
    stage(&program, &staged)?;
    let made = [
        archive(root, &staged, &version)?,
        debian(root, &staged, &format!("{version}-{revision}"), &glibc)?,
        parts_list(root, &version)?,
    ];
    checksums(&folder, &made)?;
    fs::remove_dir_all(&staged)?;
    container(root, &version)
}

/// The version of the program, of its manifest.
fn version(root: &Path) -> Result<String> {
    let manifest: toml::Table = fs::read_to_string(root.join("Cargo.toml"))?.parse()?;
    let version = manifest.get("workspace").and_then(|table| table.get("package")?.get("version")?.as_str());
    Ok(version.context("Cargo.toml names no version")?.to_owned())
}

/// Builds the program with the symbols of an old C library, so that it starts on systems as old.
fn build(root: &Path) -> Result<PathBuf> {
    let environment = root.join(ZIG);
    let pip = environment.join("bin/pip").display().to_string();
    if !has(&pip, &["--version"]) {
        if !has("python3", &["-c", "import ensurepip, venv"]) {
            install(root, "python3-venv", "the compiler for older systems")?;
        }
        run(root, "python3", &["-m", "venv", "--clear", ZIG])?;
    }
    let list = ["install", "--quiet", "--disable-pip-version-check", "--requirement", "packaging/requirements.txt"];
    run(root, &pip, &list)?;
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let zigbuild = environment.join("bin/cargo-zigbuild").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    run_with(
        root,
        &zigbuild,
        &[
            "zigbuild",
            "--locked",
            "--profile",
            "dist",
            "--package",
            "site-audit",
            "--target",
            &format!("{target}.{GLIBC}"),
        ],
        &[("PATH", format!("{}:{path}", environment.join("bin").display()))],
    )?;
    Ok(root.join("target").join(target).join("dist/site-audit"))
}

/// The C library of this machine, which a program that was built for it needs.
fn glibc_of_this_machine() -> Result<String> {
    let told = output(Command::new("getconf").arg("GNU_LIBC_VERSION"))?;
    Ok(told.trim().strip_prefix("glibc ").context("this machine has no GNU C library")?.to_owned())
}

/// Puts the program, its manual pages and its completion scripts where a system has them.
fn stage(program: &Path, staged: &Path) -> Result<()> {
    let place = staged.join("usr/bin/site-audit");
    copy(program, &place, 0o755)?;
    let manual = staged.join("usr/share/man/man1");
    output(Command::new(&place).arg("man").arg(&manual))?;
    for page in fs::read_dir(&manual)? {
        output(Command::new("gzip").args(["--best", "--no-name"]).arg(page?.path()))?;
    }
    for (shell, folder, file) in SHELLS {
        let script = output(Command::new(&place).args(["completions", shell]))?;
        fs::create_dir_all(staged.join(folder))?;
        fs::write(staged.join(folder).join(file), script)?;
    }
    Ok(())
}

/// The archive for systems without a package: the same bytes for the same program.
fn archive(root: &Path, staged: &Path, version: &str) -> Result<PathBuf> {
    let name = format!("site-audit-{version}-{}-linux.tar.gz", std::env::consts::ARCH);
    let place = root.join(FOLDER).join(name);
    for file in ["LICENSE", "README.md", "CHANGELOG.md"] {
        copy(&root.join(file), &staged.join("usr/share/doc/site-audit").join(file), 0o644)?;
    }
    let packed = [
        "--sort=name",
        "--mtime=@0",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--use-compress-program=gzip --no-name",
        "--transform=s,^\\./usr,site-audit,",
        "--create",
    ];
    output(Command::new("tar").args(packed).arg("--file").arg(&place).arg("--directory").arg(staged).arg("./usr"))?;
    Ok(place)
}

/// The Debian package.
fn debian(root: &Path, staged: &Path, version: &str, glibc: &str) -> Result<PathBuf> {
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?.trim().to_owned();
    for (source, place, mode) in FILES {
        copy(&root.join(source), &staged.join(place), mode)?;
    }
    fs::remove_file(staged.join("usr/share/doc/site-audit/LICENSE"))?;
    let kilobytes = output(Command::new("du").args(["--summarize", "--block-size=1024"]).arg(staged))?;
    let control = fs::read_to_string(root.join("packaging/debian/control"))?
        .replace("@VERSION@", version)
        .replace("@ARCHITECTURE@", &architecture)
        .replace("@GLIBC@", glibc)
        .replace("@SIZE@", kilobytes.split_whitespace().next().unwrap_or_default());
    fs::write(staged.join("DEBIAN/control"), control)?;
    fs::write(staged.join("DEBIAN/conffiles"), SETTINGS)?;
    let place = root.join(FOLDER).join(format!("site-audit_{version}_{architecture}.deb"));
    output(Command::new("dpkg-deb").args(["--build", "--root-owner-group", "-Zxz"]).arg(staged).arg(&place))?;
    Ok(place)
}

/// The list of the parts that the program is made of (SBOM), as CycloneDX.
fn parts_list(root: &Path, version: &str) -> Result<PathBuf> {
    if !has("cargo", &["cyclonedx", "--version"]) {
        println!("cargo-cyclonedx lists the crates of the program; it is installed once.");
        run(root, "cargo", &["install", "--locked", "--debug", "cargo-cyclonedx"])?;
    }
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let name = format!("site-audit-{version}.cdx");
    let manifest = "crates/site-audit/Cargo.toml";
    run(
        root,
        "cargo",
        &[
            "cyclonedx",
            "--manifest-path",
            manifest,
            "--format",
            "json",
            "--target",
            &target,
            "--override-filename",
            &name,
        ],
    )?;
    // It writes one beside the manifest of each crate of the workspace.
    let place = root.join(FOLDER).join(format!("{name}.json"));
    let written = format!("{name}.json");
    // It names our own crates by where they lie on this machine.
    let list = fs::read_to_string(root.join("crates/site-audit").join(&written))?;
    fs::write(&place, list.replace(&format!("file://{}/", root.display()), ""))?;
    // Without what is ignored, which the copy in the target folder is.
    let others = ["ls-files", "--others", "--exclude-standard", "--"];
    let listed = output(Command::new("git").current_dir(root).args(others).arg(format!("*/{written}")))?;
    for beside in listed.lines() {
        fs::remove_file(root.join(beside))?;
    }
    let list: Value = serde_json::from_slice(&fs::read(&place)?)?;
    let count = list.get("components").and_then(Value::as_array).map_or(0, Vec::len);
    if count == 0 {
        bail!("{} lists no parts", place.display());
    }
    println!("{count} parts in {}", place.display());
    Ok(place)
}

/// `SHA256SUMS`, as `sha256sum --check` reads it.
fn checksums(folder: &Path, made: &[PathBuf]) -> Result<()> {
    let mut lines = String::new();
    for path in made {
        let digest = Sha256::digest(fs::read(path)?);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let name = path.file_name().context("a package has a name")?.to_string_lossy();
        println!("{name}");
        lines.push_str(&format!("{hex}  {name}\n"));
    }
    fs::write(folder.join("SHA256SUMS"), lines)?;
    Ok(())
}

/// The image, where a program is present that builds one.
fn container(root: &Path, version: &str) -> Result<()> {
    let Some(builder) = ["docker", "podman"].into_iter().find(|name| has(name, &["info"])) else {
        println!("passed over, the container: neither docker nor podman runs here");
        return Ok(());
    };
    let tag = format!("site-audit:{version}");
    run(root, builder, &["build", "--file", "packaging/container/Containerfile", "--tag", &tag, "."])
}

/// Installs the package on a system of its own, as its owner would: installs, starts, upgrades, removes, purges.
pub(crate) fn try_packages(root: &Path) -> Result<()> {
    if !is_root() {
        bail!("a system of its own is made by root: run this as root");
    }
    if !has("debootstrap", &["--version"]) {
        install(root, "debootstrap", "a system of its own")?;
    }
    run(root, "packaging/debian/try.sh", &[FOLDER])
}

/// Copies a file, making its folder.
fn copy(source: &Path, place: &Path, mode: u32) -> Result<()> {
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(source, place).with_context(|| format!("copying {} to {}", source.display(), place.display()))?;
    fs::set_permissions(place, std::os::unix::fs::PermissionsExt::from_mode(mode))?;
    Ok(())
}

/// What a program writes; its failure is ours.
fn output(command: &mut Command) -> Result<String> {
    let done = command.output().with_context(|| format!("{} could not be started", command.get_program().display()))?;
    if !done.status.success() {
        bail!("{} failed: {}", command.get_program().display(), String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(String::from_utf8(done.stdout)?)
}
