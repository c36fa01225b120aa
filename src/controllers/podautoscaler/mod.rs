//! The controller of HorizontalPodAutoscalers (`k8s.io/kubernetes/pkg/controller/podautoscaler`): it reads metrics, and
//! changes the size of what the autoscaler names.
//!
//! | module | in Kubernetes |
//! | --- | --- |
//! | `horizontal` | `horizontal.go`: `reconcileAutoscaler` |
//! | `work` | `horizontal.go`: conditions, status |
//! | `compute` | `horizontal.go`: `computeReplicasForMetrics` and what it calls |
//! | `other_metrics` | `horizontal.go`: metrics of pods, of objects, from outside |
//! | `normalize` | `horizontal.go`: stabilization windows and scaling policies |
//! | `replica_calculator` | `replica_calculator.go` |
//! | `metrics` | `metrics/client.go`, `metrics/utilization.go` |
//!
//! Every autoscaler is looked at every 15 seconds. A cluster waits for the next look if something was written since the
//! last one, or if that look may come to another result only because time has passed; otherwise the cluster is steady
//! ([`Wait::Resync`]).

mod compute;
mod horizontal;
mod metrics;
mod normalize;
mod other_metrics;
mod replica_calculator;
mod state;
#[cfg(test)]
mod tests;
mod work;

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::Key;
use crate::api::types::{CustomResourceDefinition, HorizontalPodAutoscaler, Pod};
use crate::client::{Context, EventFlavour, Handler, Reconciler, Result, Seen, Wait, Watches};
use state::State;

/// `--horizontal-pod-autoscaler-sync-period`
const SYNC_PERIOD: SignedDuration = SignedDuration::from_secs(15);
/// `--horizontal-pod-autoscaler-downscale-stabilization`
const DOWNSCALE_STABILIZATION: SignedDuration = SignedDuration::from_mins(5);
/// `--horizontal-pod-autoscaler-tolerance`
const TOLERANCE: f64 = 0.1;
/// `--horizontal-pod-autoscaler-cpu-initialization-period`
const CPU_INITIALIZATION_PERIOD: SignedDuration = SignedDuration::from_mins(5);
/// `--horizontal-pod-autoscaler-initial-readiness-delay`
const INITIAL_READINESS_DELAY: SignedDuration = SignedDuration::from_secs(30);

/// The controller of HorizontalPodAutoscalers.
#[derive(Clone, Copy, Debug)]
pub struct HorizontalController;

type Cx = Context<State>;

impl Reconciler for HorizontalController {
    type Key = Key;
    type State = State;

    fn name(&self) -> Rc<str> {
        "horizontal-pod-autoscaler-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "horizontal-pod-autoscaler".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: self.user(), host: None }
    }

    fn watches(&self) -> Watches<State> {
        Watches::new().watches(enqueue).reads::<Pod>().reads::<CustomResourceDefinition>()
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        let Some(hpa) = cx.lister::<HorizontalPodAutoscaler>().get(&key).cloned() else {
            cx.update_state(move |s| s.forget(&key));
            return Ok(());
        };
        let wait = if horizontal::reconcile(&cx, &key, hpa).await { Wait::Foreground } else { Wait::Resync };
        // A look that failed is followed by the next one at the same interval.
        cx.enqueue_waiting(key, SYNC_PERIOD, wait);
        Ok(())
    }
}

/// A new autoscaler is looked at after one period. A changed one keeps its turn.
fn enqueue(cx: &mut Handler<'_, State>, seen: Seen<'_, HorizontalPodAutoscaler>) {
    if seen.is_gone() {
        // The rest is forgotten at its next turn, unless it has been made again by then (`deleteHPA`).
        cx.state.selectors.remove(seen.key);
        return;
    }
    if !cx.state.selectors.contains_key(seen.key) {
        cx.state.selectors.insert(seen.key.clone(), None);
    }
    cx.enqueue_after(seen.key.clone(), SYNC_PERIOD);
}
