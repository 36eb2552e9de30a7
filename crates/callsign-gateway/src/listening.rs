//! `subscriptions/listen`: a request that is answered for as long as its host listens.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::carry::{CLIENT_GONE, GivenUp, Interrupted, attend};
use crate::directory::Offer;
use crate::downstream::Listener;
use crate::params::{quoted, raw};
use crate::stack::{Answer, Answered, Asked, Unanswered};

impl Asked<'_> {
    /// Tells the host what it wants to hear until it hangs up or the gateway ends.
    pub(crate) async fn listen(&mut self) -> Answered {
        let params = self.request.params.as_deref();
        let mut listener = Listener::read(params, &self.request.id, &self.errand)?;
        let offer = self.settled().await?;
        let mut honoured = BTreeSet::new();
        for uri in std::mem::take(&mut listener.uris) {
            if self.hear_of(&offer, &uri).await {
                honoured.insert(uri);
            }
        }
        listener.uris = honoured;
        let listener = Arc::new(listener);
        self.gateway.hosts.listeners.add(&listener);
        if self.reply.send(listener.acknowledgement()).await.is_err() {
            return Err(Unanswered::GivenUp);
        }
        let end = attend(std::future::pending::<()>(), &self.errand, self.reply).await;
        let (farewell, uris) = (listener.farewell(), listener.uris.clone());
        drop(listener);
        for uri in uris {
            self.gateway.release(&offer, &uri);
        }
        // Who hung up reads no farewell; who said that it stops does.
        match end {
            Err(Interrupted::GivenUp(GivenUp(reason))) if *reason == *CLIENT_GONE => {
                Err(Unanswered::GivenUp)
            }
            _ => Ok(Answer::Own(farewell)),
        }
    }

    /// Subscribes to a resource at its server, unless that has been done; `false` if that can't be.
    async fn hear_of(&self, offer: &Offer, uri: &str) -> bool {
        let server = offer.resources.server_of(uri).ok();
        let Some(upstream) = server.and_then(|server| self.gateway.fleet.get(server)) else {
            return false;
        };
        if self.gateway.hosts.subscribers(uri) > 0 {
            return true;
        }
        let params = raw(format!("{{\"uri\":{}}}", quoted(uri)));
        upstream.asked("resources/subscribe", params).await
    }
}
