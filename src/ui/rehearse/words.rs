//! What a rehearsal says, in words.

use steady::engine::explorer::rehearsal::{Mend, NoRehearsal};

use super::model::Trouble;
use crate::ui::i18n::Texts;

/// What a mend is called, what it does, and the lines of a manifest that make it.
pub fn mend(t: &Texts, mend: Mend) -> (String, String, &'static str) {
    let (key, yaml) = match mend {
        Mend::ReadinessProbe => {
            ("readiness", "readinessProbe:\n  tcpSocket:\n    port: …\n  periodSeconds: 1")
        }
        Mend::PreStopSleep => ("sleep", "lifecycle:\n  preStop:\n    sleep:\n      seconds: 5"),
        Mend::NoneUnavailable => {
            ("available", "strategy:\n  rollingUpdate:\n    maxUnavailable: 0\n    maxSurge: 1")
        }
        Mend::Drain => ("drain", ""),
    };
    (t.get(&format!("mend-{key}")), t.get(&format!("mend-{key}-about")), yaml)
}

/// Why there is no rehearsal.
pub fn trouble(t: &Texts, trouble: &Trouble) -> String {
    match trouble {
        Trouble::None(NoRehearsal::NoWorkload) => t.get("rehearse-no-workload"),
        Trouble::None(NoRehearsal::NoService) => t.get("rehearse-no-service"),
        Trouble::None(NoRehearsal::NoNode) => t.get("rehearse-no-node"),
        Trouble::None(NoRehearsal::NoHttp(url)) => t.with("rehearse-no-http", &[("url", url.clone().into())]),
        Trouble::None(NoRehearsal::Restless) => t.get("rehearse-restless"),
        Trouble::None(NoRehearsal::Refused(why)) => t.with("rehearse-refused", &[("why", why.trim().into())]),
        Trouble::Worker(why) => t.with("rehearse-failed", &[("why", why.as_str().into())]),
    }
}
