//! The processes of a group as Linux tells them in `/proc` (proc(5)). Other systems tell nothing here.

use std::fs;
use std::path::PathBuf;

/// The state of a process that has ended and that nobody has collected.
const ENDED: [&str; 2] = ["Z", "X"];

/// Whether a process of the group runs.
pub(crate) fn runs(group: u32) -> bool {
    !folders(group).is_empty()
}

/// The memory of a group in bytes: what its processes hold alone, and what they share among each other. Files of programs,
/// which every process maps, are left out. `None` where the system does not tell.
pub(crate) fn memory(group: u32) -> Option<u64> {
    let processes = folders(group);
    if processes.is_empty() {
        return None;
    }
    Some(processes.iter().filter_map(|folder| held(&fs::read_to_string(folder.join("status")).ok()?)).sum())
}

/// The folders of the group's processes that run.
fn folders(group: u32) -> Vec<PathBuf> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter(|entry| entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit));
    // A process may end between two lines: then there is nothing to read.
    let is_ours =
        |folder: &PathBuf| fs::read_to_string(folder.join("stat")).is_ok_and(|stat| is_running_in(&stat, group));
    processes.map(|entry| entry.path()).filter(is_ours).collect()
}

/// Whether a line of `stat` is that of a running process of the group: `pid (name) state parent group …`. The name may
/// contain anything, and ends with the last parenthesis.
fn is_running_in(stat: &str, group: u32) -> bool {
    let Some((_, rest)) = stat.rsplit_once(')') else { return false };
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next().unwrap_or_default();
    !ENDED.contains(&state) && fields.nth(1).and_then(|field| field.parse().ok()) == Some(group)
}

/// The bytes of anonymous and shared memory that a `status` file tells.
fn held(status: &str) -> Option<u64> {
    let kilobytes = |line: &str| {
        let value = line.strip_prefix("RssAnon:").or_else(|| line.strip_prefix("RssShmem:"))?;
        value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    };
    Some(status.lines().filter_map(kilobytes).sum::<u64>().saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_stat_is_read_behind_the_name() {
        assert!(is_running_in("12 (a) S) b) R 3 77 77 0 -1", 77));
        assert!(!is_running_in("12 (a) Z 3 77 77 0 -1", 77));
        assert!(!is_running_in("12 (a 3 77) S 3 78 77 0 -1", 77));
        assert!(!is_running_in("", 77));
    }

    #[test]
    fn anonymous_and_shared_memory_count() {
        let status = "VmRSS:\t 900 kB\nRssAnon:\t 100 kB\nRssFile:\t 700 kB\nRssShmem:\t 28 kB\n";
        assert_eq!(held(status), Some(128 * 1024));
    }
}
