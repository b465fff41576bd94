//! The digest of what a certificate speaks of: its two bodies and the pose.
//!
//! Source: SHA-256 (FIPS 180-4), over bytes that do not depend on how a number or a list is spelled in JSON: numbers as
//! their 64 bits, counts, indices and degrees as 64-bit integers, all of them little-endian; a text or a list as its count
//! followed by what is in it; a value that may be missing as a list of none or one; a piece as its feature, its slack, the
//! number of its kind (0 patch, 1 level, 2 half-space) and its fields in the order of [`model`](crate::model).
//! Differs: written here, so that the checker needs no further package; known digests are tested.
//! Ends because: each block is read once.
//! Cost: about 10 ns per number.
//! Not promised: who wrote the certificate. A digest tells a mistake from the original, not a forger from the author.

use crate::model::{BodyDescription, Certificate, Piece, Pose, Shape};

/// The digest of two bodies and a pose, in hexadecimal.
pub(crate) fn digest(bodies: &[BodyDescription; 2], pose: &Pose) -> String {
    let mut sha = Sha256::new();
    for body in bodies {
        sha.option(body.name.as_ref(), |sha, name| sha.text(name));
        sha.list(&body.pieces, |sha, piece| sha.piece(piece));
        sha.list(&body.groups, |sha, group| sha.list(group, |sha, child| sha.bytes(&child.to_le_bytes())));
    }
    sha.numbers(pose.rotation.as_flattened());
    sha.numbers(&pose.translation);
    sha.finish().iter().map(|word| format!("{word:08x}")).collect()
}

impl Certificate {
    /// The digest that [`Certificate::digest`](#structfield.digest) must be.
    pub fn computed_digest(&self) -> String {
        digest(&self.bodies, &self.pose)
    }

    /// Writes the digest of what the certificate speaks of into it; the last thing a writer does.
    pub fn seal(&mut self) {
        self.digest = self.computed_digest();
    }
}

const ROUNDS: usize = 64;

#[rustfmt::skip]
const K: [u32; ROUNDS] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

struct Sha256 {
    state: [u32; 8],
    block: [u8; 64],
    /// Bytes taken in so far; those of the last unfinished block are in `block`.
    count: u64,
}

impl Sha256 {
    const fn new() -> Self {
        let state =
            [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
        Self { state, block: [0; 64], count: 0 }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            let at = (self.count % 64) as usize;
            self.block[at] = byte;
            self.count += 1;
            if at == 63 {
                self.compress();
            }
        }
    }

    fn number(&mut self, number: f64) {
        self.bytes(&number.to_bits().to_le_bytes());
    }

    fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|&number| self.number(number));
    }

    fn count(&mut self, count: usize) {
        self.bytes(&(count as u64).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes(text.as_bytes());
    }

    fn list<T>(&mut self, list: &[T], each: impl Fn(&mut Self, &T)) {
        self.count(list.len());
        list.iter().for_each(|one| each(self, one));
    }

    fn option<T>(&mut self, value: Option<&T>, each: impl Fn(&mut Self, &T)) {
        self.count(usize::from(value.is_some()));
        value.iter().for_each(|one| each(self, one));
    }

    fn piece(&mut self, piece: &Piece) {
        self.text(&piece.feature);
        self.number(piece.slack);
        match &piece.shape {
            Shape::Patch(patch) => {
                self.count(0);
                self.list(&patch.degree, |sha, &degree| sha.count(degree));
                self.list(&patch.points, |sha, point| sha.numbers(point));
                self.option(patch.trim.as_ref(), |sha, trim| {
                    sha.list(trim, |sha, &part| sha.numbers(&<[f64; 8]>::from(part)));
                });
            }
            Shape::Level(level) => {
                self.count(1);
                self.list(&level.terms, |sha, &(factor, i, j, k)| {
                    sha.number(factor);
                    [i, j, k].into_iter().for_each(|power| sha.count(power));
                });
                self.numbers(level.within.as_flattened());
            }
            Shape::HalfSpace(half) => {
                self.count(2);
                self.numbers(&half.normal);
                self.number(half.offset);
            }
        }
    }

    fn finish(mut self) -> [u32; 8] {
        let bits = self.count.wrapping_mul(8);
        self.bytes(&[0x80]);
        while self.count % 64 != 56 {
            self.bytes(&[0]);
        }
        self.bytes(&bits.to_be_bytes());
        self.state
    }

    fn compress(&mut self) {
        let mut w = [0u32; ROUNDS];
        for (word, bytes) in w.iter_mut().zip(self.block.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
        }
        for t in 16..ROUNDS {
            let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
            let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
            w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = self.state;
        for t in 0..ROUNDS {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(K[t]).wrapping_add(w[t]);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            let t2 = s0.wrapping_add(majority);
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
        }
        for (sum, word) in self.state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *sum = sum.wrapping_add(word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        let mut sha = Sha256::new();
        sha.bytes(bytes);
        sha.finish().iter().map(|word| format!("{word:08x}")).collect()
    }

    #[test]
    fn known_digests() {
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(two_blocks), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        assert_eq!(
            hex(&vec![b'a'; 1_000_000]),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        );
    }
}
