use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::plan::{self, Fast, Plan};
use super::registry::{Registry, Settings};
use super::{Claimant, Missing, MissingCause, RegisterError, Registration};
use crate::catalogue::Catalogue;
use crate::name::{ExposedName, ServerKey, ToolId};

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
    /// Of servers that claim one name none is loaded, also when one of them can't be loaded for another reason: neither
    /// order nor luck decides who has a name. The claims of a server without a catalogue are not known.
    ///
    /// ```
    /// use callsign::registry::{Load, Registration, Registry};
    /// use callsign::scheme::Qualified;
    /// use callsign::{Catalogue, ServerKey, WireName};
    ///
    /// let mut catalogue = Catalogue::default();
    /// catalogue.push_named(WireName::new("request")?);
    /// let load = |server: &str, catalogue| {
    ///     Ok(Load { server: ServerKey::new(server)?, catalogue, registration: Registration::default() })
    /// };
    /// let fleet = vec![load("alpha", Ok(catalogue))?, load("beta", Err("it ended".to_owned()))?];
    ///
    /// let mut registry = Registry::new(Qualified::default());
    /// let outcome = registry.load_available(fleet);
    /// assert_eq!(outcome.loaded.len(), 1);
    /// let beta = &outcome.missing[&ServerKey::new("beta")?];
    /// assert_eq!(beta.to_string(), "server `beta` has no catalogue: it ended");
    /// # Ok::<(), callsign::name::EmptyName>(())
    /// ```
    pub fn load_available(&mut self, fleet: Vec<Load<'_>>) -> LoadedFleet {
        let (plans, missing) = self.plan_fleet(fleet);
        LoadedFleet { loaded: self.commit_all(plans), missing }
    }

    fn plan_fleet(&self, fleet: Vec<Load<'_>>) -> (Plans, BTreeMap<ServerKey, LoadError>) {
        let mut plans: Plans = Vec::with_capacity(fleet.len());
        let mut missing = BTreeMap::new();
        let mut refused = BTreeMap::new();
        let twice = keys_twice(&fleet);
        for Load { server, catalogue, registration } in fleet {
            let settings = Settings::of(&registration);
            let planned = match &catalogue {
                _ if twice.contains(&server) => {
                    Err(RegisterError::AlreadyRegistered { server: server.clone() }.into())
                }
                Err(reason) => {
                    let reason = reason.clone();
                    Err(LoadError::Unavailable { server: server.clone(), reason })
                }
                Ok(catalogue) => {
                    let (server, catalogue) = (server.clone(), catalogue.clone());
                    plan::plan(&self.current, server, catalogue, registration)
                        .map_err(LoadError::from)
                }
            };
            match planned {
                Ok(plan) => plans.push((plan, settings)),
                Err(error) => {
                    if let Ok(catalogue) = catalogue {
                        let claims =
                            plan::claims(&self.current, &server, catalogue, &settings.filter);
                        note_claims(claims, &mut refused);
                    }
                    missing.insert(server, error);
                }
            }
        }
        for (server, names) in clashes(&plans).into_iter().chain(lost(&plans, &refused)) {
            let advertised = plans
                .iter()
                .find(|(plan, _)| plan.server == server)
                .map_or(0, |(p, _)| p.rows.len());
            let shortfall = plan::shortfall(&server, advertised, names).into();
            missing.entry(server).or_insert(shortfall);
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

/// The keys that a fleet has more than once.
fn keys_twice(fleet: &[Load<'_>]) -> BTreeSet<ServerKey> {
    let mut seen = BTreeSet::new();
    fleet.iter().map(|load| &load.server).filter(|key| !seen.insert(*key)).cloned().collect()
}

/// Several may claim a name: the first by identity stands for all, whatever their order.
fn note_claims(claims: Vec<(ExposedName, ToolId)>, refused: &mut BTreeMap<ExposedName, ToolId>) {
    for (exposed, id) in claims {
        let holder = refused.entry(exposed).or_insert_with(|| id.clone());
        if id < *holder {
            *holder = id;
        }
    }
}

/// Names that several servers of one fleet claim, told to each of them.
///
/// Each is told of the first other claimant by identity, so that the fleet's order shows nowhere.
fn clashes(plans: &Plans) -> BTreeMap<ServerKey, Vec<Missing>> {
    let mut clashes = BTreeMap::<ServerKey, Vec<Missing>>::new();
    for (exposed, claimants) in contested(plans) {
        for (at, (plan, row)) in claimants.iter().enumerate() {
            let (other, other_row) = claimants[usize::from(at == 0)];
            let holder = plan::claimant(&other.server, other.rows[other_row].tool.wire());
            clashes.entry(plan.server.clone()).or_default().push(Missing {
                wire: Some(plan.rows[*row].tool.wire().clone()),
                position: plan.positions[*row],
                cause: MissingCause::Taken { exposed: exposed.clone(), holder },
            });
        }
    }
    clashes
}

/// Names that a server has in common with one that could not be loaded. To give them to it would be to let the other's
/// failure decide.
fn lost(
    plans: &Plans,
    refused: &BTreeMap<ExposedName, ToolId>,
) -> BTreeMap<ServerKey, Vec<Missing>> {
    let mut lost = BTreeMap::<ServerKey, Vec<Missing>>::new();
    if refused.is_empty() {
        return lost;
    }
    for (plan, _) in plans {
        for (row, position) in plan.rows.iter().zip(&plan.positions) {
            let Some(holder) = refused.get(&row.exposed) else { continue };
            lost.entry(plan.server.clone()).or_default().push(Missing {
                wire: Some(row.tool.wire().clone()),
                position: *position,
                cause: MissingCause::Taken {
                    exposed: row.exposed.clone(),
                    holder: Claimant::Tool(holder.clone()),
                },
            });
        }
    }
    lost
}

/// The names that more than one plan has, each with all its rows, sorted by server.
fn contested(plans: &Plans) -> BTreeMap<&ExposedName, Vec<(&Plan, usize)>> {
    let rows = || {
        plans.iter().flat_map(|(plan, _)| {
            plan.rows.iter().enumerate().map(move |(row, entry)| (&entry.exposed, plan, row))
        })
    };
    let mut seen = Fast::<&ExposedName, ()>::default();
    seen.reserve(plans.iter().map(|(plan, _)| plan.rows.len()).sum());
    let mut contested = BTreeMap::<&ExposedName, Vec<(&Plan, usize)>>::new();
    for (name, _, _) in rows() {
        if seen.insert(name, ()).is_some() {
            contested.entry(name).or_default();
        }
    }
    if contested.is_empty() {
        return contested;
    }
    for (name, plan, row) in rows() {
        if let Some(claimants) = contested.get_mut(name) {
            claimants.push((plan, row));
        }
    }
    for claimants in contested.values_mut() {
        claimants.sort_by(|(a, _), (b, _)| a.server.cmp(&b.server));
    }
    contested
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Filter;
    use crate::name::WireName;
    use crate::scheme::Bare;

    fn load(server: &str, tools: &[&str], filter: Option<&str>) -> Load<'static> {
        let mut catalogue = Catalogue::default();
        for tool in tools {
            catalogue.push_named(WireName::new(tool).unwrap());
        }
        let tools = filter.map(|only| vec![only.to_owned()]);
        let filter = Filter { tools, ..Filter::default() };
        let registration = Registration { filter, ..Registration::default() };
        Load { server: ServerKey::new(server).unwrap(), catalogue: Ok(catalogue), registration }
    }

    #[test]
    fn a_claim_counts_also_of_a_server_that_cannot_be_loaded() {
        for order in [["a", "b"], ["b", "a"]] {
            let fleet = order.map(|server| match server {
                "a" => load("a", &["delete_all", "bad name"], None),
                _ => load("b", &["delete_all"], None),
            });
            let mut registry = Registry::new(Bare);
            let outcome = registry.load_available(fleet.into());
            assert!(outcome.loaded.is_empty(), "{outcome:?}");
            let told = outcome.missing[&ServerKey::new("b").unwrap()].to_string();
            assert!(told.contains("`delete_all` of server `a`"), "{told}");
        }
    }

    #[test]
    fn three_claimants_are_told_the_same_in_any_order() {
        let text = |order: [&str; 3]| {
            let fleet = order.map(|server| load(server, &["x"], None)).into();
            Registry::new(Bare).load(fleet).unwrap_err().to_string()
        };
        let told = text(["a", "b", "c"]);
        assert_eq!(text(["b", "c", "a"]), told);
        assert_eq!(text(["c", "b", "a"]), told);
        for (claimant, other) in [("a", "b"), ("b", "a"), ("c", "a")] {
            let line = format!(
                "1 of 1 tools of server `{claimant}` can't be registered:\n  `x`: its name `x` is claimed by \
                 tool `x` of server `{other}`"
            );
            assert!(told.contains(&line), "{line} in {told}");
        }
    }

    #[test]
    fn positions_are_those_of_the_listing_not_of_what_a_filter_left() {
        let fleet = vec![load("a", &["w", "y", "x"], Some("x")), load("b", &["x"], None)];
        let FleetError(errors) = Registry::new(Bare).load(fleet).unwrap_err();
        let Some(LoadError::Register(RegisterError::Shortfall { missing, .. })) = errors.get("a")
        else {
            panic!("{errors:?}")
        };
        assert_eq!(missing[0].position, 2);
    }
}
