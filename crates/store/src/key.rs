//! The key of a session.

/// The key of a session: agent, its native session id, and the sub-agent within it.
///
/// Native ids come from outside, so they are hashed before they become a key, and they never become a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionKey {
    pub agent: String,
    /// Hash of the native id, 32 hexadecimal digits. For a second process with the same session, `+` and eight more.
    pub native: String,
    /// Hash of the sub-agent's id, empty for the main thread.
    pub sub_agent: String,
}

impl SessionKey {
    pub fn new(agent: &str, native_id: &str, sub_agent: Option<&str>) -> Self {
        Self { agent: agent.to_owned(), native: hashed(native_id), sub_agent: sub_agent.map(hashed).unwrap_or_default() }
    }

    /// Returns the key for a process that works on this session while another one does too: each has its own window.
    #[must_use]
    pub fn beside(&self, client: &str) -> Self {
        Self { native: format!("{}+{}", self.native, &hashed(client)[..8]), ..self.clone() }
    }

    /// Returns whether this is the key of a session with this native id, or of a second process that works on it.
    pub fn is_of(&self, native_id: &str) -> bool {
        self.native.split('+').next() == Some(&hashed(native_id))
    }

    /// Returns the short form shown to users: agent and the first eight digits.
    pub fn short(&self) -> String {
        let second = self.native.split_once('+').map(|(_, digits)| format!("+{digits}")).unwrap_or_default();
        let sub = if self.sub_agent.is_empty() { String::new() } else { format!("/{}", &self.sub_agent[..8]) };
        format!("{}:{}{second}{sub}", self.agent, &self.native[..8])
    }
}

/// Returns the hash of a native id.
fn hashed(id: &str) -> String {
    let mut hex = blake3::hash(id.as_bytes()).to_hex().to_string();
    hex.truncate(32);
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_ids_become_plain_digits() {
        let key = SessionKey::new("claude", "../../etc/passwd\0", Some(""));
        assert!(key.native.bytes().all(|byte| byte.is_ascii_hexdigit()) && key.native.len() == 32);
        assert_ne!(key, SessionKey::new("claude", "../../etc/passwd\0", None), "a sub-agent has a key of its own");
    }
}
