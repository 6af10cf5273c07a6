//! The tools: their names, descriptions and parameters. What they do is in one file per tool.
//!
//! The list is part of every request of some clients, so each word of it costs tokens in every session.

mod context;
mod learn;
mod maintain;
mod pack;
mod read;
mod select;
mod why;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use briefing_agents::Host;
use briefing_agents::window::Target;
use briefing_core::sources::files::Progress;
use briefing_core::{Failure, Rendered};
use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use rmcp::schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub(crate) use learn::Learning;

use crate::answer::Answer;
use crate::caller::Caller;
use crate::project::Project;

/// A call on its way through a tool.
pub(crate) struct Call<'a> {
    pub(crate) host: &'a dyn Host,
    pub(crate) caller: &'a Caller,
    pub(crate) project: &'a Project,
    /// The progress of a long call.
    pub(crate) progress: &'a Progress,
    /// Whether the client no longer waits for the answer.
    pub(crate) is_cancelled: &'a AtomicBool,
}

impl Call<'_> {
    /// Fails if the client no longer waits for the answer.
    pub(crate) fn deliverable(&self) -> io::Result<()> {
        if self.is_cancelled.load(Ordering::Relaxed) { Err(io::Error::other("the client has cancelled the call")) } else { Ok(()) }
    }
}

/// A target that is a function.
pub(crate) struct Printed<'a>(pub(crate) &'a dyn Fn(&Rendered) -> io::Result<()>);

impl Target for Printed<'_> {
    fn deliver(&mut self, rendered: &Rendered, _: Option<&str>) -> io::Result<()> {
        (self.0)(rendered)
    }
}

type Run = fn(&Call<'_>, Value) -> Result<Answer, Failure>;

/// One tool.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    description: &'static str,
    schema: fn() -> JsonObject,
    /// Whether it changes nothing.
    reads: bool,
    /// Whether Claude Code offers it from the first request on, instead of after a search for tools.
    is_always_there: bool,
    /// Whether its results may be long.
    is_long: bool,
    pub(crate) run: Run,
}

/// What Claude Code passes on whole of a long result.
const LONG: u64 = 200_000;

pub(crate) const TOOLS: &[Row] = &[
    Row {
        name: "context",
        description: "What is known about a directory or file: the domains above it, their knowledge and hand-off notes. \
                      Call it before working in an unfamiliar part of the project.",
        schema: schema::<context::Parameters>,
        reads: true,
        is_always_there: false,
        is_long: true,
        run: |call, arguments| context::run(call, &parameters(arguments)?),
    },
    Row {
        name: "select",
        description: "Find the project documents, or source files, that fit a request or task, best first, with reasons. \
                      Returns names for `read`, no contents.",
        schema: schema::<select::Parameters>,
        reads: true,
        is_always_there: true,
        is_long: false,
        run: |call, arguments| select::run(call, &parameters(arguments)?),
    },
    Row {
        name: "read",
        description: "Return the contents of documents, sections, entries or files by name, with secrets removed.",
        schema: schema::<read::Parameters>,
        reads: true,
        is_always_there: true,
        is_long: true,
        run: |call, arguments| read::run(call, &parameters(arguments)?),
    },
    Row {
        name: "pack",
        description: "Return whole directories and files as one document with a tree. For many files at once; `read` is cheaper for a few.",
        schema: schema::<pack::Parameters>,
        reads: true,
        is_always_there: false,
        is_long: true,
        run: |call, arguments| pack::run(call, &parameters(arguments)?),
    },
    Row {
        name: "learn",
        description: "Write down something lasting for later sessions, after the user confirms: knowledge of the nearest domain, \
                      a decision, or a learning of the project. Not for secrets or progress notes.",
        schema: schema::<learn::Parameters>,
        reads: false,
        is_always_there: false,
        is_long: false,
        run: |call, arguments| learn::write(call, &parameters(arguments)?),
    },
    Row {
        name: "maintain",
        description: "Report knowledge that is too large, stale, repeated or broken. Changes nothing.",
        schema: schema::<maintain::Parameters>,
        reads: true,
        is_always_there: false,
        is_long: false,
        run: |call, arguments| Ok(maintain::run(call, &parameters(arguments)?)),
    },
    Row {
        name: "why",
        description: "Explain why a document or file was delivered to this session, or was not.",
        schema: schema::<why::Parameters>,
        reads: true,
        is_always_there: false,
        is_long: false,
        run: |call, arguments| why::run(call, &parameters(arguments)?),
    },
];

/// Returns the row of a tool.
pub(crate) fn find(name: &str) -> Option<&'static Row> {
    TOOLS.iter().find(|row| row.name == name)
}

impl Row {
    /// Returns whether it changes files, which needs the user's consent.
    pub(crate) fn writes(&self) -> bool {
        !self.reads
    }

    /// Returns the tool as it is listed.
    pub(crate) fn tool(&self) -> Tool {
        let annotations = if self.reads { ToolAnnotations::new().read_only(true) } else { ToolAnnotations::new().destructive(false) };
        let tool = Tool::new(self.name, self.description, Arc::new((self.schema)())).with_annotations(annotations);
        let mut meta = MetaObject::new();
        if self.is_always_there {
            meta.insert("anthropic/alwaysLoad".to_owned(), json!(true));
        }
        if self.is_long {
            meta.insert("anthropic/maxResultSizeChars".to_owned(), json!(LONG));
        }
        if meta.is_empty() { tool } else { tool.with_meta(meta) }
    }
}

/// Reads the parameters of a tool.
pub(crate) fn parameters<T: DeserializeOwned>(arguments: Value) -> Result<T, Failure> {
    serde_json::from_value(arguments).map_err(|error| {
        Failure::usage("the arguments do not fit the tool").because(&error).hint("correct them as its input schema says, and call again")
    })
}

/// Returns the schema of a tool's parameters, without what no model needs: titles, formats, and `null` for what may be left
/// out.
fn schema<T: JsonSchema>() -> JsonObject {
    let schema =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true).into_generator().into_root_schema_for::<T>();
    let mut value = serde_json::to_value(schema).unwrap_or_default();
    trim(&mut value, false);
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

fn trim(value: &mut Value, is_property_list: bool) {
    let Value::Object(fields) = value else { return };
    if !is_property_list {
        for name in ["$schema", "title", "format", "default", "minimum"] {
            fields.remove(name);
        }
        if let Some(Value::Array(kinds)) = fields.get_mut("type") {
            kinds.retain(|kind| kind != "null");
            if let [kind] = &kinds[..] {
                let kind = kind.clone();
                fields.insert("type".to_owned(), kind);
            }
        }
        if let Some(Value::Array(kinds)) = fields.get_mut("enum") {
            kinds.retain(|kind| !kind.is_null());
        }
    }
    for (name, field) in fields.iter_mut() {
        trim(field, name == "properties");
    }
}
