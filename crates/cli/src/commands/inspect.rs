//! `brief inspect`: a local page with everything that agents received.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use briefing_core::Failure;
use briefing_core::fs::write_atomic;
use briefing_core::shown::path_text;
use briefing_inspect::{Server, Views, export, serve};
use clap::Args;

use super::log;
use crate::host::Looking;
use crate::{environment, output, talk, when};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Write everything into one HTML file, without secrets, instead of serving it
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["port", "no_open"])]
    output: Option<PathBuf>,
    /// Listen on this port [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Print the address without opening a browser
    #[arg(long)]
    no_open: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let views = Views { host: &Looking, place: log::place(&places)?, here: places.here.clone(), clock: &when::shown };
    if let Some(file) = &arguments.output {
        let file = places.here.join(file);
        let page = export(&views, &places)?;
        write_atomic(&file, page.as_bytes())
            .map_err(|problem| Failure::new(format!("cannot write `{}`", path_text(&file))).because(&problem))?;
        talk::plain(&format!("wrote {}: open it in a browser; it needs nothing else", path_text(&file)));
        return Ok(());
    }
    let server = Server::bind(arguments.port).map_err(|error| {
        Failure::new(format!("cannot listen on port {}", arguments.port)).because(&error).hint("without `--port`, a free one is taken")
    })?;
    let address = server.address();
    output::print(&format!("{address}\n"))?;
    let is_open = !arguments.no_open && open(&address);
    talk::plain(if is_open { "your browser opens it; Ctrl-C ends it" } else { "open it in a browser on this machine; Ctrl-C ends it" });
    serve(&server, &views).map_err(|error| Failure::new("cannot answer the browser").because(&error))
}

/// Asks the desktop to open an address. Returns whether it has accepted.
fn open(address: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else if environment::variable("DISPLAY").or_else(|| environment::variable("WAYLAND_DISPLAY")).is_some() {
        ("xdg-open", &[])
    } else {
        return false;
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Not waited for: some of them end only with the browser.
    command.spawn().is_ok()
}
