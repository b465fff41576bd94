//! `clearance query`: JSON Lines in, JSON Lines out.

use crate::failure::Failure;
use crate::run::{Surroundings, Verdict};
use clearance_formats::QueryStream;
use std::io::{self, BufRead, BufReader, Read};
use std::time::Instant;

/// Answers standard input on standard output, line by line.
pub(crate) fn query(surroundings: &Surroundings) -> Result<Verdict, Failure> {
    let mut stream = QueryStream::new(surroundings.context());
    if let Some(max_error) = surroundings.common.max_error {
        stream = stream.with_max_error(max_error);
    }
    let input = Until { inner: BufReader::new(io::stdin().lock()), deadline: surroundings.deadline };
    let summary = stream.run(input, io::stdout().lock())?;
    if surroundings.expired() {
        return Err(surroundings.gave_up(&format!("{} lines are answered", summary.answered)));
    }
    Ok(if summary.failed > 0 { Verdict::BadLines } else { Verdict::Clear })
}

/// A reader that ends at a deadline.
struct Until<R> {
    inner: R,
    deadline: Option<Instant>,
}

impl<R: BufRead> Read for Until<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer)
    }
}

impl<R: BufRead> BufRead for Until<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(&[]);
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.inner.consume(count);
    }
}
