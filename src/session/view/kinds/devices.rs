//! Claims of devices. A line leads from the claim to the class that it asks for devices of.

use super::{About, KindView, Named, Shows};
use crate::api::types::ResourceClaim;
use crate::api::{Kind, Object, cells};
use crate::session::view::card::{Card, Place, Standing};

/// ResourceClaims.
pub(super) struct DeviceClaims;

impl KindView for DeviceClaims {
    fn about(&self) -> About {
        About {
            place: Place::Aside,
            shows: Shows::Made,
            keeper: "resourceclaim-controller",
            makes: None,
            record: false,
            bookkeeping: &[],
        }
    }
    /// What `kubectl get` has in its column `STATE`. A claim that no pod uses yet is pending on purpose.
    fn card(&self, object: &Object) -> Card {
        let claim = object.get::<ResourceClaim>();
        let good = claim.and_then(|c| c.status.as_ref()).is_some_and(|s| s.allocation.is_some());
        let word = claim.map(|claim| cells::resource_claim_state(claim)).filter(|word| !word.is_empty());
        Card::Resource(word.map(|word| Standing { good, word }))
    }
    fn names<'o>(&self, object: &'o Object) -> Vec<Named<'o>> {
        let claim = object.get::<ResourceClaim>().and_then(|c| c.spec.devices.as_ref());
        let requests = claim.and_then(|d| d.requests.as_deref()).unwrap_or_default();
        let mut classes: Vec<&str> = requests
            .iter()
            .flat_map(|request| {
                let exactly = request.exactly.iter().map(|e| e.device_class_name.as_str());
                exactly.chain(request.first_available.iter().flatten().map(|s| s.device_class_name.as_str()))
            })
            .collect();
        classes.dedup();
        classes.into_iter().map(|class| Named::near(Kind::DEVICE_CLASS, class)).collect()
    }
    usual!(ails, report, next_run, node, ordinal, selects, offers);
}
