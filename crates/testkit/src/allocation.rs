//! A global allocator that counts, per thread, so that "allocates nothing" is a test.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts every allocation of the current thread. Install it in a test binary:
///
/// ```
/// use clearance_testkit::{CountingAllocator, allocations};
/// #[global_allocator]
/// static ALLOCATOR: CountingAllocator = CountingAllocator;
/// let counted = allocations(|| drop(Box::new(7)));
/// assert_eq!(counted, 1);
/// ```
pub struct CountingAllocator;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // During thread teardown the counter may be gone; nothing is measured then.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// The trait is unsafe by nature; every call is handed to the system allocator unchanged.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// How often `work` allocated on this thread; always 0 unless [`CountingAllocator`] is installed, which
/// [`counts_allocations`] tells.
pub fn allocations(work: impl FnOnce()) -> u64 {
    let before = COUNT.with(Cell::get);
    work();
    COUNT.with(Cell::get) - before
}

/// Whether the counting allocator is installed: a test that counts must ask, or it proves nothing.
pub fn counts_allocations() -> bool {
    allocations(|| drop(std::hint::black_box(Box::new(1_u8)))) > 0
}
