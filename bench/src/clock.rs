//! Processor time of the calling thread: what others do on the machine is not counted.

/// Nanoseconds of processor time this thread has used.
pub fn thread_nanoseconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the answer, and the clock exists on every Unix we build on.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0, "the thread's processor clock cannot be read");
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}
