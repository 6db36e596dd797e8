//! Every command of this repository: `cargo xtask` lists them.
#![expect(clippy::disallowed_methods, reason = "commands of developers, at their own machine")]
#![expect(clippy::print_stdout, reason = "a command talks to the person who typed it")]

mod book;
mod browser;
mod calibrate;
mod command;
mod compare_browser;
mod dist;
mod distributed;
mod faults;
mod fuzz;
mod html_trees;
mod instructions;
mod judges;
mod lighthouse;
mod messages;
mod mutants;
mod order;
mod packages;
mod payments_rig;
mod postgres;
mod python;
mod rooms;
mod shape;
mod site_runs;
mod wire;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use command::{has, run, run_with};

/// One command: name, what it does, how.
type CommandEntry = (&'static str, &'static str, fn(&Path) -> Result<()>);

const COMMANDS: &[CommandEntry] = &[
    ("test", "run every test; installs what they need: PostgreSQL, Chromium, packages of npm and Python", test),
    ("test-fast", "the same without PostgreSQL and without a browser", |root| {
        run_tests(root, &[(testkit::browser::PROGRAM, String::new())])
    }),
    (
        "lint",
        "formatting, arrows between crates and rooms, names of types, texts of the catalog, compiler and clippy warnings as errors, licences and bans; installs cargo-deny",
        lint,
    ),
    ("rooms", "[order]: imports that turn an arrow of rooms.toml; order: orders that the imports allow", |root| {
        rooms::rooms(root, std::env::args().skip(2))
    }),
    ("shape", "types that share a name, files that are too long", shape::check),
    ("fmt", "format the code", |root| run(root, "cargo", &["fmt", "--all"])),
    ("messages", "rules that the texts of the catalog keep, and their table", messages::check),
    (
        "gen",
        "write the generated files again (docs: checks, messages, api, openapi, configuration; tables of SQLite)",
        |root| {
            messages::write(root)?;
            let tables = ["test", "--locked", "--package", "store", "--lib", "migrations::at_once::"];
            run_with(root, "cargo", &tables, &[("UPDATE", "1".to_owned())])?;
            let only = ["test", "--locked", "--package", "site-audit", "--test", "it", "generated::"];
            run_with(root, "cargo", &only, &[("UPDATE", "1".to_owned())])
        },
    ),
    (
        "bench",
        "[html|report|hostile|service|reads|flood]: measure the parser, the core, hostile pages, whole audits over HTTP, reads of stored ones, and audits beside a flood of page views",
        |root| {
            run(root, "cargo", &["build", "--profile", "dist", "--locked", "--package", "site-audit"])?;
            let parts: Vec<String> = std::env::args().skip(2).collect();
            let bench = ["run", "--profile", "dist", "--locked", "--package", "bench"];
            if parts.is_empty() {
                run(root, "cargo", &[&bench[..], &["--bin", "allocations"]].concat())?;
            }
            let parts: Vec<&str> = std::iter::once("--").chain(parts.iter().map(String::as_str)).collect();
            run(root, "cargo", &[&bench[..], &parts].concat())
        },
    ),
    (
        "load",
        "[reads|audits|sign-ins|hostile|burst|soak] [--seconds N], or --stored N: calls at a constant rate, timed from when they were due; a database of N audits",
        |root| {
            run(root, "cargo", &["build", "--profile", "dist", "--locked", "--package", "site-audit"])?;
            let parts: Vec<String> = std::env::args().skip(2).collect();
            let load = ["run", "--profile", "dist", "--locked", "--package", "bench", "--", "load"];
            run(root, "cargo", &load.into_iter().chain(parts.iter().map(String::as_str)).collect::<Vec<_>>())
        },
    ),
    (
        "instructions",
        "[--check] [--functions]: count the instructions of each stage of a report and write them, or compare with those kept; installs valgrind",
        |root| instructions::instructions(root, std::env::args().skip(2)),
    ),
    (
        "order",
        "[release|dist]: note which functions a start and an audit run, for the linker to put beside each other; installs valgrind",
        |root| order::order(root, std::env::args().skip(2)),
    ),
    (
        "book",
        "[--base-url URL] [--check]: the documentation as one site in target/book/site; --check: links, and our own audit of each page; installs mdBook",
        |root| book::book(root, std::env::args().skip(2)),
    ),
    ("compare-browser", "compare the facts of each page of DIR with Chromium's (default: the corpus)", |root| {
        browser::install_chromium(root, "the comparison")?;
        compare_browser::compare(root, std::env::args().nth(2))
    }),
    (
        "calibrate",
        "[DIR] [--write]: how often each check fires on real pages (default: the corpus), and what they score",
        |root| calibrate::calibrate(root, std::env::args().skip(2)),
    ),
    (
        "html-differential",
        "[--minutes N] [--seed S] [--scripting off]: compare the trees of random documents with html5ever's",
        |_| html_trees::differential(std::env::args().skip(2)),
    ),
    (
        "html-referee",
        "[--documents N] [--seed S] [--scripting off], [--corpus DIR], [--sources FILE]: compare trees with Chromium's",
        |root| {
            browser::install_chromium(root, "the comparison")?;
            html_trees::referee(root, std::env::args().skip(2))
        },
    ),
    (
        "lighthouse",
        "ADDRESS…: what Lighthouse says of pages of a running service, medians of three; installs it",
        |root| lighthouse::measure(root, std::env::args().skip(2)),
    ),
    ("screenshot", "draw the report at the top of the README; [DIR]: and every page, in each look", |root| {
        // All pages are drawn by the test that looks for barriers, which needs axe.
        if std::env::args_os().nth(2).is_some() {
            browser::install_for_tests(root)?;
        } else {
            browser::install_chromium(root, "the picture")?;
        }
        let folder = |path: &Path| root.join(path).display().to_string();
        let pages = std::env::args_os().nth(2).map(|path| ("SITE_AUDIT_PICTURES", folder(path.as_ref())));
        let drawn = if pages.is_some() { "pages::browser::" } else { "pages::browser::the_picture" };
        let mut wanted = vec![("SITE_AUDIT_README_PICTURES", folder("docs/images".as_ref()))];
        wanted.extend(pages);
        run_with(root, "cargo", &["test", "--locked", "--package", "site-audit", "--test", "it", drawn], &wanted)
    }),
    ("fuzz", "[--minutes N] [TARGET…]: look for inputs that break a parser; installs cargo-fuzz", |root| {
        fuzz::fuzz(root, std::env::args().skip(2))
    }),
    (
        "watches",
        "[N]: two servers on one PostgreSQL run the same day's watches of N pages (default: 500), once each",
        |root| {
            let postgres = postgres::start(root)?;
            let watches = std::env::args().nth(2).unwrap_or_else(|| "500".to_owned());
            let only = ["test", "--locked", "--package", "site-audit", "--test", "it", "watch_servers::"];
            run_with(
                root,
                "cargo",
                &only,
                &[("SITE_AUDIT_TEST_POSTGRES", postgres.url()), ("SITE_AUDIT_TEST_WATCHES", watches)],
            )
        },
    ),
    (
        "payments-rig",
        "[--older-client]: pay beside a local chain, a facilitator and clients of x402, all published; installs them",
        |root| payments_rig::payments_rig(root, std::env::args().skip(2)),
    ),
    (
        "faults",
        "[F01 …] [--runs N] [--seed S]: make the faults of docs/reliability.md, these or all, each N times, and count violations; installs strace and HAProxy",
        |root| faults::faults(root, std::env::args().skip(2)),
    ),
    (
        "site-runs",
        "kills [N]: kill `site-audit site` N times (default: 200); made [PAGES]: audit a made site with planted defects (default: 10000 pages); bench [PAGES] [BYTES]: measure it beside siteone-crawler, which is installed",
        |root| site_runs::site_runs(root, std::env::args().skip(2)),
    ),
    ("python", "build the wheel of the Python package and run its tests; installs maturin and pytest", python::python),
    (
        "distributed",
        "[--pages N] [--bytes N] [-k NAME]: have Ray with a worker that is killed, Daft, Spark and DuckDB audit a made site with the Python package, and compare what they find; installs them; --help",
        |root| distributed::distributed(root, std::env::args().skip(2)),
    ),
    ("dashboard", "ask a real Prometheus every query of the Grafana dashboard; installs Prometheus", |root| {
        if !has("prometheus", &["--version"]) {
            packages::install(root, "prometheus", "the dashboard")?;
        }
        let only = ["test", "--locked", "--package", "site-audit", "--test", "it", "metrics::the_dashboard"];
        run_with(root, "cargo", &only, &[("SITE_AUDIT_TEST_REQUIRE_PROMETHEUS", "1".to_owned())])
    }),
    (
        "mutants",
        "html [ARGUMENT…], checks or limits [--again] [--survivors] [--only TEXT]: which changes of the tree builder, of checks, patch and score, or of limits and states no quick test notices; installs cargo-mutants",
        |root| mutants::mutants(root, std::env::args().skip(2)),
    ),
    (
        "wire",
        "record PROGRAM FOLDER, compare OLD NEW: every answer of a site-audit program, byte for byte but for ids and times",
        |root| wire::wire(root, std::env::args().skip(2)),
    ),
    (
        "dist",
        "[--program FILE] [--revision N]: build the program for older systems too, and pack it: archive, Debian package, container, parts list, checksums",
        |root| dist::dist(root, std::env::args().skip(2)),
    ),
    (
        "dist-try",
        "install, start, upgrade and remove the Debian package of dist on a system of its own; as root",
        dist::try_packages,
    ),
    ("ci", "lint, test, and compare instructions: what a change must pass", ci),
];

fn main() -> Result<()> {
    let root = root()?;
    let wanted = std::env::args().nth(1).unwrap_or_default();
    match COMMANDS.iter().find(|(name, _, _)| *name == wanted) {
        Some((_, _, command)) => command(&root),
        None => {
            println!("usage: cargo xtask COMMAND\n");
            for (name, what, _) in COMMANDS {
                println!("  {name:<17} {what}");
            }
            if ["", "help", "--help", "-h"].contains(&wanted.as_str()) {
                Ok(())
            } else {
                bail!("there is no command {wanted}")
            }
        }
    }
}

/// The workspace's root: the folder above this package.
fn root() -> Result<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(package.parent().context("xtask lies in the workspace")?.to_owned())
}

/// Packages are installed while the lints compile: that waits for the network, not for a core.
fn ci(root: &Path) -> Result<()> {
    std::thread::scope(|scope| {
        let installed = scope.spawn(|| install_for_tests(root));
        lint(root)?;
        installed.join().map_err(|_| anyhow!("the installation panicked"))?
    })?;
    run_all_tests(root)?;
    println!("$ cargo xtask instructions --check");
    instructions::instructions(root, std::iter::once("--check".to_owned()))
}

fn test(root: &Path) -> Result<()> {
    install_for_tests(root)?;
    run_all_tests(root)
}

fn install_for_tests(root: &Path) -> Result<()> {
    browser::install_for_tests(root)?;
    faults::install_for_tests(root)?;
    judges::install_for_tests(root)
}

fn run_all_tests(root: &Path) -> Result<()> {
    let postgres = postgres::start(root)?;
    run_tests(
        root,
        &[("SITE_AUDIT_TEST_POSTGRES", postgres.url()), ("SITE_AUDIT_TEST_REQUIRE_POSTGRES", "1".to_owned())],
    )?;
    // The program is built: its own tests needed it.
    println!("$ cargo xtask python");
    python::test(root)
}

/// Tests that run at once: three for each core. Chosen, as many of them wait for a server, a database or a browser.
fn tests_at_once() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    (3 * cores).to_string()
}

fn run_tests(root: &Path, environment: &[(&str, String)]) -> Result<()> {
    let threads = std::env::var("RUST_TEST_THREADS").unwrap_or_else(|_| tests_at_once());
    let environment = [environment, &[("RUST_TEST_THREADS", threads)]].concat();
    // All failures of a run are worth knowing, not those of the first program alone.
    run_with(root, "cargo", &["test", "--workspace", "--locked", "--no-fail-fast"], &environment)
}

fn lint(root: &Path) -> Result<()> {
    run(root, "cargo", &["fmt", "--all", "--check"])?;
    println!("$ cargo xtask rooms");
    rooms::rooms(root, std::iter::empty())?;
    println!("$ cargo xtask shape");
    shape::check(root)?;
    println!("$ cargo xtask messages");
    messages::check(root)?;
    run(root, "cargo", &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])?;
    if !has("cargo-deny", &["--version"]) {
        println!("cargo-deny judges licences, bans and sources of dependencies; it is installed once.");
        // It runs for a second, so it need not be optimised.
        run(root, "cargo", &["install", "--locked", "--debug", "cargo-deny"])?;
    }
    run(root, "cargo", &["deny", "--log-level", "error", "check", "licenses", "bans", "sources"])
}
