//! Decides which addresses a notification may be sent to: only public ones, unless the user allows private ones.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Returns whether an address is on the public internet.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, ..] = address.octets();
    let is_shared = a == 100 && (64..128).contains(&b);
    let is_benchmark = a == 198 && (18..20).contains(&b);
    let is_special = a == 0 || a >= 224 || (a == 192 && b == 0 && address.octets()[2] == 0);
    let is_near = address.is_loopback() || address.is_private() || address.is_link_local() || address.is_documentation();
    !(is_shared || is_benchmark || is_special || is_near)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = address.to_ipv4() {
        return is_public_v4(inner);
    }
    let first = address.segments()[0];
    // 64:ff9b::/96 contains an IPv4 address in its last four bytes.
    if first == 0x64 && address.segments()[1] == 0xff9b {
        let [.., a, b, c, d] = address.octets();
        return is_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    let is_special = address.is_unspecified() || address.is_multicast() || (first == 0x2001 && address.segments()[1] == 0xdb8);
    !(is_special || address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local())
}

/// Resolves names to public addresses only, so that no name can lead into the user's own network.
///
/// The check is part of resolving, because a separate lookup could return other addresses than the one for connecting.
#[derive(Debug)]
pub(crate) struct PublicOnly;

impl Resolver for PublicOnly {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let all = DefaultResolver::default().resolve(uri, config, timeout)?;
        let mut public = self.empty();
        for address in all.iter().filter(|address| is_public(address.ip())) {
            public.push(*address);
        }
        if public.is_empty() { Err(ureq::Error::Other(Box::new(Private))) } else { Ok(public) }
    }
}

/// The host has only private addresses.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the host has a private address")]
pub(crate) struct Private;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_addresses_are_not_public() {
        for near in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "192.0.0.1",
            "198.18.0.1",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "::ffff:10.0.0.1",
            "::10.0.0.1",
            "64:ff9b::a00:1",
            "ff02::1",
        ] {
            assert!(!is_public(near.parse().unwrap()), "{near}");
        }
        for far in ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "64:ff9b::101:101"] {
            assert!(is_public(far.parse().unwrap()), "{far}");
        }
    }
}
