export * as bulkJobList from './bulk/bulk-job-list.ts'
export * as bulkJobs from './bulk/bulk-jobs.ts'
export { processNext } from './bulk/run.ts'
export { type AcceptedTerms, impersonalTerms, newAcceptedTerms } from './consents/accepted-terms.ts'
export * as consents from './consents/consents.ts'
export * as customFieldValues from './custom-fields/custom-field-values.ts'
export * as customFields from './custom-fields/custom-fields.ts'
export * as erasures from './erasure/erasures.ts'
export { contactExports } from './exports.ts'
export * as contactConditions from './filters/contact-conditions.ts'
export * as contactFilters from './filters/contact-filter.ts'
export { contactFields } from './filters/contact-reference.ts'
export * as importFailedRows from './imports/failed-rows.ts'
export type { ImportEncoding } from './imports/file/encoding.ts'
export { applyNextChunk } from './imports/import-job.ts'
export * as importList from './imports/import-list.ts'
export * as imports from './imports/imports.ts'
export type { Column as ImportColumn } from './imports/rows/columns.ts'
export type { DateOrder } from './imports/rows/dates.ts'
export type { ErrorGroup } from './imports/rows/row-errors.ts'
export { jobs as contactJobs } from './jobs.ts'
export { recordActivity } from './people/activity.ts'
export type { ContactListArgs } from './people/contact-list.ts'
export * as contactList from './people/contact-list.ts'
export * as contacts from './people/contacts.ts'
export * as contactFacts from './people/figures.ts'
export {
  exampleOf,
  examplePerson,
  mergeFieldNames,
  mergeValuesOf,
  type Person,
  personById,
} from './people/merge-field-values.ts'
export * as merging from './people/merging.ts'
export { contactParts } from './person-parts.ts'
export {
  type ContactRelation,
  type ContactTrait,
  type OwnedObject,
  type Ports as ContactPorts,
  type PurchasesFilter,
  ports as contactPorts,
  type SalesConditions,
  type TimelineSource,
} from './ports.ts'
export {
  type Attribution,
  type AttributionKey,
  attributionKeys,
  attributionLength,
  GivenAttribution,
  impersonalAttribution,
} from './record/attribution.ts'
export { emailBefore } from './record/change-log.ts'
export { NewContact } from './record/contact-details.ts'
export type { ContactRef } from './record/contact-lookup.ts'
export { mapTexts, postedNames, type TextKey, type TextName, textFields } from './record/fields.ts'
export * as segmentList from './segments/segment-list.ts'
export * as segments from './segments/segments.ts'
export * as contactTags from './tags/contact-tags.ts'
export * as tags from './tags/tags.ts'
export * as changeEntries from './timeline/change-entries.ts'
export { contactTimeline } from './timeline/contact-sources.ts'
export type { TimelineEntry } from './timeline/entries.ts'
export * as timeline from './timeline/timeline.ts'
export * as frequency from './topics/frequency.ts'
export * as topicMemberships from './topics/memberships.ts'
export * as topics from './topics/topics.ts'
