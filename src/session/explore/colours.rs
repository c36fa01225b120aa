//! The fingerprint of a graph whose vertices are texts, and whose edges are the names in them.
//!
//! The colour of a vertex begins as the fingerprint of its text without names. In each of a few rounds it
//! takes in the colours of its neighbours (colour refinement, Weisfeiler and Leman). Names form trees here
//! (a pod names its owner, a fact names a pod), and for trees this is exact. A vertex that names nothing and that nothing
//! names keeps the colour of its text, which is known beforehand.

use super::skeleton::{NameId, Skeleton, mix, spread};

/// The number of rounds: the longest chain of names is Deployment, ReplicaSet, Pod, node, fact about them.
const ROUNDS: usize = 4;
/// The colour of what a name stands for that is no vertex.
const NOBODY: u128 = 1;

/// A vertex of the graph: an object, or a fact with names.
#[derive(Clone, Copy)]
pub(super) struct Vertex<'a> {
    pub skeleton: &'a Skeleton,
    /// The number of an object that is told apart from others of its text; 0 for all others.
    pub nth: u64,
}

/// A name in the text of a vertex.
struct Edge {
    from: usize,
    /// The vertex that it stands for, if there is one.
    to: Option<usize>,
    place: u128,
}

/// What is reused from one graph to the next: the table of names grows with the search, a graph does not.
#[derive(Debug, Default)]
pub(super) struct Colours {
    /// By name: in which graph it was found last, and the vertex that it stood for there.
    named: Vec<(u64, usize)>,
    /// The number of the graph.
    nth: u64,
}

impl Colours {
    /// The fingerprint of a graph. `named` are the names that stand for vertices, of `names` there are; `alone` is the sum of
    /// the colours of further vertices without edges.
    pub fn refined(
        &mut self,
        vertices: &[Vertex<'_>],
        named: impl Iterator<Item = (NameId, usize)>,
        names: usize,
        alone: u128,
    ) -> u128 {
        self.nth += 1;
        self.named.resize(names.max(self.named.len()), (0, 0));
        for (name, vertex) in named {
            if let Some(slot) = self.named.get_mut(name as usize) {
                *slot = (self.nth, vertex);
            }
        }
        let vertex_of = |name: NameId| {
            self.named.get(name as usize).filter(|(nth, _)| *nth == self.nth).map(|(_, vertex)| *vertex)
        };
        let mut edges = Vec::new();
        let mut linked = vec![false; vertices.len()];
        for (from, v) in vertices.iter().enumerate() {
            for (place, name) in (0..).zip(v.skeleton.names.iter()) {
                let to = vertex_of(*name);
                for end in [Some(from), to].into_iter().flatten() {
                    if let Some(linked) = linked.get_mut(end) {
                        *linked = true;
                    }
                }
                edges.push(Edge { from, to, place });
            }
        }
        let mut sum = alone;
        // The colours of vertices with edges; those of others are not looked at again.
        let mut colours: Vec<u128> = Vec::with_capacity(vertices.len());
        for (v, linked) in vertices.iter().zip(&linked) {
            let own =
                if v.nth == 0 { v.skeleton.literal } else { mix(v.skeleton.literal, [u128::from(v.nth)]) };
            if !linked {
                let colour = if v.nth == 0 { v.skeleton.alone } else { spread(own) };
                sum = sum.wrapping_add(colour);
            }
            colours.push(own);
        }
        let mut next = colours.clone();
        let mut heard = vec![0u128; vertices.len()];
        for _ in 0..ROUNDS {
            next.copy_from_slice(&colours);
            heard.fill(0);
            let of = |vertex: usize| colours.get(vertex).copied().unwrap_or(NOBODY);
            for e in &edges {
                if let Some(own) = next.get_mut(e.from) {
                    *own = mix(*own, [e.to.map_or(NOBODY, of)]);
                }
                if let Some(heard) = e.to.and_then(|to| heard.get_mut(to)) {
                    *heard = heard.wrapping_add(spread(mix(of(e.from), [e.place])));
                }
            }
            for (((colour, own), heard), linked) in colours.iter_mut().zip(&next).zip(&heard).zip(&linked) {
                if *linked {
                    *colour = mix(*own, [*heard]);
                }
            }
        }
        for (colour, _) in colours.iter().zip(&linked).filter(|(_, linked)| **linked) {
            sum = sum.wrapping_add(spread(*colour));
        }
        mix(sum, [vertices.len() as u128])
    }
}
