// The part without a database. Worker threads import this file, because index.ts loads the whole module.
export { findByName, textFields } from './record/fields.ts'
export { encoded, fill, type MergeField, type MergeParts, mergeParts, type Values } from './record/merge-fields.ts'
