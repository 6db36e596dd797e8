//! Temporary files for what a site has more of than memory is to hold.

use std::path::PathBuf;

use site::{Spill, SpillFile};

/// Bytes in memory of the addresses that a crawl knows, and of what sitemaps say of them.
const CRAWL_MEMORY: usize = 2 * 1024 * 1024;
/// Bytes in memory of the facts that a site's report is made of. A site of 2,500 pages has as many.
const REPORT_MEMORY: usize = 4 * 1024 * 1024;

/// For the addresses of a crawl. The file is made in `folder`, or in the system's folder for temporary files, when it is needed; it
/// has no name and is gone with the process.
pub fn crawl_spill(folder: Option<PathBuf>) -> Spill {
    spill(CRAWL_MEMORY, folder)
}

/// For the facts of a site's pages, as [`crawl_spill`].
pub fn report_spill(folder: Option<PathBuf>) -> Spill {
    spill(REPORT_MEMORY, folder)
}

fn spill(memory: usize, folder: Option<PathBuf>) -> Spill {
    Spill::new(memory, move || {
        let file = folder.map_or_else(tempfile::tempfile, tempfile::tempfile_in);
        match file {
            Ok(file) => Ok(Box::new(file) as Box<dyn SpillFile>),
            Err(error) => {
                tracing::warn!(%error, "a temporary file can't be made: the data of a site stays in memory");
                Err(error)
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use site::{Frontier, FrontierLimits, FrontierScope, Way};
    use url::Url;

    use super::*;

    #[test]
    fn a_file_that_can_not_be_made_costs_memory_and_nothing_else() {
        let start = Url::parse("https://e.com/").unwrap();
        for folder in [None, Some(PathBuf::from("/nowhere/at/all"))] {
            let spill = crawl_spill(folder);
            let scope = FrontierScope::new(&start, &[], &[]).unwrap();
            let mut frontier = Frontier::new(scope, FrontierLimits { pages: 100_000, depth: 9 }, &spill);
            for number in 0..50_000 {
                let url = Url::parse(&format!("https://e.com/{number}/{}", "x".repeat(100))).unwrap();
                assert!(frontier.begin(&url, Way::Start));
                assert!(!frontier.begin(&url, Way::Start));
            }
            assert!(frontier.url(7).starts_with("https://e.com/7/"));
            assert_eq!(spill.check(), Ok(()));
        }
    }
}
