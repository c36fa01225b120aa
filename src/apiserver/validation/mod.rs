//! stub
use crate::api::Object;
#[derive(Debug)]
pub struct FieldError {
    pub field: String,
}
impl std::fmt::Display for FieldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.field)
    }
}
impl FieldError {
    pub fn reason(&self) -> &'static str {
        ""
    }
    pub fn body(&self) -> String {
        String::new()
    }
}
pub fn validate_create(_: &Object) -> Vec<FieldError> {
    Vec::new()
}
pub fn validate_update(_: &Object, _: &Object) -> Vec<FieldError> {
    Vec::new()
}
pub fn validate_status_update(_: &Object, _: &Object) -> Vec<FieldError> {
    Vec::new()
}
