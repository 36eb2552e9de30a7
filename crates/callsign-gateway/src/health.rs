//! What an operator's probes ask over HTTP.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;

use crate::gateway::Inner;
use crate::params::quoted;
use crate::refusal::Outage;

/// `/healthz`: 200 while the gateway lives, with what is missing; `/readyz`: 200 once the start is over, 503 before.
pub(crate) fn routes(gateway: &Arc<Inner>) -> Router {
    let (health, ready) = (Arc::clone(gateway), Arc::clone(gateway));
    Router::new()
        .route("/healthz", get(async move || json(StatusCode::OK, health_of(&health))))
        .route(
            "/readyz",
            get(async move || {
                let is_ready = ready.directory.is_settled();
                let status =
                    if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
                json(status, format!("{{\"ready\":{is_ready}}}\n"))
            }),
        )
}

/// `/metrics`: what calls came to, and how the servers are.
pub(crate) fn metrics(gateway: &Arc<Inner>) -> Router {
    let gateway = Arc::clone(gateway);
    let text = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Router::new().route("/metrics", get(async move || (text, crate::metrics::exposition(&gateway))))
}

fn json(status: StatusCode, body: String) -> impl IntoResponse {
    (status, [(header::CONTENT_TYPE, "application/json")], body)
}

fn health_of(gateway: &Inner) -> String {
    let offer = gateway.directory.now();
    let status = if offer.missing.is_empty() { "ok" } else { "degraded" };
    let missing: Vec<String> = offer.missing.iter().map(outage).collect();
    format!(
        "{{\"status\":\"{status}\",\"servers\":{},\"tools\":{},\"missing\":[{}]}}\n",
        gateway.fleet.len(),
        offer.tools.len(),
        missing.join(",")
    )
}

fn outage(outage: &Outage) -> String {
    let since = outage.since.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (server, reason, remedy) =
        (quoted(&outage.server), quoted(&outage.reason), quoted(&outage.remedy));
    format!(r#"{{"server":{server},"since":{since},"reason":{reason},"remedy":{remedy}}}"#)
}
