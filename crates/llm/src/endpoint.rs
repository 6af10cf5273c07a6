//! The address of a model, its name, and the key.

use std::fmt;
use std::net::IpAddr;

use briefing_core::Failure;
use briefing_core::secrets::redact;
use briefing_core::settings::{LlmSettings, Settings};

/// A key for an endpoint. It can be sent but never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Returns the key in `text` without surrounding whitespace, or `None` if nothing is left.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    pub(crate) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Returns `text` with the key redacted.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        text.replace(&self.0, "[redacted: key]")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key([redacted])")
    }
}

/// An OpenAI-compatible endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Everything before `/chat/completions`, such as `https://api.openai.com/v1`.
    pub base_url: String,
    pub model: String,
    /// `None` for servers that need no key, such as local ones.
    pub key: Option<Key>,
}

impl Endpoint {
    /// Returns the endpoint of the settings. `variable` looks up an environment variable by its name.
    ///
    /// The default key variable belongs to the default endpoint: a user who changes only the address does not want to send
    /// the key of one provider to another.
    pub fn from_settings(settings: &Settings, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Failure> {
        let LlmSettings { base_url, model, key_variable, .. } = &settings.llm;
        let name = &key_variable.value;
        let is_meant = !key_variable.is_default() || base_url.is_default();
        let key = if is_meant && !name.is_empty() { variable(name).as_deref().and_then(Key::new) } else { None };
        if key.is_none() && base_url.is_default() {
            return Err(Failure::new(format!("no key for {}: the environment variable `{name}` is not set", base_url.value))
                .hint(format!("set `{name}`, or set `llm.key_variable` to the name of another variable"))
                .hint("for a local server without a key, set `llm.model` and `llm.base_url`, for example `http://localhost:11434/v1`"));
        }
        Ok(Self { base_url: base_url.value.clone(), model: model.value.clone(), key })
    }

    /// Returns the URL of the chat endpoint, or a failure if requests may not be sent there.
    pub(crate) fn chat_url(&self) -> Result<String, Failure> {
        let base = self.base_url.trim().trim_end_matches('/');
        let refuse = |why: &str| Failure::new(format!("cannot use `{}` as `llm.base_url`: {why}", redact(base).text));
        let uri: ureq::http::Uri = base.parse().map_err(|_| refuse("it is not a URL"))?;
        let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(|| refuse("it has no host"))?;
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if self.key.is_none() || is_nearby(host) => {}
            Some("http") => {
                return Err(refuse("the key would be sent unencrypted")
                    .hint("use https, or set `llm.key_variable = \"\"` if the server needs no key"));
            }
            _ => return Err(refuse("it does not start with http or https").hint("use a URL such as `https://api.openai.com/v1`")),
        }
        Ok(format!("{base}/chat/completions"))
    }

    /// Returns the host as shown to users, without credentials.
    pub fn host(&self) -> String {
        let uri: Option<ureq::http::Uri> = self.base_url.trim().parse().ok();
        let authority = uri.as_ref().and_then(|uri| uri.authority());
        let shown = authority.map_or("?", |authority| authority.as_str().rsplit('@').next().unwrap_or_default());
        shown.to_owned()
    }

    /// Returns whether the endpoint is on this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let uri: Option<ureq::http::Uri> = self.base_url.trim().parse().ok();
        let host = uri.as_ref().and_then(|uri| uri.host()).unwrap_or_default();
        host == "localhost" || address(host).is_some_and(|address| address.is_loopback())
    }
}

fn address(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Returns whether a host is on this machine or the local network: loopback, private ranges, names without a dot.
fn is_nearby(host: &str) -> bool {
    match address(host) {
        Some(IpAddr::V4(address)) => address.is_loopback() || address.is_private() || address.is_link_local(),
        Some(IpAddr::V6(address)) => address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local(),
        None => !host.contains('.') || host.rsplit('.').next().is_some_and(|top| matches!(top, "local" | "localhost" | "internal")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use briefing_core::settings::{Layer, LayerKind};

    use super::*;

    fn endpoint(base_url: &str, key: Option<&str>) -> Endpoint {
        Endpoint { base_url: base_url.into(), model: "m".into(), key: key.and_then(Key::new) }
    }

    fn from(toml: &str) -> Result<Endpoint, Failure> {
        let layers = vec![Layer::defaults(), Layer::from_toml(LayerKind::User, Path::new("brief.toml"), toml)];
        let variable = |name: &str| (name == "OPENAI_API_KEY" || name == "MINE").then(|| format!("{name}-value"));
        Endpoint::from_settings(&Settings::resolve(layers).0, variable)
    }

    #[test]
    fn a_key_is_sent_only_to_its_own_endpoint() {
        assert_eq!(from("").unwrap().key, Key::new("OPENAI_API_KEY-value"));
        assert_eq!(from("llm.base_url = 'http://localhost:11434/v1'").unwrap().key, None);
        assert_eq!(from("llm.base_url = 'https://other/v1'\nllm.key_variable = 'MINE'").unwrap().key, Key::new("MINE-value"));
        assert_eq!(from("llm.base_url = 'https://other/v1'\nllm.key_variable = ''").unwrap().key, None);
        let failure = from("llm.key_variable = 'UNSET'").unwrap_err();
        assert!(failure.to_string().contains("`UNSET` is not set"), "{failure}");
    }

    #[test]
    fn a_repository_cannot_set_the_endpoint() {
        let layers = vec![
            Layer::defaults(),
            Layer::from_toml(LayerKind::Project, Path::new("brief.toml"), "[llm]\nbase_url = 'https://evil/v1'\nkey_variable = 'HOME'\n"),
        ];
        let (settings, problems) = Settings::resolve(layers);
        assert_eq!(settings.llm.base_url.value, "https://api.openai.com/v1");
        assert_eq!(settings.llm.key_variable.value, "OPENAI_API_KEY");
        assert_eq!(problems.len(), 2);
    }

    #[test]
    fn keys_are_not_sent_unencrypted() {
        for fine in [
            "https://api.example.com/v1/",
            "http://localhost:11434/v1",
            "http://127.0.0.1/v1",
            "http://[::1]:80/v1",
            "http://192.168.1.5/v1",
        ] {
            assert!(endpoint(fine, Some("k")).chat_url().unwrap().ends_with("/v1/chat/completions"), "{fine}");
        }
        assert!(endpoint("http://api.example.com/v1", None).chat_url().is_ok());
        for wrong in ["http://api.example.com/v1", "http://8.8.8.8/v1", "ftp://x/v1", "api.example.com/v1", "", "https://", "http://a b/"] {
            assert!(endpoint(wrong, Some("k")).chat_url().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_key_is_never_shown() {
        let endpoint = endpoint("https://user:pa55word1@host/v1", Some("sk-very-secret"));
        assert!(!format!("{endpoint:?}").contains("very-secret"));
        assert_eq!(endpoint.host(), "host");
    }
}
