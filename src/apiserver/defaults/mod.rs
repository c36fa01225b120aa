//! stub
pub fn apply(_o: &mut crate::api::Object) {}
