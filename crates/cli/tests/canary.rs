//! A project with a document about a canary release, and a question that it answers: what the tests of the views share.

use briefing_testkit::Sandbox;
use serde_json::json;

pub(crate) const DEPLOY: &str = "how do I roll back the canary release when the error budget is gone?";

/// Returns a project whose documents still need an index.
pub(crate) fn project() -> Sandbox {
    Sandbox::new().file(".git/HEAD", "ref: refs/heads/main\n").file(
        "docs/deploy.md",
        "# Deploying to production\n\nReleases are rolled out with a canary until the error budget is gone. A rollback puts the release \
         back.\n",
    )
}

/// Sends a message and returns what the agent receives.
pub(crate) fn say(sandbox: &Sandbox, message: &str) -> String {
    sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "prompt": message, "prompt_id": message }))
}
