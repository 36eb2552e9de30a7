use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use super::HttpError;

/// The TLS setup for one address: certificates are judged as the operating system judges them, so that a company's own
/// authority works. An address without TLS needs none of it, and then nothing is read from the system.
pub(super) fn config(is_secure: bool) -> Result<ClientConfig, HttpError> {
    let broken = |error: rustls::Error| HttpError::Tls(error.to_string());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(broken)?;
    Ok(if is_secure {
        builder.with_platform_verifier().map_err(broken)?.with_no_client_auth()
    } else {
        builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth()
    })
}
