//! Large memory that goes back to the operating system as soon as it is dropped.

/// Bytes that are allocated at least. Allocators keep what is smaller for the thread that used it, so that many threads
/// with one large allocation each, one after the other, end up holding all of them. Beyond 32 MiB, the greatest `mmap`
/// threshold of the GNU C library (`mallopt(3)`, `M_MMAP_THRESHOLD`), an allocation is a mapping of its own. Memory that
/// is allocated and not touched takes no room.
const LEAST_BYTES: usize = 33 * 1_048_576;

/// A vector of `length` values, in memory that is given back at once.
pub(super) fn returned_at_once<T: Clone>(value: T, length: usize) -> Vec<T> {
    let least = LEAST_BYTES / size_of::<T>().max(1);
    let mut memory = Vec::with_capacity(length.max(least));
    memory.resize(length, value);
    memory
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_memory_is_a_mapping_of_its_own() {
        let small = returned_at_once([0_u64; 128], 8);
        assert_eq!((small.len(), small.capacity()), (8, 33 * 1024));
        let large = returned_at_once(7_u8, LEAST_BYTES + 1);
        assert_eq!((large.len(), large.capacity()), (LEAST_BYTES + 1, LEAST_BYTES + 1));
    }
}
