//! The inside of a cell: see `briefing_testkit::clients`.

#[cfg(unix)]
fn main() -> std::io::Result<()> {
    briefing_testkit::clients::inside()
}

#[cfg(not(unix))]
fn main() -> std::io::Result<()> {
    Err(std::io::Error::new(std::io::ErrorKind::Unsupported, "a cell needs the network namespaces of Linux"))
}
