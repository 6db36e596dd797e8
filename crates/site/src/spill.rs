//! Memory with a bound: what a site has more of lies in a file.
//!
//! Lists of a site are kept in blocks ([`Column`](crate::column::Column)). So many of them as are given room stay in memory, those that
//! were used last; the others are written to one file and read when they are asked for. A small site never has a file. The file
//! comes from outside: nothing here knows where it is.

use std::fmt::{self, Debug, Formatter};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of a block.
pub(crate) const BLOCK: usize = 8 * 1024;

/// A file for blocks: a temporary one that nobody else has.
pub trait SpillFile: Read + Write + Seek + Send {}

impl<F: Read + Write + Seek + Send> SpillFile for F {}

/// What gives the file, once, when the first block has no room in memory.
type FileMaker = Box<dyn FnOnce() -> io::Result<Box<dyn SpillFile>> + Send>;

/// Where the lists of a site are. Clones are the same place.
#[derive(Clone)]
pub struct Spill(Arc<Mutex<Blocks>>);

/// What was in the file could not be read again: all that was said of the site since is worthless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpillFailure(String);

impl fmt::Display for SpillFailure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "the temporary file of the site's data could not be read: {}", self.0)
    }
}

impl std::error::Error for SpillFailure {}

impl Spill {
    /// Keeps `memory` bytes in memory, and what is more in the file that `file` gives. Where it gives none, or the file takes no
    /// more, all stays in memory: a full disk costs memory, and no report.
    pub fn new(memory: usize, file: impl FnOnce() -> io::Result<Box<dyn SpillFile>> + Send + 'static) -> Self {
        Self::of(memory / BLOCK, Store::NotYet(Box::new(file)))
    }

    fn of(most: usize, store: Store) -> Self {
        // Two at least: one that is read while another is written.
        let blocks = Blocks {
            most: most.max(2),
            frames: Vec::new(),
            places: Vec::new(),
            free: Vec::new(),
            idle: Vec::new(),
            hand: 0,
            store,
            failure: None,
        };
        Self(Arc::new(Mutex::new(blocks)))
    }

    /// Whether all that was read was what had been written.
    pub fn check(&self) -> Result<(), SpillFailure> {
        self.lock().failure.clone().map_or(Ok(()), Err)
    }

    /// A new block, all zero.
    pub(crate) fn take(&self) -> u32 {
        self.lock().take()
    }

    /// Gives blocks back.
    pub(crate) fn release(&self, blocks: &[u32]) {
        let mut all = self.lock();
        blocks.iter().for_each(|block| all.release(*block));
    }

    /// Reads a block.
    pub(crate) fn read<R>(&self, block: u32, read: impl FnOnce(&[u8]) -> R) -> R {
        let mut all = self.lock();
        let at = all.frame_of(block);
        read(all.frames.get(at).map_or(&[], |frame| &frame.bytes))
    }

    /// Changes a block.
    pub(crate) fn write(&self, block: u32, change: impl FnOnce(&mut [u8])) {
        let mut all = self.lock();
        let at = all.frame_of(block);
        if let Some(frame) = all.frames.get_mut(at) {
            frame.is_changed = true;
            change(&mut frame.bytes);
        }
    }

    /// Blocks that are in memory.
    #[cfg(test)]
    pub(crate) fn frames(&self) -> usize {
        self.lock().frames.len()
    }

    fn lock(&self) -> MutexGuard<'_, Blocks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Spill {
    /// All in memory.
    fn default() -> Self {
        Self::of(usize::MAX, Store::Nowhere)
    }
}

impl Debug for Spill {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let all = self.lock();
        f.debug_struct("Spill").field("blocks", &all.places.len()).field("frames", &all.frames.len()).finish()
    }
}

/// Where blocks go that have no room.
enum Store {
    NotYet(FileMaker),
    Open(Box<dyn SpillFile>),
    /// It took a block no more; what it has is read.
    Full(Box<dyn SpillFile>),
    Nowhere,
}

/// All blocks.
struct Blocks {
    /// Frames at most, while the file takes blocks.
    most: usize,
    frames: Vec<Frame>,
    /// By block: its frame, counted from 1; 0 for one that is in the file.
    places: Vec<u32>,
    /// Blocks that were given back.
    free: Vec<u32>,
    /// Frames of such blocks.
    idle: Vec<usize>,
    /// The frame that is looked at next for one to empty.
    hand: usize,
    store: Store,
    failure: Option<SpillFailure>,
}

/// A block in memory.
struct Frame {
    block: u32,
    bytes: Box<[u8]>,
    /// It is not in the file as it is here.
    is_changed: bool,
    /// It was used since the hand passed.
    is_used: bool,
}

impl Blocks {
    fn take(&mut self) -> u32 {
        let block = self.free.pop().unwrap_or_else(|| {
            self.places.push(0);
            self.places.len() as u32 - 1
        });
        let at = self.room();
        self.put(at, block);
        if let Some(frame) = self.frames.get_mut(at) {
            frame.bytes.fill(0);
            frame.is_changed = true;
        }
        block
    }

    fn release(&mut self, block: u32) {
        let Some(place) = self.places.get_mut(block as usize) else { return };
        if let Some(at) = (std::mem::take(place) as usize).checked_sub(1) {
            self.idle.push(at);
        }
        self.free.push(block);
    }

    /// The frame of a block, which is read where it is not in memory.
    fn frame_of(&mut self, block: u32) -> usize {
        let place = self.places.get(block as usize).copied().unwrap_or_default();
        if let Some(at) = (place as usize).checked_sub(1) {
            if let Some(frame) = self.frames.get_mut(at) {
                frame.is_used = true;
            }
            return at;
        }
        let at = self.room();
        self.put(at, block);
        let Some(frame) = self.frames.get_mut(at) else { return at };
        frame.is_changed = false;
        if let Store::Open(file) | Store::Full(file) = &mut self.store
            && let Err(error) = read_block(file, block, &mut frame.bytes)
        {
            frame.bytes.fill(0);
            self.failure.get_or_insert_with(|| SpillFailure(error.to_string()));
        }
        at
    }

    fn put(&mut self, at: usize, block: u32) {
        if let Some(frame) = self.frames.get_mut(at) {
            (frame.block, frame.is_used) = (block, true);
        }
        if let Some(place) = self.places.get_mut(block as usize) {
            *place = at as u32 + 1;
        }
    }

    /// A frame that may be filled: one that is idle, a new one while there is room, else that of a block not used since the hand came by last.
    fn room(&mut self) -> usize {
        if let Some(at) = self.idle.pop() {
            return at;
        }
        // Once around takes the marks of use away, so that the second round ends.
        for _ in 0..=2 * self.frames.len() {
            if self.frames.len() < self.most || matches!(self.store, Store::Full(_) | Store::Nowhere) {
                break;
            }
            let at = self.hand % self.frames.len();
            self.hand = at + 1;
            let Some(frame) = self.frames.get_mut(at) else { break };
            if std::mem::take(&mut frame.is_used) {
                continue;
            }
            if self.empty(at) {
                return at;
            }
        }
        self.frames.push(Frame { block: 0, bytes: vec![0; BLOCK].into(), is_changed: false, is_used: false });
        self.frames.len() - 1
    }

    /// Writes the block of a frame to the file, if it has to be; `false` where that is not possible, and it stays.
    fn empty(&mut self, at: usize) -> bool {
        let Some(frame) = self.frames.get_mut(at) else { return false };
        if frame.is_changed && !self.store.write(frame.block, &frame.bytes) {
            return false;
        }
        if let Some(place) = self.places.get_mut(frame.block as usize) {
            *place = 0;
        }
        true
    }
}

impl Store {
    /// Whether a block is in the file now. After the first that is not, nothing is written any more.
    fn write(&mut self, block: u32, bytes: &[u8]) -> bool {
        *self = match std::mem::replace(self, Self::Nowhere) {
            Self::NotYet(make) => make().map_or(Self::Nowhere, Self::Open),
            other => other,
        };
        let Self::Open(file) = self else { return false };
        if write_block(file, block, bytes).is_ok() {
            return true;
        }
        if let Self::Open(file) = std::mem::replace(self, Self::Nowhere) {
            *self = Self::Full(file);
        }
        false
    }
}

fn offset(block: u32) -> SeekFrom {
    SeekFrom::Start(u64::from(block) * BLOCK as u64)
}

fn read_block(file: &mut Box<dyn SpillFile>, block: u32, bytes: &mut [u8]) -> io::Result<()> {
    file.seek(offset(block))?;
    file.read_exact(bytes)
}

fn write_block(file: &mut Box<dyn SpillFile>, block: u32, bytes: &[u8]) -> io::Result<()> {
    file.seek(offset(block))?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// A file that takes so many bytes, and can be read so often.
    struct Poor {
        file: Cursor<Vec<u8>>,
        room: u64,
        reads: usize,
    }

    impl Read for Poor {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            self.reads = self.reads.checked_sub(1).ok_or_else(|| io::Error::other("no more reads"))?;
            self.file.read(bytes)
        }
    }

    impl Write for Poor {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.file.position() + bytes.len() as u64 > self.room {
                return Err(io::Error::other("full"));
            }
            self.file.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Poor {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.file.seek(to)
        }
    }

    fn poor(room: u64, reads: usize) -> Spill {
        Spill::new(4 * BLOCK, move || Ok(Box::new(Poor { file: Cursor::default(), room, reads })))
    }

    /// Writes its number into each of so many blocks.
    fn numbered(spill: &Spill, count: u32) -> Vec<u32> {
        let blocks: Vec<u32> = (0..count).map(|_| spill.take()).collect();
        for (number, block) in blocks.iter().enumerate() {
            spill.write(*block, |bytes| bytes[7] = number as u8);
        }
        blocks
    }

    fn numbers(spill: &Spill, blocks: &[u32]) -> Vec<u8> {
        blocks.iter().map(|block| spill.read(*block, |bytes| bytes[7])).collect()
    }

    #[test]
    fn blocks_without_room_are_read_from_the_file() {
        let spill = poor(u64::MAX, usize::MAX);
        let blocks = numbered(&spill, 50);
        assert_eq!(spill.frames(), 4);
        assert!(numbers(&spill, &blocks).iter().copied().eq(0..50));
        spill.write(blocks[3], |bytes| bytes[7] = 99);
        assert_eq!(numbers(&spill, &blocks[40..]), (40..50).collect::<Vec<_>>());
        assert_eq!(numbers(&spill, &blocks[3..5]), [99, 4]);
        assert_eq!(spill.frames(), 4);
        assert_eq!(spill.check(), Ok(()));
    }

    #[test]
    fn what_is_given_back_is_taken_again_and_empty() {
        let spill = poor(u64::MAX, usize::MAX);
        let blocks = numbered(&spill, 20);
        spill.release(&blocks[5..15]);
        let again = spill.take();
        assert!(blocks[5..15].contains(&again));
        assert_eq!(numbers(&spill, &[again]), [0]);
        assert_eq!(numbers(&spill, &blocks[15..]), [15, 16, 17, 18, 19]);
    }

    #[test]
    fn without_a_file_or_on_a_full_disk_all_stays_in_memory() {
        let none = Spill::new(4 * BLOCK, || Err(io::Error::other("no folder")));
        for spill in [none, poor(6 * BLOCK as u64, usize::MAX), Spill::default()] {
            let blocks = numbered(&spill, 50);
            assert!(numbers(&spill, &blocks).iter().copied().eq(0..50));
            assert!(spill.frames() > 4);
            assert_eq!(spill.check(), Ok(()));
        }
    }

    #[test]
    fn a_file_that_can_not_be_read_is_told() {
        let spill = poor(u64::MAX, 0);
        let few = numbered(&spill, 4);
        assert_eq!(numbers(&spill, &few), [0, 1, 2, 3]);
        assert_eq!(spill.check(), Ok(()));
        let blocks = numbered(&spill, 50);
        numbers(&spill, &blocks);
        assert_eq!(spill.check(), Err(SpillFailure("no more reads".to_owned())));
    }
}
