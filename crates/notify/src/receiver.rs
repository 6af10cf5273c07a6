//! The receiver of notifications. Its URL is a secret, because anyone who knows it can post there, so it is never shown
//! in full.

use std::fmt;
use std::net::IpAddr;

use ureq::http::Uri;

use crate::address::is_public;

/// A receiver with a checked URL.
#[derive(Clone, PartialEq, Eq)]
pub struct Receiver {
    url: String,
    host: String,
    /// Whether the user allows private addresses.
    allows_private: bool,
}

/// Why a URL is refused. No message contains the URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReceiverProblem {
    #[error("it is not a URL")]
    NotUrl,
    #[error("it has no host")]
    NoHost,
    #[error("it is not https; http is allowed only for this machine")]
    NotHttps,
    #[error("its host is a private address")]
    Private,
    #[error("it contains a user name; put the token into the path or the query")]
    HasUser,
}

impl Receiver {
    /// Checks a URL: it must be https, or http to this machine, and must not be a private address unless allowed.
    pub fn new(url: &str, allows_private: bool) -> Result<Self, ReceiverProblem> {
        let url = url.trim();
        let uri: Uri = url.parse().map_err(|_| ReceiverProblem::NotUrl)?;
        let scheme = uri.scheme_str().ok_or(ReceiverProblem::NotUrl)?;
        let host = uri.host().filter(|host| !host.is_empty()).ok_or(ReceiverProblem::NoHost)?;
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(ReceiverProblem::HasUser);
        }
        match scheme {
            "https" => {}
            "http" if is_loopback(host) => {}
            _ => return Err(ReceiverProblem::NotHttps),
        }
        let is_private = address(host).is_some_and(|address| !is_public(address));
        if is_private && !is_loopback(host) && !allows_private {
            return Err(ReceiverProblem::Private);
        }
        Ok(Self { url: url.to_owned(), host: host.to_owned(), allows_private })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub fn allows_private(&self) -> bool {
        self.allows_private
    }

    /// Returns whether the URL names this machine. Names other than `localhost` that resolve to it do not count.
    pub(crate) fn is_loopback(&self) -> bool {
        is_loopback(&self.host)
    }

    /// Returns the URL as shown to users: scheme and host only.
    pub fn shown(&self) -> String {
        let uri: Option<Uri> = self.url.parse().ok();
        let authority = uri.as_ref().and_then(Uri::authority).map_or("?", |authority| authority.as_str());
        let scheme = uri.as_ref().and_then(Uri::scheme_str).unwrap_or("?");
        format!("{scheme}://{authority}/…")
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Receiver({})", self.shown())
    }
}

fn address(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || address(host).is_some_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_or_this_machine_and_nothing_private() {
        for good in [
            "https://hooks.example.com/T0/secret",
            "http://127.0.0.1:8080/x",
            "http://localhost/x",
            "http://[::1]:9/x",
            " https://a.b/c \n",
        ] {
            assert!(Receiver::new(good, false).is_ok(), "{good}");
        }
        for (bad, problem) in [
            ("http://hooks.example.com/x", ReceiverProblem::NotHttps),
            ("ftp://hooks.example.com/x", ReceiverProblem::NotHttps),
            ("http://127.0.0.1.example.com/x", ReceiverProblem::NotHttps),
            ("hooks.example.com/x", ReceiverProblem::NotUrl),
            ("not a url", ReceiverProblem::NotUrl),
            ("https://192.168.1.5/x", ReceiverProblem::Private),
            ("https://169.254.169.254/latest", ReceiverProblem::Private),
            ("https://user:pass@hooks.example.com/x", ReceiverProblem::HasUser),
        ] {
            assert_eq!(Receiver::new(bad, false), Err(problem), "{bad}");
        }
        assert!(Receiver::new("https://192.168.1.5/x", true).is_ok());
    }

    #[test]
    fn a_receiver_is_shown_without_its_secret() {
        let receiver = Receiver::new("https://hooks.example.com:8443/services/T0/s3cr3t?token=s3cr3t", false).unwrap();
        assert_eq!(receiver.shown(), "https://hooks.example.com:8443/…");
        assert!(!format!("{receiver:?}").contains("s3cr3t"));
    }
}
