//! Restricts the addresses a webhook may connect to. The resolver returns only allowed ones, so a name that resolves
//! differently the next time (DNS rebinding) gains nothing (BEHAVIOUR §8).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::{fmt, io};

use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::target::HostScope;

/// Resolves only to allowed addresses.
#[derive(Debug)]
pub(super) struct ScopedResolver(pub HostScope);

/// None of a host's addresses is allowed; this is one of them. Wrapped in an [`Error`].
#[derive(Debug)]
pub(super) struct DisallowedAddress {
    pub address: IpAddr,
}

impl fmt::Display for DisallowedAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} is not allowed", self.address)
    }
}

impl std::error::Error for DisallowedAddress {}

impl Resolver for ScopedResolver {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let resolved = DefaultResolver::default().resolve(uri, config, timeout);
        // A failed lookup has no error kind of its own.
        let all = resolved.map_err(|error| match error {
            Error::Io(error) => Error::Io(io::Error::new(io::ErrorKind::HostUnreachable, error)),
            error => error,
        })?;
        let mut reachable = self.empty();
        let mut refused = None;
        for address in all.iter() {
            let is_fine = match self.0 {
                HostScope::All => true,
                HostScope::Public => is_public(address.ip()),
                HostScope::Private => !is_public(address.ip()),
            };
            if is_fine { reachable.push(*address) } else { refused = Some(address.ip()) }
        }
        match refused {
            Some(address) if reachable.is_empty() => Err(Error::Other(Box::new(DisallowedAddress { address }))),
            _ => Ok(reachable),
        }
    }
}

/// Whether an address belongs to the public internet, according to IANA's special-purpose registries (RFC 6890).
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !matches!(
        address.octets(),
        // This network, private, loopback.
        [0 | 10 | 127, ..]
        // Carrier-grade NAT.
        | [100, 64..=127, ..]
        // Link-local, which clouds use for metadata.
        | [169, 254, ..]
        // Private.
        | [172, 16..=31, ..] | [192, 168, ..]
        // Protocol assignments, documentation, 6to4 relays, benchmarks.
        | [192, 0, 0 | 2, _] | [192, 88, 99, _] | [198, 18 | 19, ..] | [198, 51, 100, _] | [203, 0, 113, _]
        // Multicast, reserved, broadcast.
        | [224..=255, ..]
    )
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(within) = address.to_ipv4_mapped() {
        return is_public_v4(within);
    }
    match address.segments() {
        // NAT64: check the embedded IPv4 address.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => is_public_v4(embedded_ipv4(high, low)),
        [0x2002, high, low, ..] => is_public_v4(embedded_ipv4(high, low)),
        // Protocol assignments (including Teredo) and documentation.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // The only range allocated as global unicast: the rest is unspecified, loopback, unique-local, link-local,
        // multicast or reserved.
        [0x2000..=0x3fff, ..] => true,
        _ => false,
    }
}

fn embedded_ipv4(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.0.0.1",
            "128.0.0.1",
            "169.253.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "192.167.0.1",
            "192.169.0.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "2a00::1",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2002:0808:0808::1",
            "2001:200::1",
            "3ffe::1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:c0a8:101::1",
            "3fff::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "5f00::1",
            "4000::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }
}
