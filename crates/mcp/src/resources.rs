//! Resources: core files, domains and the documents of the indexes. Reading one is the same as the tool `read`.

use std::path::Path;

use briefing_agents::Host;
use briefing_agents::window::requested::{self, Requested};
use briefing_core::shown::relative_text;
use briefing_core::sources::domains::{self, ContextRequest, Reading};
use briefing_core::sources::requests::named;
use briefing_core::sources::{docs, gate};
use briefing_core::{Failure, Rendered};
use rmcp::model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use crate::caller::Caller;
use crate::page::Cursor;
use crate::project::Project;
use crate::tools::{Call, Printed};

/// How many resources are on a page of the list.
const PAGE: usize = 200;
const MARKDOWN: &str = "text/markdown";
const CORE: &str = "brief://core/";
const DOMAIN: &str = "brief://domain/";
const DOCUMENT: &str = "brief://doc/";

/// Returns one page of the list.
pub(crate) fn list(host: &dyn Host, caller: &Caller, cursor: Option<&str>) -> Result<ListResourcesResult, Failure> {
    let project = Project::open(host, caller)?;
    let all = all(host, &project);
    let names: String = all.iter().map(|resource| resource.uri.as_str()).collect();
    let cursor = Cursor::read(cursor, names.as_bytes())?;
    let mut page = ListResourcesResult::with_all_items(all.iter().skip(cursor.at).take(PAGE).cloned().collect());
    page.next_cursor = (cursor.at + PAGE < all.len()).then(|| cursor.to(cursor.at + PAGE));
    Ok(page)
}

/// Returns all resources: core files, then domains from the root down, then documents in the order of their indexes.
fn all(host: &dyn Host, project: &Project) -> Vec<Resource> {
    let (places, settings) = (&project.places, &project.settings);
    let mut all = Vec::new();
    let mut add = |scheme: &str, path: &Path, title: &str, description: &str| {
        let shown = relative_text(path, &places.here);
        let resource = Resource::new(format!("{scheme}{}", encoded(&shown)), shown).with_mime_type(MARKDOWN);
        let resource = if title.is_empty() { resource } else { resource.with_title(title) };
        all.push(if description.is_empty() { resource } else { resource.with_description(description) });
    };
    if let Some(gate) = gate::load(places, settings) {
        for section in &gate.sections {
            add(CORE, &section.path, &section.name, "core file");
        }
        for name in &gate.mentioned {
            add(CORE, &gate.directory.join(name), name, "core file");
        }
    }
    let context =
        domains::context(&ContextRequest { path: &places.here, topic: None, now: host.now(), reading: Reading::of(settings, places) });
    for level in &context.chain {
        add(DOMAIN, &level.info_path(), &level.domain, "domain");
    }
    let knowledge = context.knowledge.iter().map(|knowledge| knowledge.path.as_path());
    for path in knowledge.chain(context.state.iter().map(|state| state.path.as_path())) {
        add(DOMAIN, path, "", "domain");
    }
    let catalogue = docs::everything(places, settings);
    for entry in catalogue.documents.iter().filter(|entry| entry.problem.is_none()) {
        add(DOCUMENT, &entry.document.file, &entry.document.title, &entry.document.description);
    }
    all
}

/// Returns the templates: the same three kinds by path.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = |scheme: &str, name: &str, description: &str| {
        ResourceTemplate::new(format!("{scheme}{{+path}}"), name).with_description(description).with_mime_type(MARKDOWN)
    };
    vec![
        template(CORE, "core file", "A core file of the project, by its path"),
        template(DOMAIN, "domain file", "A file of a domain, by its path"),
        template(DOCUMENT, "document", "An indexed document, by its id or path; %23 and a heading take one section"),
    ]
}

/// Reads a resource, and counts it in the ledger as the tool does.
pub(crate) fn read(call: &Call<'_>, uri: &str) -> Result<ReadResourceResult, Failure> {
    let path = [CORE, DOMAIN, DOCUMENT].iter().find_map(|scheme| uri.strip_prefix(scheme));
    let name =
        path.map(decoded).ok_or_else(|| Failure::new(format!("no resource has the address `{uri}`")).hint("`resources/list` lists all"))?;
    let mut notes = Vec::new();
    let (places, settings) = (&call.project.places, &call.project.settings);
    let asked = named(&[name], places, settings, &mut notes).pop().ok_or_else(|| Failure::new("nothing was found"))?;
    let piece = asked.found?.piece;
    let text = piece.text.clone();
    let print = |_: &Rendered| call.deliverable();
    let requested =
        Requested { pieces: &[piece], asking: call.caller.asking(None), places, settings, event: "mcp resource", cap: None, page: 0 };
    let delivered = requested::deliver(&requested, &mut Printed(&print)).map_err(|error| Failure::new("cancelled").because(&error))?;
    if let Some(problem) = delivered.problem {
        call.host.log(&format_args!("the ledger was not used: {problem}"));
    }
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(MARKDOWN)]))
}

/// Encodes what has a meaning in addresses.
fn encoded(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-~@+,=:!$&'()*".contains(&byte);
    path.bytes().map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        plain.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_survives_its_address() {
        for path in ["docs/a b.md", "ä/ö#x.md", "100%.md", "a?b&c=d", "../up.md", "%41"] {
            let uri = encoded(path);
            assert!(uri.is_ascii() && !uri.contains(['#', '?', ' ']), "{uri}");
            assert_eq!(decoded(&uri), path);
        }
    }
}
