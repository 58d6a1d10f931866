//! Section 4.4: batch-update and clean-first replacement, in one node only (4.5, rule 2).

use super::nodes::Entry;
use super::{ENTRY_BYTES, Judge, Miss, Tpftl};
use crate::cache::links::NIL;
use crate::flash::Flash;
use crate::ftl::demand::MapStore;
use crate::units::Vtpn;

impl<J: Judge> Tpftl<J> {
    /// Bytes that can be free without touching any node but `victim`.
    pub(super) fn room_with(&self, victim: u32) -> u64 {
        let free = self.budget - self.used;
        if victim == NIL {
            return free;
        }
        free + ENTRY_BYTES * self.nodes.entries_of(victim) as u64 + self.node_bytes
    }

    /// Evicts entries of `victim` until `needed` bytes are free. Returns the translation page that was
    /// read and written back, if any.
    pub(super) fn make_room(
        &mut self,
        needed: u64,
        victim: u32,
        store: &mut MapStore,
        flash: &mut Flash,
    ) -> Option<Vtpn> {
        if self.budget - self.used >= needed {
            return None;
        }
        let vtpn = self.nodes.vtpn(victim);
        self.changes.clear();
        let mut lives = true;
        while lives && self.budget - self.used < needed {
            lives = self.evict_entry(victim);
        }
        if lives {
            self.nodes.reorder(victim);
        }
        if self.changes.is_empty() {
            return None;
        }
        store.write_back(vtpn, &self.changes, flash);
        Some(vtpn)
    }

    /// Evicts entries of the victim until there is room, or until one of them had to be written back, alone.
    /// Returns whether it had to.
    pub(super) fn write_one_back(
        &mut self,
        Miss { needed, victim, .. }: Miss,
        store: &mut MapStore,
        flash: &mut Flash,
    ) -> bool {
        if self.budget - self.used >= needed {
            return false;
        }
        let vtpn = self.nodes.vtpn(victim);
        self.changes.clear();
        let mut lives = true;
        while lives && self.changes.is_empty() && self.budget - self.used < needed {
            lives = self.evict_entry(victim);
        }
        if lives {
            self.nodes.reorder(victim);
        }
        if self.changes.is_empty() {
            return false;
        }
        store.write_back(vtpn, &self.changes, flash);
        true
    }

    /// Evicts one entry of a node; notes what has to be written back. Returns whether the node lives.
    fn evict_entry(&mut self, node: u32) -> bool {
        let token = self.victim_entry(node);
        let Entry { lpn, ppn, dirty, awaited, .. } = *self.nodes.entry(token);
        self.prefetched.evicted(lpn, awaited);
        self.counts.replacements += 1;
        if dirty {
            self.counts.dirty_replacements += 1;
            if self.features.batch {
                self.nodes.clean(node, &mut self.changes);
            } else {
                self.changes.push((lpn, ppn.get()));
            }
        }
        self.drop_entry(token, node)
    }

    /// The least recent clean entry, else the least recent one.
    fn victim_entry(&mut self, node: u32) -> u32 {
        let clean = if self.features.clean_first { self.nodes.oldest_clean(node) } else { NIL };
        if clean == NIL { self.nodes.oldest(node) } else { clean }
    }

    fn drop_entry(&mut self, token: u32, node: u32) -> bool {
        self.judge.evicted(token);
        let lives = self.nodes.remove(token);
        self.used -= ENTRY_BYTES;
        if !lives {
            unless_bug!(TpftlNodeBytesLeak, self.used -= self.node_bytes);
            self.judge.node_removed(node);
        }
        lives
    }
}
