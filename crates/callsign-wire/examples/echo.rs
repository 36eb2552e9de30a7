//! A server that answers every request with its own parameters: the least that `serve` can carry.
//!
//! `printf '{"jsonrpc":"2.0","id":1,"method":"m","params":[1e999]}\n' | cargo run -p callsign-wire --example echo`

use std::time::Duration;

use callsign_wire::serve::{Arrival, Limits, serve_lines, standard_streams};
use serde_json::value::RawValue;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (reader, writer) = standard_streams();
    let mut service = serve_lines(reader, writer, Limits::default());
    while let Some(arrival) = service.arrivals.next().await {
        let Arrival::Request(exchange) = arrival else { continue };
        tokio::spawn(async move {
            let params = exchange.request.params.as_deref().unwrap_or(RawValue::NULL);
            // A host that is gone ends what arrives, and so this program.
            let _ = exchange.reply.finish(Ok(params)).await;
        });
    }
    service.finish(Duration::from_secs(5)).await;
}
