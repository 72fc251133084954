//! A cgroup that is there before it is asked for. One of version 1 has a directory for each controller, and to make them takes longer than
//! anything else that a launch waits for outside its container; so it is done after the end of the one before.
//!
//! It is a new one: nobody has ever been in it. It has the limits of the one before, which are set anew where the next one's are others. It goes
//! when this program ends; that of a killed one goes with the next start. The first container of a process leaves none, since there may be no second.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use super::{Cgroup, Cgroups, Place};
use crate::policy::Limits;

/// The one that waits, and whose it is: a fork of this program has a copy, and must not take its parent's.
static SPARE: Mutex<Option<(u32, Cgroup)>> = Mutex::new(None);

/// Whether no more are to be made, because this program ends.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Where a cgroup was made, and for whom.
#[derive(Debug)]
pub(super) struct Origin {
    pub(super) place: Cgroups,
    /// The limits that it has had from the beginning.
    pub(super) limits: Limits,
    pub(super) number: Number,
}

/// What tells a cgroup from others of this process, as long as it is there: the lowest that is free.
#[derive(Debug)]
pub(super) struct Number(u64);

/// Numbers of the process, not of one runtime in it: two of them must not take each other's cgroups for their own.
static TAKEN: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

impl Number {
    pub(super) fn new() -> Number {
        static BEYOND: AtomicU64 = AtomicU64::new(1 << 32);
        let Some(mut taken) = shared(&TAKEN) else { return Number(BEYOND.fetch_add(1, Ordering::Relaxed)) };
        let free = taken.iter().zip(0..).take_while(|(taken, number)| **taken == *number).count() as u64;
        taken.insert(free);
        Number(free)
    }

    pub(super) fn get(&self) -> u64 {
        self.0
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        if let Some(mut taken) = shared(&TAKEN) {
            taken.remove(&self.0);
        }
    }
}

/// What several threads share, unless somebody is at it for ever, as might be in a fork: nobody is for long else.
fn shared<T>(what: &'static Mutex<T>) -> Option<MutexGuard<'static, T>> {
    (0..1000).find_map(|_| what.try_lock().map_err(|_| std::thread::yield_now()).ok())
}

/// The one that waits there, with these limits.
pub(super) fn take(place: &Place, limits: &Limits) -> Option<Cgroup> {
    let (process, mut spare) = shared(&SPARE)?.take()?;
    if process != std::process::id() {
        std::mem::forget(spare);
        return None;
    }
    let had = spare.origin.as_ref().filter(|origin| origin.place == place.cgroups)?.limits;
    if had != *limits {
        spare.limit(limits).ok()?;
        spare.origin.as_mut()?.limits = *limits;
    }
    Some(spare)
}

/// Makes one for the next launch, where a cgroup was that is gone, if there may be a next one.
pub(super) fn make_another(place: Cgroups, limits: &Limits) {
    static IS_LONG_LIVED: AtomicBool = AtomicBool::new(false);
    if !IS_LONG_LIVED.swap(true, Ordering::Relaxed) || IS_ENDING.load(Ordering::Relaxed) {
        return;
    }
    // One with the lowest number, so that it is the same one that waits whenever all is quiet.
    let number = Number::new();
    let is_lower = |spare: &Cgroup| spare.origin.as_ref().is_some_and(|origin| origin.number.0 < number.0);
    if shared(&SPARE).is_none_or(|spare| spare.as_ref().is_some_and(|(_, spare)| is_lower(spare))) {
        return;
    }
    if let Ok(made) = (Place { cgroups: place, claim: None }).create_as(number, limits) {
        keep(Some((std::process::id(), made)));
    }
}

/// Removes what waits, at the end of this program.
pub(in crate::embedded) fn remove_spare() {
    IS_ENDING.store(true, Ordering::Relaxed);
    keep(None);
}

/// Keeps this one, and removes what waited before. A fork leaves its parent's alone.
fn keep(next: Option<(u32, Cgroup)>) {
    let Some(before) = shared(&SPARE).map(|mut spare| std::mem::replace(&mut *spare, next)) else { return };
    match before {
        Some((process, spare)) if process != std::process::id() => std::mem::forget(spare),
        before => drop(before),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_number_that_is_free_is_next() {
        let [first, second, third] = [Number::new(), Number::new(), Number::new()];
        assert_eq!([first.get(), second.get(), third.get()], [0, 1, 2]);
        drop(second);
        assert_eq!(Number::new().get(), 1);
        drop(first);
        let again = [Number::new(), Number::new()];
        assert_eq!(again.map(|number| number.get()), [0, 1]);
    }
}
