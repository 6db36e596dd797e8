//! Limits of this machine: file descriptors, memory, and a clock that is not far off.

use super::condition::Diagnosis;
use crate::config::Config;

/// File descriptors of an audit in flight at most: its page and files, two probes and two other files at a time.
const FILES_OF_AN_AUDIT: u64 = 5;
/// File descriptors for callers, the database, and the rest. Chosen: four times the connections of one caller.
const FILES_OF_THE_REST: u64 = 512;
/// Memory that the default limits need (docs/operating.md, Sizing).
const MEMORY: u64 = 512 * 1024 * 1024;
/// Audits in flight for which that is enough.
const FETCHES_OF_MEMORY: u64 = 64;

/// What is known of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Machine {
    /// File descriptors that a process may open; `None` where the system does not say.
    pub(super) open_files: Option<u64>,
    /// Bytes of memory that a process may use; `None` where the system does not say.
    pub(super) memory: Option<u64>,
}

impl Machine {
    /// This machine, as Linux describes it (proc(5), cgroups(7)); elsewhere nothing is known.
    pub(super) fn this() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).ok();
        let group = read("/proc/self/cgroup").and_then(|text| {
            let path = text.lines().find_map(|line| line.strip_prefix("0::"))?.to_owned();
            read(&format!("/sys/fs/cgroup{path}/memory.max"))
        });
        Self {
            open_files: read("/proc/self/limits").as_deref().and_then(open_file_limit),
            memory: memory_limit(read("/proc/meminfo").as_deref(), group.as_deref()),
        }
    }
}

/// The soft limit of open files in `/proc/self/limits`.
fn open_file_limit(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    match line.split_whitespace().next()? {
        "unlimited" => Some(u64::MAX),
        number => number.parse().ok(),
    }
}

/// The memory of the machine (`/proc/meminfo`) or of the control group (`memory.max`), whichever is less; in bytes.
fn memory_limit(meminfo: Option<&str>, group: Option<&str>) -> Option<u64> {
    let total = meminfo.and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    });
    // "max" is no number: the group has no limit of its own.
    let of_group = group.and_then(|text| text.trim().parse::<u64>().ok());
    total.into_iter().chain(of_group).min()
}

/// What the limits of a machine mean for a configuration.
pub(super) fn judged(config: &Config, machine: &Machine) -> Vec<Diagnosis> {
    vec![open_files(config, machine.open_files), memory(config, machine.memory)]
}

fn open_files(config: &Config, limit: Option<u64>) -> Diagnosis {
    const AREA: &str = "files";
    let needed = u64::from(config.limits.fetches) * FILES_OF_AN_AUDIT + FILES_OF_THE_REST;
    match limit {
        None => Diagnosis::off(AREA, "the limit of open files can't be read on this system"),
        Some(limit) if limit < needed => Diagnosis::warning(
            AREA,
            format!(
                "this shell may open {limit} files; the service needs {needed} with limits.fetches = {}",
                config.limits.fetches
            ),
            "If the service is started like this command, raise the limit (ulimit -n, or LimitNOFILE of the unit, which has 65,536).",
        ),
        Some(limit) => Diagnosis::ok(AREA, format!("{limit} files may be open, {needed} are needed")),
    }
}

fn memory(config: &Config, limit: Option<u64>) -> Diagnosis {
    const AREA: &str = "memory";
    const MIB: u64 = 1024 * 1024;
    let needed = MEMORY.max(MEMORY / FETCHES_OF_MEMORY * u64::from(config.limits.fetches));
    match limit {
        None => Diagnosis::off(AREA, "the amount of memory can't be read on this system"),
        Some(limit) if limit < needed => Diagnosis::warning(
            AREA,
            format!(
                "there are {} MB of memory; {} MB are recommended with limits.fetches = {}",
                limit / MIB,
                needed / MIB,
                config.limits.fetches
            ),
            "Give the machine or container more memory, or lower limits.fetches.",
        ),
        Some(limit) => Diagnosis::ok(AREA, format!("{} MB of memory", limit / MIB)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::condition::Condition;
    use super::*;

    #[test]
    fn limits_are_read_as_linux_writes_them() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max processes             63432                63432                processes \n\
                      Max open files            1024                 524288               files     \n";
        assert_eq!(open_file_limit(limits), Some(1024));
        assert_eq!(open_file_limit(&limits.replace("1024 ", "unlimited ")), Some(u64::MAX));
        assert_eq!(open_file_limit(""), None);
        let meminfo = Some("MemTotal:        8046956 kB\nMemFree:          123 kB\n");
        for (group, wanted) in [
            (None, Some(8_240_082_944)),
            (Some("max\n"), Some(8_240_082_944)),
            (Some("536870912\n"), Some(536_870_912)),
            (Some("99999999999999\n"), Some(8_240_082_944)),
        ] {
            assert_eq!(memory_limit(meminfo, group), wanted, "{group:?}");
        }
        assert_eq!(memory_limit(None, None), None);
    }

    #[test]
    fn what_is_too_little_is_a_warning() {
        let mut config = Config::default();
        let found = |config: &Config, open_files, memory| {
            judged(config, &Machine { open_files, memory }).iter().map(|one| one.condition).collect::<Vec<_>>()
        };
        let gib = Some(1024 * 1024 * 1024);
        assert_eq!(found(&config, Some(1024), gib), [Condition::Ok, Condition::Ok]);
        assert_eq!(found(&config, Some(256), Some(256 * 1024 * 1024)), [Condition::Warning, Condition::Warning]);
        assert_eq!(found(&config, None, None), [Condition::Off, Condition::Off]);
        config.limits.fetches = 512;
        assert_eq!(found(&config, Some(1024), gib), [Condition::Warning, Condition::Warning]);
    }
}
