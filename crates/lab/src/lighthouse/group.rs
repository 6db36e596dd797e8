//! A process group that ends as a whole: in every ending of a run, and also when this process dies.
//!
//! Its leader is a shell that waits for its standard input to end and then kills the group, itself included. This process
//! holds the other end of that pipe and writes nothing. The system closes the pipe when this process dies, in whatever way,
//! so nothing is left behind, and no process number is kept that might have a new owner.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, ChildStdin, Command};
use tokio::time::{Instant, interval, timeout};

use crate::lighthouse::processes;

/// What the leader runs.
const LEADER: &str = "read -r _; kill -KILL 0";
/// Longest wait for a killed group. The kernel needs milliseconds.
const FAREWELL: Duration = Duration::from_secs(5);
/// Pause between two looks at what is left of a killed group.
const LOOK: Duration = Duration::from_millis(10);

/// A process group. Dropping it kills every process in it.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Child,
    /// The pipe whose end kills the group.
    pipe: Option<ChildStdin>,
    id: u32,
}

impl Group {
    /// A group with its leader alone.
    #[expect(clippy::disallowed_methods, reason = "Lighthouse is an external program; its process group is killed")]
    pub(crate) fn start() -> io::Result<Self> {
        // Other systems have no process groups.
        if cfg!(not(unix)) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let mut leader = Command::new("/bin/sh");
        leader.args(["-c", LEADER]).env_clear();
        join(&mut leader, 0);
        leader.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut leader = leader.spawn()?;
        let pipe = leader.stdin.take();
        let id = leader.id().ok_or(io::ErrorKind::NotFound)?;
        Ok(Self { leader, pipe, id })
    }

    /// Starts a program in the group. It is killed with the group and with nothing else.
    pub(crate) fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let group = i32::try_from(self.id).map_err(|_| io::ErrorKind::InvalidData)?;
        join(command, group);
        command.spawn()
    }

    /// The memory of all its processes in bytes; `None` where the system does not tell.
    pub(crate) fn memory(&self) -> Option<u64> {
        processes::memory(self.id)
    }

    /// Kills the group and waits until none of its processes runs.
    pub(crate) async fn end(mut self, child: &mut Child) {
        self.pipe = None;
        let deadline = Instant::now() + FAREWELL;
        let gone = async {
            // Their status is collected; which one it is does not matter for killed ones.
            let _statuses = tokio::join!(self.leader.wait(), child.wait());
            let mut looks = interval(LOOK);
            while Instant::now() < deadline && processes::runs(self.id) {
                looks.tick().await;
            }
        };
        if timeout(FAREWELL, gone).await.is_err() || processes::runs(self.id) {
            tracing::warn!(lab.group = self.id, "processes of a lab test did not end");
        }
    }
}

/// Puts a program into a group when it starts; 0 for one of its own.
#[cfg_attr(not(unix), expect(unused_variables, reason = "no group is started there"))]
fn join(command: &mut Command, group: i32) {
    #[cfg(unix)]
    command.process_group(group);
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests start a process to kill")]
mod tests {
    use super::*;

    fn sleeper() -> Command {
        // Two generations: the group is more than our own children.
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "sleep 1000 & wait"]).stdout(Stdio::null());
        command
    }

    #[tokio::test]
    async fn a_group_ends_with_all_its_generations() {
        let group = Group::start().unwrap();
        let mut child = group.spawn(&mut sleeper()).unwrap();
        let id = group.id;
        assert!(processes::runs(id));
        group.end(&mut child).await;
        assert!(!processes::runs(id));
    }

    #[tokio::test]
    async fn a_dropped_group_is_killed() {
        let group = Group::start().unwrap();
        let mut child = group.spawn(&mut sleeper()).unwrap();
        let id = group.id;
        drop(group);
        assert!(!child.wait().await.unwrap().success());
        while processes::runs(id) {
            tokio::task::yield_now().await;
        }
    }
}
