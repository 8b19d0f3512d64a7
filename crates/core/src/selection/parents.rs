//! The parents of a transitive member. If every source mentions every other, there are millions of them, so each parent
//! is a number in a list that all members of a selection share.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::catalog::SourceId;

/// Ids in catalog order; cheap to clone.
#[derive(Clone, Default)]
pub struct Parents {
    ids: Arc<[SourceId]>,
    all: Arc<[u32]>,
    range: Range<usize>,
}

impl Parents {
    /// The parents in this range of `all`, whose numbers are positions in `ids`.
    pub(super) fn new(ids: Arc<[SourceId]>, all: Arc<[u32]>, range: Range<usize>) -> Self {
        Self { ids, all, range }
    }

    /// Iterates in catalog order.
    pub fn iter(&self) -> impl Iterator<Item = &SourceId> {
        let numbers = self.all.get(self.range.clone()).unwrap_or_default();
        numbers.iter().filter_map(|at| self.ids.get(usize::try_from(*at).ok()?))
    }

    /// The number of parents.
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Whether there are no parents.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// Copies the ids.
    pub fn to_vec(&self) -> Vec<SourceId> {
        self.iter().cloned().collect()
    }
}

impl FromIterator<SourceId> for Parents {
    fn from_iter<I: IntoIterator<Item = SourceId>>(ids: I) -> Self {
        let ids: Arc<[SourceId]> = ids.into_iter().collect();
        Self { all: (0..).take(ids.len()).collect(), range: 0..ids.len(), ids }
    }
}

impl PartialEq for Parents {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Parents {}

impl<const N: usize> PartialEq<[SourceId; N]> for Parents {
    fn eq(&self, other: &[SourceId; N]) -> bool {
        self.iter().eq(other)
    }
}

impl fmt::Debug for Parents {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for Parents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
