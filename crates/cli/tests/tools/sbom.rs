//! `scripts/sbom`: the bill of materials names what is compiled in, with checksums, and is the same every time.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn sbom() -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new("python3").arg("scripts/sbom").current_dir(root).env("CARGO_NET_OFFLINE", "true").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn the_bill_of_materials_is_complete_and_reproducible() {
    let bytes = sbom();
    assert!(bytes == sbom(), "twice is the same");
    let bill: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!((bill["bomFormat"].as_str(), bill["specVersion"].as_str()), (Some("CycloneDX"), Some("1.6")));
    let components = bill["components"].as_array().unwrap();
    let find = |name: &str| components.iter().find(|component| component["name"] == name);
    for name in ["serde_json", "rusqlite", "ureq", "briefing-core", "sqlite"] {
        assert!(find(name).is_some_and(|component| component["version"].as_str().is_some_and(|version| version.contains('.'))), "{name}");
    }
    for name in ["insta", "proptest", "briefing-testkit"] {
        assert!(find(name).is_none(), "{name} is for tests only");
    }
    let foreign = components.iter().filter(|component| !component["name"].as_str().unwrap().starts_with("briefing-"));
    for component in foreign.filter(|component| component["name"] != "sqlite") {
        assert!(component["hashes"][0]["content"].as_str().is_some_and(|hash| hash.len() == 64), "{component}");
        assert!(component["licenses"][0]["expression"].as_str().is_some_and(|licence| !licence.contains('/')), "{component}");
    }
    let known: Vec<&str> = components.iter().chain([&bill["metadata"]["component"]]).filter_map(|one| one["bom-ref"].as_str()).collect();
    for needed in bill["dependencies"].as_array().unwrap().iter().flat_map(|one| one["dependsOn"].as_array().unwrap()) {
        assert!(known.contains(&needed.as_str().unwrap()), "{needed}");
    }
}
