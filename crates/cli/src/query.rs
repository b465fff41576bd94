//! `clearance query`: JSON Lines in, JSON Lines out.

use crate::failure::Failure;
use crate::run::{Surroundings, Verdict};
use clearance_formats::QueryStream;
use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Instant;

/// Answers standard input on standard output, line by line.
pub(crate) fn query(surroundings: &Surroundings) -> Result<Verdict, Failure> {
    let mut stream = QueryStream::new(surroundings.context());
    if let Some(max_error) = surroundings.common.max_error {
        stream = stream.with_max_error(max_error);
    }
    if let Some(folder) = &surroundings.common.certificates {
        stream = stream.with_certificates(folder);
    }
    if let Some(deadline) = surroundings.deadline {
        stream = stream.with_deadline(deadline);
    }
    let unreadable = Cell::new(false);
    let output = io::stdout().lock();
    let summary = match surroundings.deadline {
        None => {
            let inner = BufReader::new(io::stdin().lock());
            stream.run(Input { inner, unreadable: &unreadable }, output)
        }
        Some(deadline) => {
            let inner = Until::new(deadline);
            stream.run(Input { inner, unreadable: &unreadable }, output)
        }
    };
    let summary = match summary {
        Err(error) if unreadable.get() => {
            return Err(Failure::input("bad_file", format!("standard input: {error}")));
        }
        other => other?,
    };
    if surroundings.expired() {
        return Err(surroundings.gave_up(&format!("{} lines are answered", summary.answered)));
    }
    Ok(if summary.failed > 0 { Verdict::BadLines } else { Verdict::Clear })
}

/// A reader that remembers whether it was reading that failed.
struct Input<'a, R> {
    inner: R,
    unreadable: &'a Cell<bool>,
}

impl<R: BufRead> Read for Input<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer)
    }
}

impl<R: BufRead> BufRead for Input<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let unreadable = self.unreadable;
        self.inner.fill_buf().inspect_err(|_| unreadable.set(true))
    }

    fn consume(&mut self, count: usize) {
        self.inner.consume(count);
    }
}

/// Bytes that are read ahead at once while a deadline runs.
const PIECE: usize = 1 << 16;

/// Standard input that ends at a deadline, even while nothing comes: another thread waits for it.
struct Until {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    used: usize,
    deadline: Instant,
}

impl Until {
    fn new(deadline: Instant) -> Self {
        // Two pieces ahead; a sender whose receiver is gone ends the thread.
        let (sender, pieces) = sync_channel(2);
        std::thread::spawn(move || {
            let mut input = io::stdin().lock();
            loop {
                let mut piece = vec![0; PIECE];
                let read = input.read(&mut piece);
                if read.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {
                    continue;
                }
                let ended = matches!(read, Ok(0) | Err(_));
                let sent = sender.send(read.map(|count| {
                    piece.truncate(count);
                    piece
                }));
                if ended || sent.is_err() {
                    return;
                }
            }
        });
        Self { pieces, piece: Vec::new(), used: 0, deadline }
    }
}

impl Read for Until {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Until {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(&[]);
        }
        if self.used == self.piece.len() {
            self.used = 0;
            // The sender is gone at the end of the input.
            self.piece = self.pieces.recv_timeout(left).unwrap_or_else(|_| Ok(Vec::new()))?;
        }
        Ok(&self.piece[self.used..])
    }

    fn consume(&mut self, count: usize) {
        self.used += count;
    }
}
