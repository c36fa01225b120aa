//! What is looked at before the search: whether each request can be understood, and how many devices it asks for
//! (`validateDeviceRequest`).

use std::rc::Rc;

use super::constraint::Constraint;
use super::pools::{PoolState, devices};
use super::request::{Mode, Request, devices_of};
use super::search::{Location, RequestData, RequestKey, Search};
use super::{Failure, MAX_RESULTS};
use crate::api::MetaExt;
use crate::api::types::resource::ResourceClaim;

impl<'a> Search<'a> {
    /// Looks at all requests of all claims.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub(super) fn validate(&mut self) -> Result<(), Failure> {
        for index in 0..self.claims.len() {
            let claims = self.claims;
            let Some(claim) = claims.get(index) else { continue };
            self.validate_claim(index, claim).map_err(Failure::Wrong)?;
        }
        Ok(())
    }

    fn validate_claim(&mut self, index: usize, claim: &'a ResourceClaim) -> Result<(), String> {
        let key = claim.metadata.key();
        let mut least: usize = 0;
        let devices = devices_of(claim);
        for (i, request) in devices.and_then(|d| d.requests.as_deref()).unwrap_or_default().iter().enumerate()
        {
            let wanted = Request::of(request);
            if wanted.is_empty() {
                let name = &request.name;
                return Err(format!(
                    "claim {key}, request {name}: missing device class name (unsupported request type?)"
                ));
            }
            let parent = request.exactly.is_none().then_some(request.name.as_str());
            let mut fewest = usize::MAX;
            for (sub, request) in wanted.into_iter().enumerate() {
                let at = RequestKey { claim: index, request: i, sub };
                let data = self.validate_request(at, request, parent, &key.to_string())?;
                fewest = fewest.min(data.count);
                self.data.insert(at, data);
            }
            least = least.saturating_add(fewest);
        }
        if least > MAX_RESULTS {
            return Err(format!(
                "claim {key}: number of requested devices {least} exceeds the claim limit of {MAX_RESULTS}"
            ));
        }
        let constraints = devices.and_then(|d| d.constraints.as_deref()).unwrap_or_default();
        let constraints = constraints.iter().enumerate().map(|(i, constraint)| {
            Constraint::parse(constraint).ok_or_else(|| {
                format!("claim {key}, constraint #{i}: empty constraint (unsupported constraint type?)")
            })
        });
        self.constraints.push(constraints.collect::<Result<_, _>>()?);
        Ok(())
    }

    fn validate_request(
        &mut self,
        at: RequestKey,
        request: Request<'a>,
        parent: Option<&'a str>,
        claim: &str,
    ) -> Result<RequestData<'a>, String> {
        let wrong = |why: String| format!("claim {claim}, request {}{why}", request.name());
        if let Some(i) = request.selectors().iter().position(|s| s.cel.is_none()) {
            return Err(wrong(format!(", selector #{i}: CEL expression empty (unsupported selector type?)")));
        }
        if request.class().is_empty() {
            return Err(wrong(": missing device class name (unsupported request type?)".to_owned()));
        }
        let class = self.from.classes.get(request.class()).cloned().ok_or_else(|| {
            let name = request.class();
            wrong(format!(
                ": could not retrieve device class {name}: deviceclass.resource.k8s.io \"{name}\" not found"
            ))
        })?;
        let mut data =
            RequestData { request, parent, class: Rc::clone(&class), count: 0, selected: 0, all: None };
        match request.mode() {
            Mode::ExactCount(count) => data.count = usize::try_from(count.max(0)).unwrap_or(usize::MAX),
            Mode::All => {
                let all = self.all_devices(at, &data, &wrong)?;
                data.count = all.len();
                data.all = Some(all);
            }
            Mode::Unknown(mode) => return Err(wrong(format!(": unsupported count mode {mode}"))),
        }
        Ok(data)
    }

    /// All devices that a request selects.
    fn all_devices(
        &mut self,
        at: RequestKey,
        data: &RequestData<'a>,
        wrong: &dyn Fn(String) -> String,
    ) -> Result<Vec<Location>, String> {
        let mut all = Vec::new();
        for pool in 0..self.pools.len() {
            let Some(of) = self.pools.get(pool) else { continue };
            let is = match of.state {
                PoolState::Complete => "",
                PoolState::Incomplete => "being updated",
                PoolState::Invalid => "invalid",
            };
            if !is.is_empty() {
                let (driver, name) = (&of.driver, &of.name);
                return Err(wrong(format!(
                    ": asks for all devices, but resource pool {driver}/{name} is currently {is}"
                )));
            }
            let counts: Vec<usize> = of.slices.iter().map(|s| devices(s.slice).len()).collect();
            for (slice, count) in counts.into_iter().enumerate() {
                for device in 0..count {
                    let location = Location { pool, slice, device };
                    if self.is_selectable(at, data, location)? && self.has_capacity(data.request, location) {
                        all.push(location);
                    }
                }
            }
        }
        Ok(all)
    }
}
