use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use futures_util::StreamExt;
use tokio::time::timeout;

use super::refused::Refused;

/// Reads a body of at most `limit` bytes in at most `time`. One that says that it is longer is not read at all.
pub(super) async fn read(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
    time: Duration,
) -> Result<Vec<u8>, Refused> {
    let said = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if said.is_some_and(|length: usize| length > limit) {
        return Err(Refused::too_long(limit));
    }
    // What a host says it will send is no reason to reserve room for it.
    let mut bytes = Vec::with_capacity(said.unwrap_or(0).min(64 * 1024));
    let whole = async {
        let mut pieces = body.into_data_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|_| Refused::broken_off())?;
            if bytes.len() + piece.len() > limit {
                return Err(Refused::too_long(limit));
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(())
    };
    timeout(time, whole).await.map_err(|_| Refused::too_slow())??;
    Ok(bytes)
}
