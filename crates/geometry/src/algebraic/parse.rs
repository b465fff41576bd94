//! Polynomials from text: `x^2 + y^2/4 - 1`, `2x(y - 1)^3`, `-z`.
//!
//! Source: recursive descent over sum, product, power, atom.
//! Differs: a product may leave out its sign (`2x y`); a divisor must be a number.
//! Ends because: every step consumes a character; depth and degree are limited.
//! Cost: the products of the expanded polynomial.
//! Not promised: cancellation of terms that differ by rounding.

use super::polynomial::MOST_DEGREE;
use super::{Polynomial, PolynomialError};
use std::str::FromStr;

/// Parentheses within parentheses.
const MOST_DEPTH: usize = 64;

struct Reader {
    text: Vec<char>,
    at: usize,
    depth: usize,
}

impl FromStr for Polynomial {
    type Err = PolynomialError;

    fn from_str(text: &str) -> Result<Self, PolynomialError> {
        let mut reader = Reader { text: text.chars().collect(), at: 0, depth: 0 };
        let polynomial = reader.sum()?;
        match reader.peek() {
            None => Ok(polynomial),
            Some(found) => Err(PolynomialError::Unexpected { found, at: reader.at }),
        }
    }
}

impl Reader {
    /// The next character that is no space.
    fn peek(&mut self) -> Option<char> {
        while self.text.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn sum(&mut self) -> Result<Polynomial, PolynomialError> {
        let mut sum = self.signed_product()?;
        loop {
            if self.take('+') {
                sum = sum.plus(&self.signed_product()?, 1.0)?;
            } else if self.take('-') {
                sum = sum.plus(&self.signed_product()?, -1.0)?;
            } else {
                return Ok(sum);
            }
        }
    }

    fn signed_product(&mut self) -> Result<Polynomial, PolynomialError> {
        let mut sign = 1.0;
        loop {
            if self.take('-') {
                sign = -sign;
            } else if !self.take('+') {
                break;
            }
        }
        self.product()?.scaled(sign)
    }

    fn product(&mut self) -> Result<Polynomial, PolynomialError> {
        let mut product = self.power()?;
        loop {
            if self.take('*') {
                // A sign may follow: 2 * -x.
                let sign = if self.take('-') { -1.0 } else { 1.0 };
                product = product.times(&self.power()?)?.scaled(sign)?;
            } else if self.take('/') {
                self.peek();
                let at = self.at;
                let sign = if self.take('-') { -1.0 } else { 1.0 };
                match self.power()?.constant() {
                    Some(divisor) if divisor != 0.0 => product = product.divided(sign * divisor)?,
                    _ => return Err(PolynomialError::BadDivisor { at }),
                }
            } else if self
                .peek()
                .is_some_and(|c| matches!(c, 'x' | 'y' | 'z' | '(' | '.') || c.is_ascii_digit())
            {
                product = product.times(&self.power()?)?;
            } else {
                return Ok(product);
            }
        }
    }

    fn power(&mut self) -> Result<Polynomial, PolynomialError> {
        let base = self.atom()?;
        if !self.take('^') {
            return Ok(base);
        }
        self.peek();
        let at = self.at;
        let digits = self.text[at..].iter().take_while(|c| c.is_ascii_digit()).count();
        self.at += digits;
        let word: String = self.text[at..self.at].iter().collect();
        let exponent = word.parse::<u32>().ok().filter(|&n| n <= MOST_DEGREE);
        let fraction = self.text.get(self.at) == Some(&'.');
        match exponent {
            Some(exponent) if !fraction => {
                (0..exponent).try_fold(Polynomial::of_constant(1.0)?, |power, _| power.times(&base))
            }
            _ => Err(PolynomialError::BadExponent { at, most: MOST_DEGREE }),
        }
    }

    fn atom(&mut self) -> Result<Polynomial, PolynomialError> {
        match self.peek() {
            None => Err(PolynomialError::Ends),
            Some(c @ ('x' | 'y' | 'z')) => {
                self.at += 1;
                Ok(Polynomial::variable(match c {
                    'x' => 0,
                    'y' => 1,
                    _ => 2,
                }))
            }
            Some('(') => {
                self.at += 1;
                self.depth += 1;
                if self.depth > MOST_DEPTH {
                    return Err(PolynomialError::TooDeep { most: MOST_DEPTH });
                }
                let inner = self.sum()?;
                self.depth -= 1;
                if self.take(')') {
                    return Ok(inner);
                }
                match self.peek() {
                    Some(found) => Err(PolynomialError::Unexpected { found, at: self.at }),
                    None => Err(PolynomialError::Ends),
                }
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(found) => Err(PolynomialError::Unexpected { found, at: self.at }),
        }
    }

    fn number(&mut self) -> Result<Polynomial, PolynomialError> {
        let at = self.at;
        let digit = |c: Option<&char>| c.is_some_and(|c| c.is_ascii_digit());
        while self.text.get(self.at).is_some_and(|c| c.is_ascii_digit() || *c == '.') {
            self.at += 1;
        }
        // An exponent, where digits follow.
        if matches!(self.text.get(self.at), Some('e' | 'E')) {
            let sign = usize::from(matches!(self.text.get(self.at + 1), Some('+' | '-')));
            if digit(self.text.get(self.at + 1 + sign)) {
                self.at += 1 + sign;
                while digit(self.text.get(self.at)) {
                    self.at += 1;
                }
            }
        }
        let word: String = self.text[at..self.at].iter().collect();
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() => Polynomial::of_constant(value),
            _ => Err(PolynomialError::BadNumber { at }),
        }
    }
}
