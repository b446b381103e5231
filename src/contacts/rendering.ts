// The part without a database. Worker threads import this file, because index.ts loads the whole module.
export { findByName, textFields } from './fields.ts'
