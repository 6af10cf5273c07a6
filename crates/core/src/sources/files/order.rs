//! Puts blocks from many threads back into order.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard};

use super::spool::Spool;
use crate::fs::Buffer;

/// The number of bytes that may wait for their turn before the threads that are ahead must wait.
const WAITING: usize = 16 * 1024 * 1024;
/// A buffer larger than this is not reused for the next block.
const KEPT: usize = 2 * 1024 * 1024;

/// Writes to the spool in order. The thread with the next block writes it, and the blocks that waited for it.
pub(super) struct InOrder<'a> {
    state: Mutex<State>,
    moved: Condvar,
    /// Estimates the header's length from the number of blocks and bytes written so far.
    room: &'a (dyn Fn(usize, u64) -> u64 + Sync),
}

struct State {
    next: usize,
    waiting: BTreeMap<usize, Buffer>,
    waiting_bytes: usize,
    /// Where each block begins.
    starts: Vec<u64>,
    /// `None` while a thread is writing.
    spool: Option<Spool>,
    free: Vec<Buffer>,
    error: Option<io::Error>,
}

impl<'a> InOrder<'a> {
    pub(super) fn new(spool: Spool, room: &'a (dyn Fn(usize, u64) -> u64 + Sync)) -> Self {
        let state = State {
            next: 0,
            waiting: BTreeMap::new(),
            waiting_bytes: 0,
            starts: Vec::new(),
            spool: Some(spool),
            free: Vec::new(),
            error: None,
        };
        Self { state: Mutex::new(state), moved: Condvar::new(), room }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds the lock")
    }

    /// Hands in a block and returns an empty one for the next, or `None` if writing has failed.
    pub(super) fn hand_in(&self, index: usize, block: Buffer) -> Option<Buffer> {
        let mut state = self.lock();
        // The thread with the next block never waits, so there is always progress.
        while state.waiting_bytes > WAITING && state.next != index && state.error.is_none() {
            state = self.moved.wait(state).expect("no thread panics while it holds the lock");
        }
        state.waiting_bytes += block.len();
        state.waiting.insert(index, block);
        if let Some(mut spool) = state.spool.take() {
            while let Some(mut block) = {
                let next = state.next;
                state.waiting.remove(&next)
            } {
                let (next, start) = (state.next, spool.len());
                drop(state);
                let written = spool.append(block.as_bytes(), || (self.room)(next, start));
                state = self.lock();
                state.next += 1;
                state.starts.push(start);
                state.waiting_bytes -= block.len();
                if block.capacity() <= KEPT {
                    block.truncate(0);
                    state.free.push(block);
                }
                if let Err(error) = written {
                    state.error.get_or_insert(error);
                }
                self.moved.notify_all();
            }
            state.spool = Some(spool);
        }
        if state.error.is_some() { None } else { Some(state.free.pop().unwrap_or_default()) }
    }

    /// Returns the spool and the position of each block in it, after the last block.
    pub(super) fn finish(self) -> io::Result<(Spool, Vec<u64>)> {
        let state = self.state.into_inner().expect("no thread panics while it holds the lock");
        match state.error {
            Some(error) => Err(error),
            None => Ok((state.spool.expect("all threads have finished"), state.starts)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::sources::files::spool::Home;

    #[test]
    fn blocks_are_written_in_order() {
        for threads in [1, 2, 7] {
            let order = InOrder::new(Spool::new(Home::Temporary), &|_, _| 0);
            let next = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        let mut block = Buffer::default();
                        loop {
                            let index = next.fetch_add(1, Ordering::Relaxed);
                            if index >= 400 {
                                break;
                            }
                            // Long enough that some have to wait for their turn.
                            block.push(&vec![index as u8; 200_000 + index % 7]);
                            block = order.hand_in(index, block).unwrap();
                            assert!(block.is_empty());
                        }
                    });
                }
            });
            let (spool, starts) = order.finish().unwrap();
            assert_eq!(starts.len(), 400);
            let mut all = Vec::new();
            spool.copy(0, spool.len(), &mut all).unwrap();
            for (index, start) in starts.iter().enumerate() {
                let end = starts.get(index + 1).map_or(all.len(), |end| *end as usize);
                assert_eq!(end - *start as usize, 200_000 + index % 7);
                assert!(all[*start as usize..end].iter().all(|byte| *byte == index as u8));
            }
        }
    }
}
