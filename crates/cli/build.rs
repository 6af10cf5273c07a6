//! How the program is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        // Without it the dynamic linker rewrites 28,000 addresses at every start, which is a third of what a hook with
        // nothing to say does at all.
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
