//! Candidates to sections: each file is opened once, checked, decoded, guarded, counted and rendered, in parallel.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use super::gather::Candidate;
use super::order::InOrder;
use super::rules::Rules;
use super::spool::{Home, Spool};
use super::tree::tree;
use crate::failure::Failure;
use crate::fs::{FileError, FileProblem, ReadBuffer, open_regular};
use crate::note::{Level, Note, NoteKind};
use crate::render::{Frame, Style};
use crate::secrets::{self, Secret};
use crate::text;
use crate::tokens::TokenCounter;

/// Neighbours in the tree are taken together and leave together.
const CHUNK: usize = 16;

/// A file's text, ready to be rendered.
#[derive(Debug)]
pub struct LoadedFile<'a> {
    pub shown: &'a str,
    pub text: Cow<'a, str>,
    /// The size on disk.
    pub bytes: u64,
    pub tokens: Option<u64>,
    pub secrets: Vec<Secret>,
    pub modified: Option<SystemTime>,
}

/// Where a rendered file lies in the spool, and what is known about it.
#[derive(Debug, Clone)]
pub struct Section {
    pub shown: String,
    pub is_explicit: bool,
    pub bytes: u64,
    /// Exact tokens of the content, where they were asked for.
    pub tokens: Option<u64>,
    /// Exact tokens of the section as rendered, where a budget was given.
    pub rendered_tokens: Option<u64>,
    pub modified: Option<SystemTime>,
    pub offset: u64,
    pub length: u64,
}

/// All sections in the order of the candidates.
#[derive(Debug)]
pub struct Loaded {
    pub sections: Vec<Section>,
    pub errors: Vec<FileError>,
    pub notes: Vec<Note>,
    pub spool: Spool,
}

/// How far the work is. Shared with whoever shows it.
#[derive(Debug, Default)]
pub struct Progress {
    pub total: AtomicUsize,
    pub done: AtomicUsize,
}

/// What to do with each file.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    pub rules: &'a Rules,
    pub style: &'a Style,
    pub counter: Option<&'a dyn TokenCounter>,
    /// Whether the rendered sections are counted too.
    pub counts_rendered: bool,
    /// Device and inode of stdout where it is a file: it never packs itself.
    pub stdout_identity: Option<(u64, u64)>,
    pub progress: &'a Progress,
}

/// What became of one candidate.
enum Verdict {
    Section(Section),
    Error(FileError),
    Skipped,
}

/// Loads and renders all candidates into a spool at `home`. Only a full disk or the like under the spool itself is a failure.
pub fn load(candidates: &[Candidate], job: Job<'_>, home: Home) -> Result<Loaded, Failure> {
    job.progress.total.store(candidates.len(), Ordering::Relaxed);
    let threads = job.rules.thread_count().min(candidates.len().div_ceil(CHUNK)).max(1);
    let room = |blocks: usize, bytes: u64| forecast(candidates, job, blocks * CHUNK, bytes);
    let (next, order) = (AtomicUsize::new(0), InOrder::new(Spool::new(home), &room));
    let work = || Worker::new(job).run(candidates, &next, &order);
    let workers: Vec<Worker<'_>> = if threads == 1 {
        vec![work()]
    } else {
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            handles.into_iter().map(|handle| handle.join().expect("a worker does not panic")).collect()
        })
    };
    let (spool, starts) = order.finish().map_err(|error| {
        Failure::new("cannot keep the contents in a temporary file")
            .because(&error)
            .hint("free some space where the output goes; without -o it is TMPDIR that needs it")
    })?;
    let mut loaded = Loaded { sections: Vec::with_capacity(candidates.len()), errors: Vec::new(), notes: Vec::new(), spool };
    let mut chunks = Vec::with_capacity(starts.len());
    for worker in workers {
        chunks.extend(worker.chunks);
        loaded.notes.extend(worker.notes);
    }
    chunks.sort_unstable_by_key(|(chunk, _)| *chunk);
    loaded.notes.sort_by(|a, b| crate::shown::tree_order(&a.path, &b.path));
    for (chunk, verdicts) in chunks {
        for verdict in verdicts {
            match verdict {
                Verdict::Section(section) => loaded.sections.push(Section { offset: starts[chunk] + section.offset, ..section }),
                Verdict::Error(error) => loaded.errors.push(error),
                Verdict::Skipped => {}
            }
        }
    }
    Ok(loaded)
}

/// Guesses how long the header will be when all candidates turn out well.
fn forecast(candidates: &[Candidate], job: Job<'_>, files: usize, bytes: u64) -> u64 {
    let frame = Frame {
        limits: &job.rules.shown,
        tree: tree(candidates.iter().map(|candidate| (candidate.shown.as_str(), None))),
        files: candidates.len(),
        bytes: bytes / files.max(1) as u64 * candidates.len() as u64,
        tokens: None,
        encoding: None,
        left_out: &[],
        left_out_total: 0,
        notes: &[],
    };
    job.style.header(&frame).len() as u64
}

struct Worker<'a> {
    job: Job<'a>,
    buffer: ReadBuffer,
    /// The rendered sections of the current chunk.
    block: Vec<u8>,
    /// The chunks that this thread took. Offsets of sections are those in their block.
    chunks: Vec<(usize, Vec<Verdict>)>,
    notes: Vec<Note>,
}

impl<'a> Worker<'a> {
    fn new(job: Job<'a>) -> Self {
        Self { job, buffer: ReadBuffer::default(), block: Vec::new(), chunks: Vec::new(), notes: Vec::new() }
    }

    fn run(mut self, candidates: &[Candidate], next: &AtomicUsize, order: &InOrder<'_>) -> Self {
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            let start = chunk * CHUNK;
            if start >= candidates.len() {
                return self;
            }
            let end = (start + CHUNK).min(candidates.len());
            let verdicts = candidates[start..end].iter().map(|candidate| self.take(candidate)).collect();
            self.chunks.push((chunk, verdicts));
            self.job.progress.done.fetch_add(end - start, Ordering::Relaxed);
            match order.hand_in(chunk, std::mem::take(&mut self.block)) {
                Some(block) => self.block = block,
                None => return self,
            }
        }
    }

    fn take(&mut self, candidate: &Candidate) -> Verdict {
        let shown = &candidate.shown;
        let read = read(candidate, self.job, &mut self.buffer);
        let file = match read {
            Ok(Some(file)) => file,
            Ok(None) => {
                self.notes.push(Note::info(shown.clone(), NoteKind::OwnOutput, "this is the output itself"));
                return Verdict::Skipped;
            }
            Err(problem) => {
                let error = FileError::new(shown.clone(), problem);
                if !candidate.is_explicit && is_merely_skipped(&error.problem) {
                    self.notes.push(error.note(Level::Warning));
                    return Verdict::Skipped;
                }
                return Verdict::Error(error);
            }
        };
        let limit = self.job.rules.max_file_bytes();
        if file.bytes >= limit - limit / 10 && limit > 0 {
            let reason = format!("{} of at most {limit} bytes: near the size limit", file.bytes);
            self.notes
                .push(Note::warning(shown.clone(), NoteKind::NearLimit, reason).decided_by(self.job.rules.decided_by("max_file_size_kb")));
        }
        self.notes.extend(file.secrets.iter().map(|secret| secret.note(shown)));
        if let Some(note) = self.job.style.replaces(&file) {
            self.notes.push(note);
        }
        let offset = self.block.len();
        self.job.style.section(&file, &mut self.block);
        let rendered_tokens = self.job.counter.filter(|_| self.job.counts_rendered).map(|counter| {
            let rendered = std::str::from_utf8(&self.block[offset..]).expect("sections are rendered from text");
            counter.count(rendered, &blake3::hash(rendered.as_bytes()))
        });
        Verdict::Section(Section {
            shown: shown.clone(),
            is_explicit: candidate.is_explicit,
            bytes: file.bytes,
            tokens: file.tokens,
            rendered_tokens,
            modified: file.modified,
            offset: offset as u64,
            length: (self.block.len() - offset) as u64,
        })
    }
}

/// Binary and undecodable files met while walking are no errors: nobody asked for them. Nor are files that vanish
/// between the walk and the read.
fn is_merely_skipped(problem: &FileProblem) -> bool {
    matches!(
        problem,
        FileProblem::Missing
            | FileProblem::Binary
            | FileProblem::NotUtf8 { .. }
            | FileProblem::NotRegular { .. }
            | FileProblem::Link { .. }
    )
}

/// Reads one file; `None` means that it is our own output.
fn read<'a>(candidate: &'a Candidate, job: Job<'_>, buffer: &'a mut ReadBuffer) -> Result<Option<LoadedFile<'a>>, FileProblem> {
    let (mut file, metadata) = open_regular(&candidate.path, candidate.last_link)?;
    #[cfg(unix)]
    if let Some((device, inode)) = job.stdout_identity {
        use std::os::unix::fs::MetadataExt;
        if (metadata.dev(), metadata.ino()) == (device, inode) {
            return Ok(None);
        }
    }
    let bytes = buffer.read(&mut file, &metadata, job.rules.max_file_bytes())?;
    let size = bytes.len() as u64;
    let mut text = text::decode(bytes)?;
    let mut found = Vec::new();
    if job.rules.redacts {
        let redacted = secrets::redact(&text);
        if !redacted.secrets.is_empty() {
            found = redacted.secrets;
            text = Cow::Owned(redacted.text.into_owned());
        }
    }
    let tokens = job.counter.map(|counter| counter.count(&text, &blake3::hash(text.as_bytes())));
    Ok(Some(LoadedFile { shown: &candidate.shown, text, bytes: size, tokens, secrets: found, modified: metadata.modified().ok() }))
}
