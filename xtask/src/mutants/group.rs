//! What can be changed together: files of some crates, and the tests that are to notice.

/// Code that is changed, and the tests that are tried on it.
#[derive(Debug)]
pub(crate) struct Group {
    /// Its name as an argument.
    pub(crate) name: &'static str,
    /// Configuration of cargo-mutants, with the files.
    pub(crate) config: &'static str,
    /// Crates that are changed.
    pub(crate) packages: &'static [&'static str],
    /// Folders that are copied, with all that the crates need.
    pub(crate) folders: &'static [&'static str],
    /// Members of the copy's workspace.
    pub(crate) members: &'static [&'static str],
    /// Packages that are compiled, as arguments of Cargo. With those of the usual build what is compiled already is used.
    pub(crate) selection: &'static [&'static str],
    /// Arguments of the first command, which looks for errors.
    pub(crate) check: &'static [&'static str],
    /// Arguments of the command that makes the test programs.
    pub(crate) build: &'static [&'static str],
    /// Whether crates of the copy keep their tests that are no program of the group.
    pub(crate) with_all_tests: bool,
    /// The test programs, in the order in which they are run.
    pub(crate) programs: &'static [TestProgram],
    /// Whether numbers of constants are changed too.
    pub(crate) with_constants: bool,
    /// Whether fixtures of checks are tests, of the last program.
    pub(crate) with_fixtures: bool,
    /// How the paths of files begin that are tried first.
    pub(crate) first: &'static str,
}

/// A test program.
#[derive(Debug)]
pub(crate) struct TestProgram {
    /// Its crate.
    pub(crate) package: &'static str,
    /// Whether it holds the unit tests of the library; else it is `tests/it`.
    pub(crate) is_unit: bool,
    /// How the names of its tests begin that are run; all where there is none.
    pub(crate) only: &'static [&'static str],
    /// Parts of names of tests that are not run.
    pub(crate) never: &'static [&'static str],
    /// How the names of its tests begin that are run only for what no other test notices.
    pub(crate) slow: &'static [&'static str],
    /// Whether its tests are run only for what no other test notices, or when asked.
    pub(crate) is_late: bool,
}

impl TestProgram {
    const fn unit(package: &'static str) -> Self {
        Self { package, is_unit: true, only: &[], never: &[], slow: &[], is_late: false }
    }
}

/// The checks, with all that judges, and the reading of a changed page.
const CHECKS: Group = Group {
    name: "checks",
    config: ".cargo/mutants-checks.toml",
    packages: &["audit", "html"],
    folders: &["crates/domains", "crates/html", "crates/model", "crates/audit"],
    members: &["crates/domains", "crates/html", "crates/model", "crates/audit"],
    selection: &["--package", "audit", "--package", "html"],
    check: &["check", "--lib"],
    build: &["test", "--no-run", "--lib", "--test", "it"],
    with_all_tests: true,
    programs: &[
        TestProgram { is_unit: false, only: &["again::"], ..TestProgram::unit("html") },
        TestProgram::unit("audit"),
        TestProgram {
            package: "audit",
            is_unit: false,
            only: &[],
            // They read real pages, start a browser, look at all fixtures together, or feed megabytes.
            never: &["browser::", "corpus::", "hostile::", "fixtures::every_check_fails", "real_page"],
            // They go through all fixtures, or make up pages.
            slow: &[
                "discovery::any_answers_are_judged",
                "invented::",
                "patch::patches_of_small_pages",
                "properties::",
                "report::a_page_cut_anywhere",
                "report::a_report_stays_within",
                "report::hostile_markup",
                "standing::a_part_leads_nothing",
                "standing::findings_stand_by_severity",
                "standing::the_fixes_towards",
                "standing::the_path_names",
            ],
            is_late: false,
        },
    ],
    with_constants: false,
    with_fixtures: true,
    first: "crates/audit/src/checks/",
};

/// Limits, allowances, watches, jobs and the audit loop.
const LIMITS: Group = Group {
    name: "limits",
    config: ".cargo/mutants-limits.toml",
    packages: &["fetch", "store", "engine", "service"],
    folders: &["crates", "bench", "docs", "fuzz", "packaging", "skills", "xtask"],
    members: &["bench", "bench/counts", "crates/*", "fuzz/targets", "xtask"],
    selection: &["--workspace"],
    check: &["test", "--no-run"],
    build: &["test", "--no-run"],
    with_all_tests: false,
    programs: &[
        TestProgram::unit("service"),
        TestProgram::unit("engine"),
        TestProgram::unit("fetch"),
        TestProgram::unit("store"),
        TestProgram { is_unit: false, never: &["postgres"], ..TestProgram::unit("fetch") },
        TestProgram {
            package: "store",
            is_unit: false,
            only: &["quotas::", "credits::", "ledger::", "pix::", "salts::", "jobs::"],
            never: &["postgres"],
            slow: &[],
            is_late: false,
        },
        TestProgram {
            package: "site-audit",
            is_unit: false,
            only: &[
                "api::accounts::",
                "api::audits::",
                "api::claim::",
                "api::contact::",
                "api::errors::",
                "api::field_data::",
                "api::identity::",
                "api::keys::",
                "api::lab::",
                "api::limits::",
                "api::shares::",
                "api::surroundings::",
                "api::tabs::",
                "api::telemetry::",
                "api::verify::",
                "api::watches::",
                "command_line::audit::",
                "counting::",
                "jobs::",
                "pages::money::",
                "pages::running::",
                "pages::workspace::",
                "payments::",
                "statistics::",
            ],
            never: &["postgres"],
            slow: &[],
            is_late: true,
        },
    ],
    with_constants: true,
    with_fixtures: false,
    first: "crates/",
};

impl Group {
    /// The test programs with their places; late ones only where they are wanted.
    pub(crate) fn programs(&self, with_late: bool) -> impl Iterator<Item = (usize, &'static TestProgram)> {
        self.programs.iter().enumerate().filter(move |(_, program)| with_late || !program.is_late)
    }
}

/// The group of a name.
pub(crate) fn group(name: &str) -> Option<&'static Group> {
    const GROUPS: [&Group; 2] = [&CHECKS, &LIMITS];
    GROUPS.into_iter().find(|group| group.name == name)
}
