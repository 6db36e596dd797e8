//! Whether a deployment is sound: settings, this machine, and the systems that the service depends on. Changes nothing, and
//! says what to do.

mod condition;
mod machine;
mod peers;
mod settings;

use std::path::Path;

use crate::config::Config;
use crate::ports::Ports;
pub use condition::{Condition, Diagnosis};

/// Examines the deployment of a configuration: what needs no network first. `program` is the commit of this program, to be
/// compared with that of the running service.
pub async fn examine(config: &Config, ports: &Ports, program: &str) -> Vec<Diagnosis> {
    let mut all = settings::judged(config);
    all.extend(machine::judged(config, &machine::Machine::this()));
    all.extend(peers::judged(config, ports, program).await);
    all
}

/// Whether a file is readable by others than its owner; `None` where it is not there, or the system does not tell.
fn is_open_to_others(file: &Path) -> Option<bool> {
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(file).ok()?.permissions());
        Some(mode & 0o077 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        None
    }
}
