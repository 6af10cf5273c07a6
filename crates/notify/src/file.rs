//! The user's file with the receiver, `notify.toml`, readable only by its owner.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::fs::{FileProblem, read_own_text, write_atomic};
use briefing_core::shown::path_text;
use serde::{Deserialize, Serialize};

use crate::receiver::Receiver;

/// The content of the file.
#[derive(Serialize, Deserialize)]
struct Kept {
    url: String,
    #[serde(default)]
    allow_private: bool,
}

/// Returns the path of the file in `$XDG_CONFIG_HOME`.
pub fn path(config: &Path) -> PathBuf {
    config.join("brief").join("notify.toml")
}

/// Returns the receiver that the user has set up, or `None`.
pub fn read(path: &Path) -> Result<Option<Receiver>, Failure> {
    let cannot = || Failure::new(format!("cannot use `{}`", path_text(path))).hint("run `brief notify setup -` to write it again");
    let text = match read_own_text(path, 64 * 1024) {
        Ok(text) => text,
        Err(FileProblem::Missing) => return Ok(None),
        Err(problem) => return Err(cannot().because(&problem)),
    };
    // The parser's error would quote the line with the secret.
    let kept: Kept =
        toml::from_str(&text).map_err(|_| cannot().because_of("it does not have the format that `brief notify setup` writes"))?;
    Receiver::new(&kept.url, kept.allow_private).map(Some).map_err(|problem| cannot().because(&problem))
}

/// Writes the receiver with mode 0600.
pub fn write(path: &Path, receiver: &Receiver) -> Result<(), Failure> {
    let cannot = |problem: FileProblem| Failure::new(format!("cannot write `{}`", path_text(path))).because(&problem);
    let kept = Kept { url: receiver.url().to_owned(), allow_private: receiver.allows_private() };
    let text = toml::to_string(&kept).map_err(|_| cannot(FileProblem::Io("cannot write the address as TOML".into())))?;
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(|error| cannot(error.into()))?;
    // Create the file with its mode before writing the secret; replacing the file keeps the mode.
    make_private_file(path).map_err(|error| cannot(error.into()))?;
    write_atomic(path, text.as_bytes()).map_err(cannot)
}

/// Removes the file. Returns whether there was one.
pub fn remove(path: &Path) -> Result<bool, Failure> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Failure::new(format!("cannot remove `{}`", path_text(path))).because(&FileProblem::from(error))),
    }
}

fn make_private_file(path: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        options.mode(0o600);
        options.open(path)?.set_permissions(fs::Permissions::from_mode(0o600))
    }
    #[cfg(not(unix))]
    options.open(path).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_back_and_private() {
        let directory = tempfile::tempdir().unwrap();
        let path = path(directory.path());
        assert_eq!(read(&path).unwrap(), None);
        let receiver = Receiver::new("https://hooks.example.com/\"quoted\"/x", true);
        let receiver = receiver.unwrap_or_else(|_| Receiver::new("https://hooks.example.com/x", true).unwrap());
        write(&path, &receiver).unwrap();
        write(&path, &receiver).unwrap();
        assert_eq!(read(&path).unwrap(), Some(receiver));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert!(remove(&path).unwrap());
        assert!(!remove(&path).unwrap());
    }

    #[test]
    fn a_broken_file_is_reported_without_its_content() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("notify.toml");
        fs::write(&path, "url = https://hooks.example.com/s3cr3t").unwrap();
        let failure = read(&path).unwrap_err();
        assert!(!format!("{failure} {:?}", failure.causes()).contains("s3cr3t"));
    }
}
