//! Requests of hosts of the stateless era, which may take several round trips: a result asks for more, and the host sends its
//! request again with the answers and with state that it was given.

use std::sync::Arc;
use std::time::Duration;

use callsign_wire::serve::PrincipalId;
use serde_json::value::RawValue;

use crate::carry::{Leg, Voyage, addressed};
use crate::input::Wanted;
use crate::params::{Members, raw};
use crate::parking::Parked;
use crate::refusal::Refusal;
use crate::seal::{BadState, Binding, State};
use crate::stack::{Answer, Answered, Asked, answer_of};
use crate::upstream::Upstream;

impl Asked<'_> {
    /// The same for a host of the stateless era, which brings state back: its server's own, or that of a request which
    /// waits here. Either is opened on the way there and sealed on the way back.
    pub(crate) async fn set_out(
        &mut self,
        upstream: &Arc<Upstream>,
        params: &Members<'_>,
        edits: &[(&str, &str)],
        limit: Option<Duration>,
    ) -> Answered {
        let brought = match (params.once("requestState")?, &self.gateway.sealer) {
            (Some(sealed), Some(sealer)) => {
                Some(sealer.open(sealed, &self.binding(params)).map_err(Refusal::BadState)?)
            }
            _ => None,
        };
        let servers = match brought {
            Some(State::Parked(number)) => return self.come_back(number, params).await,
            Some(State::Servers(raw)) => Some(raw),
            None => None,
        };
        let mut edits = edits.to_vec();
        edits.extend(servers.as_deref().map(|state| ("requestState", state)));
        let number = upstream.number();
        let addressed = addressed(params, &edits, number, &self.errand)?;
        let cargo = self.cargo(upstream, Some(addressed), number, limit);
        self.go_on(Voyage::begin(cargo, &self.errand), params).await
    }

    /// What state given for this request is bound to.
    fn binding<'p>(&'p self, params: &Members<'p>) -> Binding<'p> {
        Binding {
            principal: self.errand.host.session.principal().map(PrincipalId::as_str),
            method: &self.request.method,
            target: params.get("name").or(params.get("uri")).unwrap_or_default(),
        }
    }

    async fn go_on(&mut self, voyage: Voyage, params: &Members<'_>) -> Answered {
        match voyage.go_on(self.reply).await? {
            Leg::Done(carried) => match answer_of(carried?)? {
                Answer::Own(result) => Ok(Answer::Own(self.sealed(result, params))),
                other => Ok(other),
            },
            Leg::Asks(voyage, posed) => self.park(Parked { voyage, posed }, params),
        }
    }

    /// Answers with what the server asks, and lets its request wait for the host.
    fn park(&self, parked: Parked, params: &Members<'_>) -> Answered {
        let sealer = self.gateway.sealer.as_ref().ok_or(Refusal::BadState(BadState::Expired))?;
        let number = self.gateway.parking.number();
        let state = sealer.seal(&State::Parked(number), &self.binding(params));
        let asks = parked.asks(&state);
        let limits = &self.gateway.limits;
        self.gateway.parking.park(number, parked, limits.parked_for, limits.parked);
        Ok(Answer::Own(asks))
    }

    /// The host has come back with answers: the server's request goes on, and nothing is sent anew.
    async fn come_back(&mut self, number: u64, params: &Members<'_>) -> Answered {
        let parked = self.gateway.parking.take(number);
        let mut parked = parked.ok_or(Refusal::BadState(BadState::Expired))?;
        let answers = params.get("inputResponses").and_then(Members::read);
        let is_answered = match &answers {
            Some(answers) => parked.answer(answers).await,
            None => false,
        };
        if !is_answered {
            return self.park(parked, params);
        }
        let voyage = parked.voyage;
        // From here on it is this request that progress belongs to, and that is cancelled.
        let meta = params.get("_meta").and_then(Members::read);
        if let Some(token) = meta.and_then(|meta| meta.get("progressToken")) {
            voyage.errand.set_token(token);
        }
        self.errand.host.begin(&self.request.id, &voyage.errand);
        self.go_on(voyage, params).await
    }

    /// The result with the server's state sealed, where it has any.
    fn sealed(&self, result: Box<RawValue>, params: &Members<'_>) -> Box<RawValue> {
        if Wanted::of(&result).is_none() {
            return result;
        }
        let Some(members) = Members::read(result.get()) else { return result };
        let (Some(state), Some(sealer)) = (members.get("requestState"), &self.gateway.sealer)
        else {
            return result;
        };
        let state = State::Servers(state.to_owned());
        raw(members.with(&[("requestState", &sealer.seal(&state, &self.binding(params)))]))
    }
}
