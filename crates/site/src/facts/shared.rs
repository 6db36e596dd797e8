//! Lists that many pages have alike, kept once: the findings of pages of one template.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

/// Lists, each once.
#[derive(Debug)]
pub(super) struct SharedLists<T>(HashSet<Arc<[T]>>);

impl<T> Default for SharedLists<T> {
    fn default() -> Self {
        Self(HashSet::new())
    }
}

impl<T: Clone + Eq + Hash> SharedLists<T> {
    /// The list that is equal to one.
    pub(super) fn add(&mut self, list: &[T]) -> Arc<[T]> {
        if let Some(known) = self.0.get(list) {
            return Arc::clone(known);
        }
        let list: Arc<[T]> = list.into();
        self.0.insert(Arc::clone(&list));
        list
    }

    /// Changes every list; the new one of each old one.
    pub(super) fn changed(self, change: impl Fn(&mut [T])) -> ChangedLists<T> {
        let changed = |old: Arc<[T]>| {
            let mut new = old.to_vec();
            change(&mut new);
            (old, new.into())
        };
        ChangedLists(self.0.into_iter().map(changed).collect())
    }
}

/// Lists by what they were before.
pub(super) struct ChangedLists<T>(HashMap<Arc<[T]>, Arc<[T]>>);

impl<T: Eq + Hash> ChangedLists<T> {
    /// Puts the new list in place of an old one.
    pub(super) fn apply(&self, list: &mut Arc<[T]>) {
        if let Some(new) = self.0.get(list) {
            *list = Arc::clone(new);
        }
    }
}
