//! Merges ranked lists into one (reciprocal rank fusion, SEARCH S4.3). The scores of the lists have different units;
//! their ranks are comparable.

use std::collections::HashMap;

/// Added to each rank. The larger it is, the less the first ranks stand out.
const DAMPING: f64 = 10.0;

/// A document in at least one list.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FusedDocument {
    pub document: i64,
    /// The sum over the lists of the weights of list and document, divided by `DAMPING + rank`.
    pub score: f64,
    /// Its rank in each list.
    pub places: Vec<Option<ListPlace>>,
}

impl FusedDocument {
    /// Takes the better place in each list, for a document of the same section.
    pub(super) fn merge(&mut self, other: &Self) {
        let score = |place: Option<ListPlace>| place.map_or(0.0, |place| place.score);
        for (place, other) in self.places.iter_mut().zip(&other.places) {
            if score(*other) > score(*place) {
                *place = *other;
            }
        }
        self.score = self.places.iter().map(|place| score(*place)).sum();
    }
}

/// The rank of a document in a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ListPlace {
    pub document: i64,
    /// From 1.
    pub rank: usize,
    /// What this list adds to the document's score.
    pub score: f64,
}

/// Merges weighted lists into one, best document first. Each list has its best document first and no duplicates. A
/// document that contains everything in the query, or is itself what the query names, scores as if it were also before
/// the first rank of another list: the only section with a rare word must not come after sections that are merely
/// similar. Documents with equal scores are in the order of their keys.
pub(super) fn fuse<K: Ord>(
    lists: &[(&[i64], f64)],
    weight: impl Fn(i64) -> f64,
    has_all: impl Fn(i64) -> bool,
    key: impl Fn(i64) -> K,
) -> Vec<FusedDocument> {
    let mut fused: Vec<FusedDocument> = Vec::new();
    let mut positions: HashMap<i64, usize> = HashMap::new();
    for (list, (documents, counts)) in lists.iter().enumerate() {
        for (rank, document) in (1..).zip(*documents) {
            let position = *positions.entry(*document).or_insert_with(|| {
                fused.push(FusedDocument { document: *document, score: 0.0, places: vec![None; lists.len()] });
                fused.len() - 1
            });
            let Some(entry) = fused.get_mut(position) else { continue };
            let score = counts * weight(*document) / (DAMPING + f64::from(rank));
            entry.score += score;
            if let Some(place) = entry.places.get_mut(list) {
                *place = usize::try_from(rank).ok().map(|rank| ListPlace { document: *document, rank, score });
            }
        }
    }
    for entry in fused.iter_mut().filter(|it| has_all(it.document)) {
        let score = weight(entry.document) / DAMPING;
        entry.score += score;
        if let Some(place) = entry.places.iter_mut().flatten().next() {
            place.score += score;
        }
    }
    fused.sort_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        by_score.then_with(|| (key(one.document), one.document).cmp(&(key(other.document), other.document)))
    });
    fused
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn equal<'l>(lists: &[&'l [i64]]) -> Vec<(&'l [i64], f64)> {
        lists.iter().map(|list| (*list, 1.0)).collect()
    }

    fn order(lists: &[&[i64]], weight: impl Fn(i64) -> f64) -> Vec<i64> {
        fuse(&equal(lists), weight, |_| false, |_| ()).into_iter().map(|it| it.document).collect()
    }

    #[test]
    fn what_both_lists_have_comes_first() {
        for (lists, expected) in [
            (vec![vec![], vec![]], vec![]),
            (vec![vec![3, 1], vec![]], vec![3, 1]),
            (vec![vec![1, 2], vec![3, 2]], vec![2, 1, 3]),
            (vec![vec![1, 2, 3], vec![3, 2, 1]], vec![1, 3, 2]),
            (vec![vec![9], vec![8]], vec![8, 9]),
        ] {
            let lists: Vec<&[i64]> = lists.iter().map(Vec::as_slice).collect();
            assert_eq!(order(&lists, |_| 1.0), expected, "{lists:?}");
        }
        assert_eq!(order(&[&[1, 2]], |document| if document == 1 { 0.5 } else { 1.0 }), [2, 1]);
        let both = fuse(&equal(&[&[1], &[2]]), |_| 1.0, |_| false, |document| -document);
        assert_eq!(both.iter().map(|it| it.document).collect::<Vec<_>>(), [2, 1], "by their keys");
        assert_eq!(both[0].places, [None, Some(ListPlace { document: 2, rank: 1, score: 1.0 / 11.0 })]);
        let unequal = fuse(&[(&[1, 3], 1.0), (&[2], 0.5)], |_| 1.0, |_| false, |_| ());
        assert_eq!(unequal.iter().map(|it| it.document).collect::<Vec<_>>(), [1, 3, 2]);
        let with_all = fuse(&equal(&[&[7, 9], &[1, 2, 8]]), |_| 1.0, |document| document >= 8, |_| ());
        assert_eq!(with_all.iter().map(|it| it.document).collect::<Vec<_>>(), [9, 8, 1, 7, 2]);
    }

    #[test]
    fn a_section_has_the_best_places_of_its_documents() {
        let mut fused = fuse(&equal(&[&[3, 1, 2], &[1, 3]]), |_| 1.0, |document| document == 2, |_| ());
        let mut first = fused.remove(0);
        fused.iter().for_each(|other| first.merge(other));
        let places: Vec<_> = first.places.iter().flatten().map(|place| (place.document, place.rank)).collect();
        assert_eq!(places, [(2, 3), (1, 1)]);
        assert!((first.score - (1.0 / 13.0 + 1.0 / 10.0 + 1.0 / 11.0)).abs() < 1e-9, "{first:?}");
    }

    fn list() -> impl Strategy<Value = Vec<i64>> {
        Just((0..12).collect::<Vec<i64>>())
            .prop_shuffle()
            .prop_flat_map(|all| (0..12usize).prop_map(move |n| all[..n].to_vec()))
    }

    proptest! {
        #[test]
        fn fusion_keeps_each_document_once_and_its_order_of_lists_does_not_matter(one in list(), other in list()) {
            let fused = fuse(&equal(&[&one, &other]), |_| 1.0, |_| false, |_| ());
            let mut documents: Vec<i64> = fused.iter().map(|it| it.document).collect();
            prop_assert!(fused.windows(2).all(|pair| pair[0].score >= pair[1].score));
            for it in fuse(&equal(&[&one, &other]), |_| 0.5, |document| document % 2 == 0, |_| ()) {
                let sum: f64 = it.places.iter().flatten().map(|place| place.score).sum();
                prop_assert!((sum - it.score).abs() < 1e-9);
            }
            prop_assert_eq!(&documents, &order(&[&other, &one], |_| 1.0));
            documents.sort_unstable();
            let mut expected: Vec<i64> = one.iter().chain(&other).copied().collect();
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(documents, expected);
        }

        #[test]
        fn an_empty_list_changes_nothing(one in list()) {
            prop_assert_eq!(order(&[&one, &[]], |_| 1.0), one);
        }
    }
}
