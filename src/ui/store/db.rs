//! The browser's IndexedDB: the list of kept runs, and each run as a link. No other file of the page calls it.

use idb::builder::{DatabaseBuilder, ObjectStoreBuilder};
use idb::{Database, Error, Query, TransactionMode, TransactionResult};
use steady::engine::explorer::write;
use steady::engine::runs::Kept;
use steady::engine::wire::read;
use wasm_bindgen::JsValue;

/// The database.
const NAME: &str = "steady";
/// What is known of each run without opening it: a [`Kept`] as text, by its id.
const RUNS: &str = "runs";
/// The runs as links, by their ids.
const LINKS: &str = "links";

/// Whether the database could not be opened because a newer page has changed its form.
pub(super) fn is_newer(error: &Error) -> bool {
    matches!(error, Error::DomException(why) if why.name() == "VersionError")
}

/// An open database.
pub(super) struct Db(Database);

impl Db {
    /// Opens the database, which is made the first time.
    pub(super) async fn open() -> Result<Db, Error> {
        let store = |name| ObjectStoreBuilder::new(name);
        let database = DatabaseBuilder::new(NAME)
            .version(1)
            .add_object_store(store(RUNS))
            .add_object_store(store(LINKS));
        database.build().await.map(Db)
    }

    /// What is known of all runs, and how many there are of which it cannot be read, because a newer page has written it or
    /// because it is damaged. They stay as they are.
    pub(super) async fn all(&self) -> Result<(Vec<Kept>, usize), Error> {
        let reading = self.0.transaction(&[RUNS], TransactionMode::ReadOnly)?;
        let texts = reading.object_store(RUNS)?.get_all(None, None)?.await?;
        let runs: Vec<Kept> = texts.iter().filter_map(|text| read(&text.as_string()?).ok()).collect();
        let unreadable = texts.len() - runs.len();
        Ok((runs, unreadable))
    }

    /// What is known of a run.
    pub(super) async fn run(&self, id: &str) -> Result<Option<Kept>, Error> {
        let text = self.get(RUNS, id).await?;
        Ok(text.and_then(|text| read(&text).ok()))
    }

    /// A run as a link.
    pub(super) async fn link(&self, id: &str) -> Result<Option<String>, Error> {
        self.get(LINKS, id).await
    }

    async fn get(&self, store: &str, id: &str) -> Result<Option<String>, Error> {
        let reading = self.0.transaction(&[store], TransactionMode::ReadOnly)?;
        let found = reading.object_store(store)?.get(Query::Key(JsValue::from_str(id)))?.await?;
        Ok(found.and_then(|text| text.as_string()))
    }

    /// Stores what is known of a run, and the run itself unless it stays as it is; and removes other runs. Either all of it
    /// is done or nothing.
    pub(super) async fn write(
        &self,
        run: Option<&Kept>,
        link: Option<&str>,
        gone: &[String],
    ) -> Result<(), Error> {
        let writing = self.0.transaction(&[RUNS, LINKS], TransactionMode::ReadWrite)?;
        let (runs, links) = (writing.object_store(RUNS)?, writing.object_store(LINKS)?);
        if let Some(run) = run {
            let key = JsValue::from_str(&run.id);
            runs.put(&JsValue::from_str(&write(run)), Some(&key))?;
            if let Some(link) = link {
                links.put(&JsValue::from_str(link), Some(&key))?;
            }
        }
        for id in gone {
            runs.delete(Query::Key(JsValue::from_str(id)))?;
            links.delete(Query::Key(JsValue::from_str(id)))?;
        }
        match writing.await? {
            TransactionResult::Committed => Ok(()),
            TransactionResult::Aborted => Err(Error::TransactionAbortError(JsValue::NULL)),
        }
    }
}
