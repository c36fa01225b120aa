//! Which type may stand for which, and what types that were unknown turn out to be (`checker/types.go` of cel-go).

use super::super::types::Type;

/// What is known of the types that are numbered.
#[derive(Default)]
pub(super) struct Mapping {
    known: Vec<Option<Type>>,
    /// What was known before, to take back an attempt that failed.
    log: Vec<(usize, Option<Type>)>,
}

impl Mapping {
    pub fn fresh(&mut self) -> Type {
        self.known.push(None);
        Type::Var(u32::try_from(self.known.len() - 1).unwrap_or(u32::MAX))
    }

    fn find(&self, t: &Type) -> Option<&Type> {
        match t {
            Type::Var(n) => self.known.get(*n as usize).and_then(Option::as_ref),
            _ => None,
        }
    }

    fn set(&mut self, var: &Type, to: Type) {
        if let Type::Var(n) = var
            && let Some(known) = self.known.get_mut(*n as usize)
        {
            self.log.push((*n as usize, known.replace(to)));
        }
    }

    /// Whether each of `from` may stand for each of `to`. What this makes known stays known only if all may.
    pub fn assignable_all(&mut self, from: &[Type], to: &[Type]) -> bool {
        let before = self.log.len();
        let fits = self.list(from, to);
        if !fits {
            while self.log.len() > before {
                if let Some((n, old)) = self.log.pop()
                    && let Some(known) = self.known.get_mut(n)
                {
                    *known = old;
                }
            }
        }
        fits
    }

    pub fn assignable(&mut self, from: &Type, to: &Type) -> bool {
        self.assignable_all(std::slice::from_ref(from), std::slice::from_ref(to))
    }

    fn list(&mut self, from: &[Type], to: &[Type]) -> bool {
        from.len() == to.len() && from.iter().zip(to).all(|(a, b)| self.fits(a, b))
    }

    fn fits(&mut self, t1: &Type, t2: &Type) -> bool {
        if let Type::Var(_) = t2 {
            let (valid, bound) = self.substitutes(t1, t2);
            if valid || bound {
                return valid;
            }
        }
        if let Type::Var(_) = t1 {
            return self.substitutes(t2, t1).0;
        }
        if t1.is_dyn_or_error() || t2.is_dyn_or_error() {
            return true;
        }
        match (t1, t2) {
            (Type::Null, other) | (other, Type::Null) => matches!(
                other,
                Type::Null | Type::Opaque(..) | Type::Struct(_) | Type::Duration | Type::Timestamp
            ),
            (Type::Type(_), Type::Type(_)) => true,
            (Type::List(_), Type::List(_)) | (Type::Map(_), Type::Map(_)) => {
                self.list(t1.params(), t2.params())
            }
            (Type::Opaque(a, _), Type::Opaque(b, _)) => a == b && self.list(t1.params(), t2.params()),
            _ => t1 == t2,
        }
    }

    /// Whether `t` may be what the unknown `var` is, and whether something was known of it.
    fn substitutes(&mut self, t: &Type, var: &Type) -> (bool, bool) {
        if t == var {
            return (true, true);
        }
        let Some(known) = self.find(var).cloned() else {
            let free = self.is_free_of(var, t);
            if free {
                self.set(var, t.clone());
            }
            return (free, false);
        };
        if *t == known {
            return (true, true);
        }
        if !self.fits(t, &known) {
            return (false, true);
        }
        let general = most_general(t, &known);
        if self.is_free_of(var, &general) {
            self.set(var, general);
        }
        (true, true)
    }

    /// Whether `var` is no part of `within`.
    fn is_free_of(&self, var: &Type, within: &Type) -> bool {
        if var == within {
            return false;
        }
        match within {
            Type::Var(_) => self.find(within).is_none_or(|known| self.is_free_of(var, known)),
            _ => within.params().iter().all(|p| self.is_free_of(var, p)),
        }
    }

    /// A type with what is known of its parts; with `all`, what is not known is `dyn`.
    pub fn substitute(&self, t: &Type, all: bool) -> Type {
        match t {
            Type::Var(_) => match self.find(t) {
                Some(known) => self.substitute(known, all),
                None if all => Type::Dyn,
                None => t.clone(),
            },
            _ if t.params().is_empty() => t.clone(),
            _ => t.with_params(t.params().iter().map(|p| self.substitute(p, all)).collect()),
        }
    }
}

/// The more general of two types of which one may stand for the other.
pub(super) fn most_general(t1: &Type, t2: &Type) -> Type {
    if is_less_specific(t1, t2) { t1.clone() } else { t2.clone() }
}

fn is_less_specific(t1: &Type, t2: &Type) -> bool {
    if t1.is_dyn() || matches!(t1, Type::Var(_)) {
        return true;
    }
    if t2.is_dyn() || matches!(t2, Type::Var(_)) {
        return false;
    }
    match (t1, t2) {
        (Type::Type(_), Type::Type(_)) => true,
        (Type::List(_), Type::List(_))
        | (Type::Map(_), Type::Map(_))
        | (Type::Opaque(..), Type::Opaque(..)) => {
            t1.name() == t2.name()
                && t1.params().len() == t2.params().len()
                && t1.params().iter().zip(t2.params()).all(|(a, b)| is_less_specific(a, b))
        }
        _ => t1 == t2,
    }
}
