//! Sizes by numbers: what Kubernetes' own functions give for the same values.
