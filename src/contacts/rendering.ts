// The part without a database. Worker threads import this file, because index.ts loads the whole module.
export { findByName, textFields } from './record/fields.ts'
export {
  encoded,
  fieldIn,
  fill,
  type MergeField,
  type MergeParts,
  mergeParts,
  readingOf,
  renamed,
  textOf,
  type Values,
  valuesIn,
  withValues,
} from './record/merge-fields.ts'
