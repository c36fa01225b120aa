//! The header fields of HTTP messages: [`HeaderFields`].

use std::rc::Rc;

/// Header fields of an HTTP message, in their order, beside those that have a place of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeaderFields(Option<Rc<[HeaderField]>>);

/// The name of a header field, and its value.
pub type HeaderField = (Rc<str>, Rc<str>);

impl HeaderFields {
    /// These fields.
    pub fn new(fields: Vec<HeaderField>) -> HeaderFields {
        HeaderFields(Some(fields).filter(|f| !f.is_empty()).map(Rc::from))
    }

    /// The fields in their order.
    pub fn iter(&self) -> impl Iterator<Item = &HeaderField> {
        self.0.iter().flat_map(|fields| fields.iter())
    }

    /// The value of a name, whatever the case of its letters; several are joined with commas. `None` if there is none.
    pub fn get(&self, name: &str) -> Option<String> {
        let all = self.iter().filter(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| &**value);
        Some(all.collect::<Vec<_>>()).filter(|all| !all.is_empty()).map(|all| all.join(","))
    }
}
