//! `DefaultPreemption`.
