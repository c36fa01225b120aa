//! Who decides where the kernel would throw a dice: the caller of a walk, or all outcomes in turn, which gives the exact
//! share of each of them.

use std::fmt;

use super::packet::Chance;

/// What a walk asks where the kernel would choose.
pub(super) trait Dice {
    /// Which of equally likely sides comes up; less than `sides`, or 0 if there is none.
    fn side(&mut self, sides: usize) -> usize;
    /// Whether something happens that happens once in `n` times.
    fn once_in(&mut self, n: usize) -> bool;
    /// Which of a number of servers has its turn, if it is the turn of `turn`. Over many connections, every server has
    /// its turn equally often.
    fn turn(&mut self, turn: usize, servers: usize) -> usize;
    /// How many of the rules that come next a walk passes over because nothing comes up at them, as it was at the walk before. `place` says
    /// which rules these are, and `is_choice` whether the one with a number, counted from 0, asks [`once_in`](Dice::once_in) and nothing
    /// else.
    fn skip(&mut self, place: Place, is_choice: &dyn Fn(usize) -> bool) -> usize;
    /// Whether somebody wants to know by which rules the walk has come.
    fn is_told(&self) -> bool;
}

/// Where a walk is: the address of a chain's rules, and the number of the one that comes next.
pub(super) type Place = (usize, usize);

/// The dice of the caller.
pub(super) struct Caller<'a>(pub(super) &'a mut dyn FnMut() -> Chance);

impl Dice for Caller<'_> {
    fn side(&mut self, sides: usize) -> usize {
        (self.0)().side(sides)
    }

    fn once_in(&mut self, n: usize) -> bool {
        (self.0)().side(n) == 0
    }

    fn turn(&mut self, turn: usize, _: usize) -> usize {
        turn
    }

    fn skip(&mut self, _: Place, _: &dyn Fn(usize) -> bool) -> usize {
        0
    }

    fn is_told(&self) -> bool {
        true
    }
}

/// An exact share, between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    /// The number above the line.
    pub numerator: u128,
    /// The number below the line, which is not 0.
    pub denominator: u128,
}

/// The greatest number that divides both; 0 if both are 0.
pub fn common_divisor(a: u128, b: u128) -> u128 {
    // Division is many times quicker in 64 bits, in WebAssembly above all, and few shares need more.
    if let (Ok(mut a), Ok(mut b)) = (u64::try_from(a), u64::try_from(b)) {
        while let Some(rest) = a.checked_rem(b) {
            (a, b) = (b, rest);
        }
        return a.into();
    }
    let (mut a, mut b) = (a, b);
    while let Some(rest) = a.checked_rem(b) {
        (a, b) = (b, rest);
    }
    a
}

fn common(a: u128, b: u128) -> u128 {
    common_divisor(a, b).max(1)
}

impl Fraction {
    /// Nothing.
    pub const ZERO: Fraction = Fraction { numerator: 0, denominator: 1 };
    /// The whole.
    pub const ONE: Fraction = Fraction { numerator: 1, denominator: 1 };

    /// A share in lowest terms; the denominator 0 is taken for 1.
    pub fn new(numerator: u128, denominator: u128) -> Fraction {
        let denominator = denominator.max(1);
        let by = common(numerator, denominator);
        Fraction { numerator: numerator / by, denominator: denominator / by }
    }

    /// The sum of two shares.
    #[must_use]
    pub fn plus(self, other: Fraction) -> Fraction {
        let by = common(self.denominator, other.denominator);
        let (left, right) = (other.denominator / by, self.denominator / by);
        let sum = self.numerator.saturating_mul(left).saturating_add(other.numerator.saturating_mul(right));
        Fraction::new(sum, self.denominator.saturating_mul(left))
    }

    /// A share of a share.
    #[must_use]
    pub fn times(self, other: Fraction) -> Fraction {
        let a = Fraction::new(self.numerator, other.denominator);
        let b = Fraction::new(other.numerator, self.denominator);
        Fraction::new(a.numerator.saturating_mul(b.numerator), a.denominator.saturating_mul(b.denominator))
    }

    /// The share as a number.
    pub fn value(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

/// A choice of [`Outcomes`]: which one, of how many, and how likely the first is.
#[derive(Clone, Copy, Debug)]
struct Choice {
    chosen: usize,
    of: usize,
    /// How many equally likely sides the dice has. With as many sides as outcomes every outcome is a side; otherwise the
    /// first outcome is one side, and the second is all others.
    sides: usize,
}

impl Choice {
    fn share(self) -> Fraction {
        let sides = self.sides as u128;
        let wins = if self.of == self.sides || self.chosen == 0 { 1 } else { sides.saturating_sub(1) };
        Fraction::new(wins, sides)
    }
}

/// All outcomes of a walk in turn: the first walk has the first outcome of every choice, and each walk after it differs in
/// the last choice that has outcomes left.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    /// Each with the share of all walks that come so far and choose so.
    choices: Vec<(Choice, Fraction)>,
    at: usize,
    /// The choices at which nothing came up, one after the other, at rules that ask for nothing else: where the first of these rules is, the
    /// place of its choice, and how many there are. A walk that comes there again goes on behind them, so that all walks through the rules of
    /// `n` endpoints take `n` turns and not the square of that.
    missed: Option<(Place, usize, usize)>,
}

impl Outcomes {
    fn choose(&mut self, of: usize, sides: usize) -> usize {
        let known = self.choices.get(self.at).map(|(choice, _)| choice.chosen);
        if known.is_none() {
            let choice = Choice { chosen: 0, of, sides };
            self.choices.push((choice, self.share().times(choice.share())));
        }
        self.at += 1;
        known.unwrap_or(0)
    }

    /// The share of the walk that has just ended.
    pub(super) fn share(&self) -> Fraction {
        self.choices.last().map_or(Fraction::ONE, |(_, share)| *share)
    }

    /// Goes on to the next walk; false if there is none.
    pub(super) fn next(&mut self) -> bool {
        self.at = 0;
        while let Some((last, _)) = self.choices.pop() {
            if last.chosen + 1 < last.of {
                let next = Choice { chosen: last.chosen + 1, ..last };
                self.choices.push((next, self.share().times(next.share())));
                return true;
            }
        }
        false
    }
}

impl Dice for Outcomes {
    fn side(&mut self, sides: usize) -> usize {
        if sides < 2 { 0 } else { self.choose(sides, sides) }
    }

    fn once_in(&mut self, n: usize) -> bool {
        n < 2 || self.choose(2, n) == 0
    }

    fn turn(&mut self, _: usize, servers: usize) -> usize {
        self.side(servers)
    }

    fn skip(&mut self, place: Place, is_choice: &dyn Fn(usize) -> bool) -> usize {
        let first = self.at;
        let here = self.missed.filter(|(of, at, _)| (*of, *at) == (place, first));
        // Of choices only the last one is ever changed or taken away, so those before it are as they were.
        let known = here.filter(|(.., n)| first + n <= self.choices.len());
        let mut n = known.map_or(0, |(.., n)| n.saturating_sub(1));
        let missed = |n: usize| self.choices.get(first + n).is_some_and(|(c, _)| c.of == 2 && c.chosen == 1);
        while missed(n) && is_choice(n) {
            n += 1;
        }
        if n > 0 || here.is_some() {
            self.missed = Some((place, first, n));
        }
        self.at += n;
        n
    }

    fn is_told(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact() {
        let third = Fraction::new(2, 6);
        assert_eq!(third.to_string(), "1/3");
        assert_eq!(third.plus(third).plus(third), Fraction::ONE);
        assert_eq!(Fraction::new(2, 3).times(Fraction::new(1, 2)), third);
        assert_eq!(Fraction::new(5, 0), Fraction::new(5, 1));
    }

    /// A walk through chains of choices that skips what the walk before has missed comes to the same ends as one that asks at each rule.
    #[test]
    fn what_was_missed_is_passed_over() {
        // Two services, one after the other: the ends are pairs, and the rules of the second are met once for each end of the first.
        let walks = |skips: bool| {
            let (mut dice, mut all, mut asked) = (Outcomes::default(), Vec::new(), 0);
            loop {
                let ends = [(7, 5), (9, 4)].map(|(chain, n): (usize, usize)| {
                    let mut rule = 0;
                    loop {
                        if skips {
                            let from = rule;
                            rule += dice.skip((chain, from), &|k| from + k + 1 < n);
                        }
                        asked += 1;
                        if rule + 1 >= n || dice.once_in(n - rule) {
                            return rule;
                        }
                        rule += 1;
                    }
                });
                all.push((ends, dice.share()));
                if !dice.next() {
                    return (all, asked);
                }
            }
        };
        let ((all, asked), (skipping, fewer)) = (walks(false), walks(true));
        assert_eq!((all.len(), &all), (20, &skipping));
        assert!(fewer < asked, "{fewer} {asked}");
        let whole = all.iter().fold(Fraction::ZERO, |sum, (_, share)| sum.plus(*share));
        assert_eq!(whole, Fraction::ONE);
    }

    /// A chain of rules with the probabilities 1/3, 1/2 and 1 gives each of three endpoints a third.
    #[test]
    fn all_outcomes_are_the_whole() {
        let mut dice = Outcomes::default();
        let mut shares = [Fraction::ZERO; 3];
        loop {
            let end = (0..3).find(|i| dice.once_in(3 - i)).unwrap_or(2);
            if let Some(share) = shares.get_mut(end) {
                *share = share.plus(dice.share());
            }
            if !dice.next() {
                break;
            }
        }
        assert_eq!(shares, [Fraction::new(1, 3); 3]);
    }

    #[test]
    fn a_chance_is_a_side() {
        assert_eq!([0.0, 0.49, 0.5, 0.999, 7.0, -1.0].map(|c| Chance::new(c).side(2)), [0, 0, 1, 1, 1, 0]);
        assert_eq!(Chance::new(f64::NAN).side(0), 0);
    }
}
