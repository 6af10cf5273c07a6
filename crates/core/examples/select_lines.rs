//! Answers messages over an `index.json`, one JSON line in, one JSON line out.
//!
//! The evaluator's `--mode lines` starts it as `select_lines --index index.json --lines`. `brief select` takes its place.
#![expect(clippy::print_stdout, reason = "standard output is this program's answer")]

use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;

use briefing_core::select::{Document, SearchIndex};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let at = args.iter().position(|arg| arg == "--index").ok_or("usage: select_lines --index FILE [--lines]")?;
    let path = Path::new(args.get(at + 1).ok_or("--index needs a file")?);
    let documents = read_index(path)?;
    let index = SearchIndex::from_bytes(SearchIndex::build(&documents))?;
    let explain = args.iter().any(|arg| arg == "--explain");
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let selection = index.query(message["text"].as_str().unwrap_or_default(), 5)?;
        if explain {
            println!("{selection:#?}");
            continue;
        }
        let paths: Vec<&str> = selection.chosen().map(|ranked| ranked.id.as_str()).collect();
        println!("{}", serde_json::to_string(&paths)?);
        std::io::stdout().flush()?;
    }
    Ok(())
}

fn read_index(path: &Path) -> Result<Vec<Document>, Box<dyn Error>> {
    let index: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let root = path.parent().unwrap_or(Path::new("."));
    let mut documents = Vec::new();
    for entry in index["docs"].as_array().ok_or("the index has no docs")? {
        let path = entry["path"].as_str().unwrap_or_default().to_owned();
        documents.push(Document {
            text: std::fs::read_to_string(root.join(&path))?,
            title: entry["title"].as_str().unwrap_or_default().to_owned(),
            description: entry["description"].as_str().unwrap_or_default().to_owned(),
            tags: entry["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
            id: path.clone(),
            path,
            ..Document::default()
        });
    }
    Ok(documents)
}
