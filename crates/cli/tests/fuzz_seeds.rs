//! Replays the inputs of the fuzz targets: the seeds, and whatever was found once and is kept among them.

use std::path::Path;

#[path = "../../../fuzz/targets.rs"]
#[allow(unreachable_pub, reason = "the fuzz targets are programs that include it")]
mod targets;

#[test]
fn every_target_withstands_every_seed() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&seeds).unwrap() {
        names.push(entry.unwrap().file_name().into_string().unwrap());
    }
    names.sort_unstable();
    let mut known: Vec<&str> = targets::TARGETS.iter().map(|(name, _)| *name).collect();
    known.sort_unstable();
    assert_eq!(names, known, "every target has seeds, and every directory a target");
    let mut all = Vec::new();
    for name in &names {
        for entry in std::fs::read_dir(seeds.join(name)).unwrap() {
            all.push(std::fs::read(entry.unwrap().path()).unwrap());
        }
    }
    assert!(all.len() >= 20);
    // Every input for every target: what is an index to one is a hostile document to the other.
    for (_, run) in targets::TARGETS {
        for seed in &all {
            run(seed);
        }
    }
}
