//! A directory inside the root is exchanged for a way out, again and again, while every source reads below it.
//!
//! Nothing of what lies outside may ever be read. What is inside may be missing at times; that is not counted.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use briefing_core::settings::{Places, Settings};
use briefing_core::sources::docs::{Index, IndexFile, SelectRequest};
use briefing_core::sources::files::{self, PackRequest, Rules};
use briefing_core::sources::requests::{Listing, Options, ReadFiles, choose, read_requested_files};
use briefing_core::sources::{docs, domains, gate};
use briefing_testkit::Sandbox;
use rustix::fs::{CWD, RenameFlags, renameat_with};

/// Stands in every file inside.
const INSIDE: &str = "inside-the-project";
/// Stands in every file outside.
const OUTSIDE: &str = "outside-the-project";
/// Files in the directory that is exchanged.
const FILES: usize = 20;

/// What came of reading below a directory that is exchanged all the time.
#[derive(Debug, Default)]
struct Count {
    reads: usize,
    inside: usize,
    outside: usize,
}

impl Count {
    fn add(&mut self, text: &str, reads: usize) {
        self.reads += reads;
        self.inside += text.matches(INSIDE).count();
        self.outside += text.matches(OUTSIDE).count();
    }
}

/// Exchanges two names while `read` runs, until that much was read. All sources together read more than 10,000 times.
fn race(reads: usize, one: &Path, other: &Path, mut read: impl FnMut(&mut Count)) {
    let (is_over, turns) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut count = Count::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).expect("both are there");
                turns.fetch_add(1, Ordering::Relaxed);
            }
        });
        while count.reads < reads {
            read(&mut count);
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let told = format!("{count:?}, {} exchanges of {}", turns.into_inner(), one.display());
    assert!(count.inside > 0, "nothing was read at all: {told}");
    assert_eq!(count.outside, 0, "{told}");
}

/// A project whose directory `name` has files, and a way out beside it under `way-out`.
struct House {
    sandbox: Sandbox,
    name: &'static str,
}

impl House {
    fn new(name: &'static str, files: &[String]) -> Self {
        let sandbox = Sandbox::new().directory(".git").directory(name);
        let outside = sandbox.root().with_file_name("outside");
        fs::create_dir_all(&outside).unwrap();
        for file in files {
            sandbox.write(Path::new(name).join(file), format!("# Deploying\n\nCanary release rollback: {INSIDE}\n"));
            fs::write(outside.join(file), format!("# Deploying\n\nCanary release rollback: {OUTSIDE}\n")).unwrap();
        }
        symlink(&outside, sandbox.root().with_file_name("way-out")).unwrap();
        Self { sandbox, name }
    }

    fn race(&self, reads: usize, read: impl FnMut(&mut Count)) {
        race(reads, &self.sandbox.path(self.name), &self.sandbox.root().with_file_name("way-out"), read);
    }

    fn root(&self) -> PathBuf {
        self.sandbox.root()
    }

    fn places(&self) -> Places {
        Places { here: self.root(), home: None, config: None, state: None, cache: None }
    }
}

fn names() -> Vec<String> {
    (0..FILES).map(|at| format!("{at:02}.md")).collect()
}

fn rules() -> Rules {
    Rules::settle(&Settings::defaults(), &[], &[], None).unwrap()
}

#[test]
fn requests_stay_inside() {
    let house = House::new("requested", &names());
    let asked: Vec<String> = names().iter().map(|name| format!("requested/{name}")).collect();
    let options = Options::new(house.root());
    house.race(4_000, |count| {
        let mut files = ReadFiles::new();
        read_requested_files(&asked, &mut files, &options);
        for entry in &files {
            count.add(&entry.content.text(), 1);
        }
    });
}

#[test]
fn a_listing_and_what_is_chosen_from_it_stay_inside() {
    let house = House::new("listed", &names());
    house.race(60, |count| {
        let listing = Listing::of(&house.root(), None, &[], &rules());
        let chosen = choose("canary release rollback", &listing, FILES);
        let options = Options { listed: Some(listing.full_paths()), ..Options::new(house.root()) };
        let mut files = ReadFiles::new();
        read_requested_files(&chosen, &mut files, &options);
        for entry in &files {
            count.add(&entry.content.text(), 1);
        }
    });
}

#[test]
fn a_pack_stays_inside() {
    let house = House::new("packed", &names());
    let (rules, root) = (rules(), house.root());
    house.race(2_500, |count| {
        let packed = files::pack(&PackRequest::new(std::slice::from_ref(&root), &root, &rules)).unwrap();
        let mut text = Vec::new();
        packed.write(&mut text).unwrap();
        count.add(&String::from_utf8_lossy(&text), FILES);
    });
}

#[test]
fn the_gate_stays_inside() {
    let core: Vec<String> = gate::CORE.iter().map(|(name, _)| (*name).to_owned()).collect();
    let house = House::new(".context", &core);
    let (places, settings) = (house.places(), Settings::defaults());
    house.race(3_000, |count| {
        let brought = gate::bring(&places, &settings);
        for piece in &brought.pieces {
            count.add(&piece.text, 1);
        }
        count.reads += brought.notes.len();
    });
}

#[test]
fn documents_stay_inside() {
    let house = House::new("docs", &names());
    house.sandbox.write("index.json", index("docs/"));
    let (places, settings) = (Places { cache: Some(house.sandbox.home()), ..house.places() }, Settings::defaults());
    let request = SelectRequest::new("how do I roll back the canary release while deploying?", &places, &settings);
    house.race(1_000, |count| {
        let brought = docs::bring(&request);
        let text: String = brought.pieces.iter().map(|piece| piece.text.as_str()).collect();
        count.add(&text, FILES);
    });
}

/// The directory that is exchanged is the root of the index. Outside there are such files, but no index of them.
#[test]
fn an_index_belongs_to_the_directory_that_it_was_read_in() {
    let house = House::new("docs", &names());
    // It takes a while to read.
    house.sandbox.write("docs/index.json", " ".repeat(1024 * 1024) + &index(""));
    let (file, inside) = (house.root().join("docs/index.json"), house.root().join("docs"));
    house.race(60, |count| {
        if let Ok(index) = Index::read(&IndexFile::named(&file), None) {
            count.add(if index.root == inside { INSIDE } else { OUTSIDE }, 1);
        }
    });
}

fn index(directory: &str) -> String {
    let list: Vec<String> = names().iter().map(|name| format!("{{\"path\":\"{directory}{name}\"}}")).collect();
    format!("{{\"version\":1,\"docs\":[{}]}}", list.join(","))
}

/// A domain's files may be links to any `.md`, wherever it is, but to nothing else.
#[test]
fn domains_lead_to_documents_only() {
    let sandbox = Sandbox::new().file(".megg/info.md", INSIDE).file("secret", OUTSIDE).link("way-out.md", "../secret");
    let (info, way_out) = (sandbox.path(".megg/info.md"), sandbox.path("way-out.md"));
    let now = briefing_testkit::NOW.parse().unwrap();
    race(3_000, &info, &way_out, |count| {
        let context = domains::context(&domains::ContextRequest {
            path: &sandbox.root(),
            topic: None,
            now,
            reading: domains::Reading { redacts: true, links: None },
        });
        count.reads += 1;
        for level in &context.chain {
            count.add(&level.info, 0);
        }
    });
}
