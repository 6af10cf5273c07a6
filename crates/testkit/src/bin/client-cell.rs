//! The inside of a cell: see `briefing_testkit::clients`.

fn main() -> std::io::Result<()> {
    briefing_testkit::clients::inside()
}
