use std::collections::BTreeMap;
use std::fmt;

use super::plan::{self, Fast, Plan};
use super::registry::{Registry, Settings};
use super::{Missing, MissingCause, RegisterError, Registration};
use crate::catalogue::Catalogue;
use crate::name::{ExposedName, ServerKey};

/// One server of a fleet that is to be loaded.
#[derive(Debug)]
pub struct Load<'a> {
    /// Its key in the configuration.
    pub server: ServerKey,
    /// What it advertised, or why that could not be had.
    pub catalogue: Result<Catalogue, String>,
    /// What comes with it.
    pub registration: Registration<'a>,
}

/// Why a server of a fleet was not loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no catalogue.
    #[error("server `{}` has no catalogue: {reason}", .server.escape_debug())]
    Unavailable {
        /// Its key.
        server: ServerKey,
        /// Why, in the words of whoever tried to get it.
        reason: String,
    },
    /// The catalogue can't be registered.
    #[error(transparent)]
    Register(#[from] RegisterError),
}

/// Every failure of a fleet, by server. Nothing was registered.
#[derive(Debug)]
pub struct FleetError(pub BTreeMap<ServerKey, LoadError>);

impl fmt::Display for FleetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers = if self.0.len() == 1 { "server" } else { "servers" };
        write!(f, "{} {servers} can't be loaded, so none was:", self.0.len())?;
        self.0.values().try_for_each(|error| write!(f, "\n{error}"))
    }
}

impl std::error::Error for FleetError {}

/// What a partial load did.
#[derive(Debug, Default)]
pub struct LoadedFleet {
    /// The servers that serve, with their exposed names in advertised order.
    pub loaded: BTreeMap<ServerKey, Vec<ExposedName>>,
    /// The servers that are missing, and why.
    pub missing: BTreeMap<ServerKey, LoadError>,
}

impl Registry {
    /// Registers several servers at once, all or none, in the order given.
    ///
    /// # Errors
    /// [`FleetError`] with every failure, not just the first; the registry is as it was.
    pub fn load(
        &mut self,
        fleet: Vec<Load<'_>>,
    ) -> Result<BTreeMap<ServerKey, Vec<ExposedName>>, FleetError> {
        let (plans, missing) = self.plan_fleet(fleet);
        if missing.is_empty() { Ok(self.commit_all(plans)) } else { Err(FleetError(missing)) }
    }

    /// Registers those servers of a fleet that can be, each completely, and names the others.
    ///
    /// Of servers that claim one name none is loaded: neither order nor luck decides who has it.
    pub fn load_available(&mut self, fleet: Vec<Load<'_>>) -> LoadedFleet {
        let (plans, missing) = self.plan_fleet(fleet);
        LoadedFleet { loaded: self.commit_all(plans), missing }
    }

    fn plan_fleet(&self, fleet: Vec<Load<'_>>) -> (Plans, BTreeMap<ServerKey, LoadError>) {
        let mut plans: Plans = Vec::with_capacity(fleet.len());
        let mut missing = BTreeMap::new();
        for Load { server, catalogue, registration } in fleet {
            let settings = Settings {
                filter: registration.filter.clone(),
                options: registration.options.clone(),
            };
            if missing.contains_key(&server) || plans.iter().any(|(plan, _)| plan.server == server)
            {
                plans.retain(|(plan, _)| plan.server != server);
                let error = RegisterError::AlreadyRegistered { server: server.clone() };
                missing.insert(server, error.into());
                continue;
            }
            let planned = match catalogue {
                Err(reason) => Err(LoadError::Unavailable { server: server.clone(), reason }),
                Ok(catalogue) => plan::plan(&self.current, server.clone(), catalogue, registration)
                    .map_err(LoadError::from),
            };
            match planned {
                Ok(plan) => plans.push((plan, settings)),
                Err(error) => drop(missing.insert(server, error)),
            }
        }
        for (server, names) in clashes(&plans) {
            let advertised = plans
                .iter()
                .find(|(plan, _)| plan.server == server)
                .map_or(0, |(p, _)| p.rows.len());
            missing.insert(server.clone(), plan::shortfall(&server, advertised, names).into());
        }
        plans.retain(|(plan, _)| !missing.contains_key(&plan.server));
        (plans, missing)
    }

    fn commit_all(&mut self, plans: Plans) -> BTreeMap<ServerKey, Vec<ExposedName>> {
        plans
            .into_iter()
            .map(|(plan, settings)| (plan.server.clone(), self.commit(plan, settings)))
            .collect()
    }
}

type Plans = Vec<(Plan, Settings)>;

/// Names that two servers of one fleet claim, told to both.
fn clashes(plans: &Plans) -> BTreeMap<ServerKey, Vec<Missing>> {
    let mut first = Fast::<&ExposedName, (usize, usize)>::default();
    first.reserve(plans.iter().map(|(plan, _)| plan.rows.len()).sum());
    let mut clashes = BTreeMap::<ServerKey, Vec<Missing>>::new();
    for (at, (plan, _)) in plans.iter().enumerate() {
        for (row, entry) in plan.rows.iter().enumerate() {
            let other = *first.entry(&entry.exposed).or_insert((at, row));
            if other == (at, row) {
                continue;
            }
            for ((mine, my_row), (theirs, their_row)) in [((at, row), other), (other, (at, row))] {
                let (mine, theirs) = (&plans[mine].0, &plans[theirs].0);
                let wire = |plan: &Plan, row: usize| plan.rows[row].tool.wire().clone();
                clashes.entry(mine.server.clone()).or_default().push(Missing {
                    wire: Some(wire(mine, my_row)),
                    position: my_row,
                    cause: MissingCause::Taken {
                        exposed: entry.exposed.clone(),
                        holder: plan::claimant(&theirs.server, &wire(theirs, their_row)),
                    },
                });
            }
        }
    }
    clashes
}
