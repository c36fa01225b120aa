//! A kubectl in the library (the real one is on its way; this one only creates).

use std::rc::Rc;

use crate::api::{Key, Kind, Object, Timestamp};
use crate::apiserver::{Body, Request, Response, Verb};

/// What a command line printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code.
    pub exit: i32,
}

/// Who carries a request to the API server.
pub trait ApiClient {
    /// Sends a request.
    fn request(&mut self, r: &Request) -> Response;
    /// The time.
    fn now(&self) -> Timestamp;
}

/// Runs a command line.
pub fn run(line: &str, files: &dyn Fn(&str) -> Option<String>, client: &mut dyn ApiClient) -> Output {
    let mut out = Output::default();
    let Some(file) = line.strip_prefix("apply -f ") else {
        return Output { stderr: "error: unknown command\n".into(), exit: 1, ..out };
    };
    let Ok(value) = serde_yaml::from_str::<serde_json::Value>(&files(file).unwrap_or_default()) else {
        return Output { stderr: "error: not YAML\n".into(), exit: 1, ..out };
    };
    let text = |k: &str| value.get(k).and_then(serde_json::Value::as_str).unwrap_or_default();
    let Some(kind) = Kind::of(text("apiVersion"), text("kind")) else {
        return Output { stderr: "error: unknown kind\n".into(), exit: 1, ..out };
    };
    match Object::from_value(kind, value.clone()) {
        Ok(mut o) => {
            if kind.namespaced() && o.namespace().is_empty() {
                o.meta_mut().namespace = Some("default".into());
            }
            let user: Rc<str> = "kubectl".into();
            let name = o.name().to_owned();
            let key = Key::new(o.namespace(), &name);
            let r = client.request(&Request::new(&user, Verb::Create, kind, key).body(Body::Object(o)));
            match r {
                Response::Failure(s) => {
                    out.stderr = format!("Error from server: {s}\n");
                    out.exit = 1;
                }
                _ => {
                    let g =
                        if kind.group().is_empty() { String::new() } else { format!(".{}", kind.group()) };
                    out.stdout = format!("{}{g}/{name} created\n", kind.singular());
                }
            }
        }
        Err(e) => {
            out.stderr = format!("{e}\n");
            out.exit = 1;
        }
    }
    out
}
