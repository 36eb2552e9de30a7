//! What happens when a peer does not read: writers wait, and nothing else does.
#![allow(clippy::unwrap_used)]

use callsign_wire::bounds::WRITE_QUEUE;
use callsign_wire::{Bounds, Connection, Inbound};
use futures_util::FutureExt;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// Sends until a send would wait; gives how many did not.
fn fill(connection: &Connection) -> usize {
    (0..).take_while(|_| connection.notify("n", None).now_or_never().is_some()).count()
}

/// Lets the tasks of the connection go as far as they can.
async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_full_queue_makes_senders_wait_and_costs_the_peer_its_own_answers_only() {
    // Sixteen bytes fit into the pipe, which is less than a message.
    let (ours, theirs) = tokio::io::duplex(16);
    let (reader, writer) = tokio::io::split(ours);
    let connection = Connection::over_lines(reader, writer, Inbound::Refuse, Bounds::default());
    let call = connection.call("ask", None).await.unwrap();
    assert_eq!(fill(&connection), WRITE_QUEUE - 1, "the call is one of them");
    // They are being written now, all at once, and the pipe is full.
    settle().await;
    assert_eq!(fill(&connection), WRITE_QUEUE);
    settle().await;
    assert_eq!(fill(&connection), 0);
    let last = connection.notify("last", None);
    tokio::pin!(last);
    assert!(last.as_mut().now_or_never().is_none(), "it waits");

    // What the peer says is heard all the same; its ping can't be answered.
    let (their_reader, mut their_writer) = tokio::io::split(theirs);
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n";
    their_writer.write_all(ping).await.unwrap();
    their_writer.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}\n").await.unwrap();
    assert_eq!(call.answer().await.unwrap().get(), "7");

    // Once it reads, everything that was sent arrives in order, and pings are answered again.
    let reading = async {
        let mut lines = BufReader::new(their_reader).lines();
        let mut methods = Vec::new();
        while methods.last().is_none_or(|method| method != "last") {
            let line = lines.next_line().await.unwrap().unwrap();
            let message: serde_json::Value = serde_json::from_str(&line).unwrap();
            methods.push(message["method"].as_str().unwrap_or("an answer").to_owned());
        }
        their_writer.write_all(ping).await.unwrap();
        (methods, lines.next_line().await.unwrap().unwrap())
    };
    let (sent, (methods, pong)) = tokio::join!(last, reading);
    sent.unwrap();
    assert_eq!(methods.len(), 2 * WRITE_QUEUE + 1);
    assert_eq!((methods[0].as_str(), methods[WRITE_QUEUE].as_str()), ("ask", "n"));
    assert!(!methods.contains(&"an answer".to_owned()), "{methods:?}");
    assert_eq!(pong, r#"{"jsonrpc":"2.0","id":"p","result":{}}"#);
}
