//! Objects that another API server has stored, put into the store as they are. A restored etcd has them so, too: no
//! request was made, so nothing is defaulted, admitted or validated.

use std::rc::Rc;

use serde_json::Value;

use super::ApiServer;
use crate::api::types::Time;
use crate::api::{Kind, Object, seconds};
use crate::apimachinery::Status;

impl ApiServer {
    /// Has these uids given to no object that is created from now on: they are of objects that will be restored.
    pub fn reserve_uids(&mut self, uids: impl IntoIterator<Item = String>) {
        Rc::make_mut(&mut self.foreign_uids).extend(uids);
    }

    /// Stores an object with its uid, status and owners, in the place of the one of that name if there is one. The revision
    /// is this store's own.
    ///
    /// # Errors
    /// If it cannot be decoded as an object of its kind; 404 for a kind whose definition is gone.
    pub fn restore(&mut self, kind: Kind, value: Value) -> Result<(), Status> {
        let decoded = Object::decode(kind, value).map_err(|e| Status::bad_request(e.to_string()))?;
        let mut object = decoded.object;
        if kind.is_custom() {
            self.view(kind)?;
        }
        if object.uid().is_empty() {
            object.meta_mut().uid = Some(self.new_uid());
        }
        if object.meta().creation_timestamp.is_none() {
            object.meta_mut().creation_timestamp = Some(Time(seconds(self.now)));
        }
        object.meta_mut().managed_fields = None;
        let (at, revision) = (object.reference(), self.etcd.revision() + 1);
        object.set_resource_version(Some(&revision.to_string()));
        self.reveal(&at);
        let prev = self.etcd.get(&at).map(|r| r.object.clone());
        self.events += usize::from(prev.is_none() && kind == Kind::EVENT);
        self.etcd.put(at.clone(), object.clone());
        self.valid_spec.written(kind);
        self.note_definition(Some(&object), &object);
        self.watches.dispatch(&at.key, prev.as_ref(), Some(&object), revision, &mut self.woken);
        Ok(())
    }
}
