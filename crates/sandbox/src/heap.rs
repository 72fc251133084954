//! Memory for a process that is about to read much and then end: in large pages, where the system has them.
//!
//! A page of 4 KB costs a microsecond or two when it is touched for the first time, and a list of ten thousand skills touches some
//! three thousand; one of 2 MB costs as much as twenty to a hundred of them. It is a hint: what cannot be had changes the time and
//! nothing else. Nothing is taken before it is used.
//!
//! It contains nothing; it stands here because `unsafe` does.

#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
pub use large::expect_much;

/// Has the heap grow by large pages from here on, where that is known to be possible.
#[cfg(not(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64")))]
pub const fn expect_much() {}

#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod large {
    use std::hint::black_box;
    use std::mem::forget;
    use std::ptr;
    use std::sync::Once;

    /// How far the heap may grow before memory comes in small pages again.
    const ROOM: libc::c_int = 64 << 20;
    /// What is mapped apart from the heap, in small pages; the C library takes no more than this.
    const APART: libc::c_int = 32 << 20;
    /// What comes in small pages first: who needs no more is spared having a large one cleared. It is more than what can be left of
    /// the heap, so that taking it has the heap grow.
    const SMALL: usize = 160 << 10;
    /// The size of a large page, at whose multiples alone they begin.
    const LARGE: usize = 2 << 20;

    /// Has the heap grow by large pages from here on.
    pub fn expect_much() {
        static ONCE: Once = Once::new();
        ONCE.call_once(grow);
    }

    fn grow() {
        // SAFETY: these say how far the heap grows at once, when it shrinks and what is not in it; what is allocated already
        // stays as it is.
        let is_told = unsafe {
            libc::mallopt(libc::M_TOP_PAD, ROOM) == 1
                && libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX) == 1
                && libc::mallopt(libc::M_MMAP_THRESHOLD, APART) == 1
        };
        let small = room(SMALL);
        let (here, end) = (small.as_ptr().addr() + SMALL, end());
        let start = here.next_multiple_of(LARGE);
        if is_told && start < end {
            // SAFETY: this names no memory but what the heap has just grown by, and changes nothing that is in it.
            unsafe {
                libc::madvise(ptr::with_exposed_provenance_mut(start), end - start, libc::MADV_HUGEPAGE)
            };
            // What lies before the first large page is left out, and never touched.
            forget(room(start - here));
        }
    }

    /// So much of the heap, which the compiler would not take if it knew that nobody uses it.
    fn room(size: usize) -> Vec<u8> {
        black_box(Vec::with_capacity(size))
    }

    /// Where the heap ends.
    fn end() -> usize {
        // SAFETY: asked to move the end by nothing, it only says where that is.
        unsafe { libc::sbrk(0) }.expose_provenance()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allocated_before_and_after_is_whole() {
        let before: Vec<Vec<u8>> = (1..=64).map(|length| vec![0xa5; length * 1024]).collect();
        expect_much();
        let after: Vec<Vec<u8>> = (1..=64).map(|length| vec![0x5a; length * 64 * 1024]).collect();
        expect_much();
        assert!(before.iter().flatten().all(|byte| *byte == 0xa5));
        assert!(after.iter().flatten().all(|byte| *byte == 0x5a));
    }
}
