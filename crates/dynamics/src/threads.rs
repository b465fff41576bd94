//! Work on many things at once. Each item is worked on alone and keeps its place, so that the bits do not depend on the number
//! of threads.

/// Calls `work` on every item, `least` or more at a time per thread.
#[cfg(feature = "rayon")]
pub(crate) fn each<T: Send>(items: &mut [T], least: usize, work: impl Fn(&mut T) + Sync + Send) {
    use rayon::prelude::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
    if items.len() <= least {
        items.iter_mut().for_each(work);
    } else {
        items.par_iter_mut().with_min_len(least).for_each(work);
    }
}

/// Calls `work` on every item.
#[cfg(not(feature = "rayon"))]
pub(crate) fn each<T>(items: &mut [T], _least: usize, work: impl Fn(&mut T)) {
    items.iter_mut().for_each(work);
}
