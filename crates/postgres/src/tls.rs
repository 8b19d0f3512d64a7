//! Verifies the server's certificate.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::{Address, TlsMode};
use crate::refusal::{Refusal, RefusalKind};

/// The most bytes of a file with certificates.
const FILE_BYTES: u64 = 4 * 1024 * 1024;

/// A connector for this address. As in PostgreSQL, `require` with certificates of authorities means `verify-ca`.
pub(crate) fn connector(address: &Address) -> Result<MakeRustlsConnect, Refusal> {
    let mode = address.tls();
    let provider = Arc::new(ring::default_provider());
    let failed = |_| Refusal::new(RefusalKind::Tls, "TLS cannot be used");
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().map_err(failed)?;
    let usual = match (mode, &address.authorities) {
        (TlsMode::VerifyFull | TlsMode::VerifyCa, _) | (TlsMode::Require, Some(_)) => {
            let roots = Arc::new(roots(address)?);
            let verifier = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider)).build();
            Some(verifier.map_err(|_| unusable("contains no authority's certificate"))?)
        }
        _ => None,
    };
    let verifier = Arc::new(Verifier { provider, usual, checks_name: mode == TlsMode::VerifyFull });
    let config = builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

pub(crate) fn unusable(why: &str) -> Refusal {
    Refusal::new(RefusalKind::Certificate, format!("the file in sslrootcert {why}"))
}

/// The file with certificates of authorities; `None` for those that browsers trust.
pub(crate) fn file_of_authorities(address: &Address) -> Option<&Path> {
    address.authorities.as_deref().filter(|file| *file != Path::new("system"))
}

pub(crate) fn content(file: &Path) -> Result<Vec<u8>, Refusal> {
    let is_fit = fs::metadata(file).is_ok_and(|it| it.is_file() && it.len() <= FILE_BYTES);
    let pem = if is_fit { fs::read(file).ok() } else { None };
    pem.ok_or_else(|| unusable("cannot be read"))
}

/// The authorities in the file, or those that browsers trust.
fn roots(address: &Address) -> Result<RootCertStore, Refusal> {
    let mut roots = RootCertStore::empty();
    let Some(file) = file_of_authorities(address) else {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        return Ok(roots);
    };
    let pem = address.certificates.clone().unwrap_or_else(|| content(file))?;
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let certificate = certificate.map_err(|_| unusable("is not a list of certificates"))?;
        roots.add(certificate).map_err(|_| unusable("has a certificate that is not valid"))?;
    }
    Ok(roots)
}

#[derive(Debug)]
struct Verifier {
    provider: Arc<CryptoProvider>,
    /// `None` if nothing is checked.
    usual: Option<Arc<WebPkiServerVerifier>>,
    checks_name: bool,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(usual) = &self.usual else { return Ok(ServerCertVerified::assertion()) };
        let verified = usual.verify_server_cert(certificate, others, name, ocsp, now);
        let is_other_name = matches!(
            verified,
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
            ))
        );
        // The verifier checks the name last, so everything else was verified.
        if is_other_name && !self.checks_name { Ok(ServerCertVerified::assertion()) } else { verified }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
