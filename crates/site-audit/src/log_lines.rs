//! Log lines, written by a thread of their own: a log that can't be written, or that nobody reads, neither ends the
//! service nor holds it up.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// Lines that may wait for the log; further ones are lost. Chosen: a burst of some seconds, a few hundred KB.
const QUEUE: usize = 1024;

/// How long the end of the program waits for the lines in the queue. Chosen: a log that takes longer is stuck.
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// Makes the line that tells how many lines were lost.
pub(crate) type LossNotice = Box<dyn Fn(u64) -> String + Send>;

enum Message {
    Line(Vec<u8>),
    /// Answered once everything before it was written or lost.
    Flush(SyncSender<()>),
}

/// The way to the log. It never waits and never fails: what can't be written is counted, and the count is told before
/// the next line that can. Dropping it waits a second at most for the lines in the queue.
pub(crate) struct LogLines {
    queue: SyncSender<Message>,
    lost: Arc<AtomicU64>,
}

impl LogLines {
    /// Starts the thread that writes to `sink`. An error: the operating system gives no thread.
    #[expect(clippy::disallowed_methods, reason = "writing blocks, and has to go on while all workers are busy")]
    pub(crate) fn start(sink: impl Write + Send + 'static, notice: LossNotice) -> io::Result<Self> {
        let (queue, messages) = sync_channel(QUEUE);
        let lost = Arc::new(AtomicU64::new(0));
        let log = Log { sink, notice, lost: Arc::clone(&lost), is_cut: false };
        std::thread::Builder::new().name("log".to_owned()).spawn(move || log.run(&messages))?;
        Ok(Self { queue, lost })
    }

    /// Another handle, for the subscriber.
    pub(crate) fn handle(&self) -> LogHandle {
        LogHandle { queue: self.queue.clone(), lost: Arc::clone(&self.lost) }
    }
}

impl Drop for LogLines {
    fn drop(&mut self) {
        let (done, is_done) = sync_channel(1);
        // A full queue means that the log is stuck: there is nothing to wait for.
        if self.queue.try_send(Message::Flush(done)).is_ok() {
            // A timeout as well: the lines are lost with the process.
            let _written = is_done.recv_timeout(FLUSH_TIME);
        }
    }
}

/// Writes whole lines to the queue of a [`LogLines`].
pub(crate) struct LogHandle {
    queue: SyncSender<Message>,
    lost: Arc<AtomicU64>,
}

impl<'a> MakeWriter<'a> for LogHandle {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

impl Write for &LogHandle {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.queue.try_send(Message::Line(line.to_vec())).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The writing side.
struct Log<W> {
    sink: W,
    notice: LossNotice,
    lost: Arc<AtomicU64>,
    /// The last write failed, perhaps in the middle of a line.
    is_cut: bool,
}

impl<W: Write> Log<W> {
    fn run(mut self, messages: &Receiver<Message>) {
        for message in messages {
            match message {
                Message::Line(line) => self.line(&line),
                // The program may have stopped waiting.
                Message::Flush(done) => drop(done.try_send(())),
            }
        }
    }

    fn line(&mut self, line: &[u8]) {
        let lost = self.lost.load(Ordering::Relaxed);
        let told = lost == 0 || self.write((self.notice)(lost).as_bytes());
        if told {
            self.lost.fetch_sub(lost, Ordering::Relaxed);
        }
        if !(told && self.write(line)) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Writes a whole line, on a line of its own; whether that worked.
    fn write(&mut self, line: &[u8]) -> bool {
        let begun = if self.is_cut { self.sink.write_all(b"\n") } else { Ok(()) };
        let written = begun.and_then(|()| self.sink.write_all(line)).and_then(|()| self.sink.flush());
        self.is_cut = written.is_err();
        !self.is_cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Mutex, mpsc};

    /// A log on a disk that is full at times: each write takes one of these many bytes, then of the next ones.
    #[derive(Clone, Default)]
    struct Disk(Arc<Mutex<(Vec<u8>, usize)>>);

    impl Disk {
        fn with_room(room: usize) -> Self {
            Self(Arc::new(Mutex::new((Vec::new(), room))))
        }

        fn make_room(&self, room: usize) {
            self.0.lock().unwrap().1 = room;
        }

        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().0.clone()).unwrap()
        }
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let (written, room) = &mut *self.0.lock().unwrap();
            let taken = bytes.len().min(*room);
            if taken == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            written.extend(&bytes[..taken]);
            *room -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn notice() -> LossNotice {
        Box::new(|lost| format!("lost {lost}\n"))
    }

    /// Waits until everything before this was written or lost.
    fn settle(lines: &LogLines) {
        let (done, is_done) = sync_channel(1);
        lines.queue.send(Message::Flush(done)).unwrap();
        is_done.recv().unwrap();
    }

    #[test]
    fn lines_that_can_not_be_written_are_counted_and_told_before_the_next() {
        let disk = Disk::with_room(9);
        let lines = LogLines::start(disk.clone(), notice()).unwrap();
        let log = lines.handle();
        for line in ["first\n", "second\n", "third\n"] {
            (&log).write_all(line.as_bytes()).unwrap();
        }
        settle(&lines);
        assert_eq!(disk.text(), "first\nsec");
        disk.make_room(1000);
        for line in ["fourth\n", "fifth\n"] {
            (&log).write_all(line.as_bytes()).unwrap();
        }
        drop(lines);
        assert_eq!(disk.text(), "first\nsec\nlost 2\nfourth\nfifth\n");
    }

    #[test]
    fn a_notice_that_does_not_fit_is_told_later() {
        let disk = Disk::with_room(0);
        let lines = LogLines::start(disk.clone(), notice()).unwrap();
        let log = lines.handle();
        (&log).write_all(b"one\n").unwrap();
        settle(&lines);
        disk.make_room(4);
        (&log).write_all(b"two\n").unwrap();
        settle(&lines);
        disk.make_room(1000);
        (&log).write_all(b"three\n").unwrap();
        drop(lines);
        assert_eq!(disk.text(), "\nlos\nlost 2\nthree\n");
    }

    #[test]
    fn a_log_that_nobody_reads_holds_nobody_up() {
        /// A pipe whose reader has stopped reading until it is told to go on.
        struct Pipe(mpsc::Receiver<()>, Disk);
        impl Write for Pipe {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                // Told once; then the sender is gone, and nothing waits any more.
                let _closed = self.0.recv();
                self.1.write(bytes)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (go_on, wait) = mpsc::channel();
        let disk = Disk::with_room(usize::MAX);
        let lines = LogLines::start(Pipe(wait, disk.clone()), notice()).unwrap();
        let log = lines.handle();
        // One more may have left the queue for the pipe.
        for _ in 0..QUEUE + 10 {
            (&log).write_all(b"line\n").unwrap();
        }
        drop(go_on);
        settle(&lines);
        (&log).write_all(b"last\n").unwrap();
        drop(lines);
        let text = disk.text();
        let lost: u64 = text.lines().find_map(|line| line.strip_prefix("lost ")).unwrap().parse().unwrap();
        let written = u64::try_from(text.lines().filter(|line| *line == "line").count()).unwrap();
        assert_eq!(lost + written, u64::try_from(QUEUE).unwrap() + 10, "{lost} lost, {written} written");
        assert!(text.ends_with("last\n"));
    }
}
