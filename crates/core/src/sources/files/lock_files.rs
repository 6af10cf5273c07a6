//! The lock files of package managers. They are long, generated, and say little to a model.

/// Returns whether a file name is that of a lock file.
pub(super) fn is_lock_file(name: &str) -> bool {
    matches!(
        name,
        "Cargo.lock"
            | "Gemfile.lock"
            | "MODULE.bazel.lock"
            | "Package.resolved"
            | "Pipfile.lock"
            | "Podfile.lock"
            | "Cartfile.resolved"
            | "bun.lock"
            | "bun.lockb"
            | "composer.lock"
            | "conan.lock"
            | "deno.lock"
            | "flake.lock"
            | "go.sum"
            | "go.work.sum"
            | "gradle.lockfile"
            | "mix.lock"
            | "npm-shrinkwrap.json"
            | "package-lock.json"
            | "packages.lock.json"
            | "paket.lock"
            | "pdm.lock"
            | "pixi.lock"
            | "pnpm-lock.yaml"
            | "poetry.lock"
            | "pubspec.lock"
            | "pylock.toml"
            | "rebar.lock"
            | "shard.lock"
            | "stack.yaml.lock"
            | "uv.lock"
            | "yarn.lock"
            | ".terraform.lock.hcl"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_files_are_known_by_their_whole_name() {
        assert!(is_lock_file("Cargo.lock") && is_lock_file("pnpm-lock.yaml"));
        for name in ["Cargo.toml", "package.json", "file.lock", "my-Cargo.lock", "lock.rs", "go.mod"] {
            assert!(!is_lock_file(name), "{name}");
        }
    }
}
