export { recordActivity } from './activity.ts'
export {
  type Attribution,
  type AttributionKey,
  attributionKeys,
  attributionLength,
  GivenAttribution,
  impersonalAttribution,
} from './attribution.ts'
export * as bulkJobList from './bulk-job-list.ts'
export * as bulkJobs from './bulk-jobs.ts'
export { processNext } from './bulk-run.ts'
export * as changeEntries from './change-entries.ts'
export { emailBefore } from './changes.ts'
export * as consents from './consents.ts'
export { NewContact } from './contact-details.ts'
export * as contactFilters from './contact-filter.ts'
export type { ContactListArgs } from './contact-list.ts'
export * as contactList from './contact-list.ts'
export type { ContactRef } from './contact-lookup.ts'
export { contactFields } from './contact-reference.ts'
export * as contactTags from './contact-tags.ts'
export * as contacts from './contacts.ts'
export * as customFieldValues from './custom-field-values.ts'
export * as customFields from './custom-fields.ts'
export * as erasures from './erasures.ts'
export { contactExports } from './exports.ts'
export { mapTexts, postedNames, type TextKey, type TextName, textFields } from './fields.ts'
export * as contactFacts from './figures.ts'
export type { DateOrder } from './import-dates.ts'
export type { ImportEncoding } from './import-encoding.ts'
export * as importFailedRows from './import-failed-rows.ts'
export { applyNextChunk } from './import-job.ts'
export * as importList from './import-list.ts'
export type { ErrorGroup } from './import-report.ts'
export * as imports from './imports.ts'
export { jobs as contactJobs } from './jobs.ts'
export * as merging from './merging.ts'
export { examplePerson, mergeFieldNames, mergeValuesOf, type Person, personById } from './person.ts'
export { contactParts } from './person-parts.ts'
export {
  type ContactRelation,
  type Ports as ContactPorts,
  ports as contactPorts,
  type TimelineSource,
} from './ports.ts'
export * as segmentList from './segment-list.ts'
export * as segments from './segments.ts'
export * as tags from './tags.ts'
export * as timeline from './timeline.ts'
export type { TimelineEntry } from './timeline-source.ts'
export { contactTimeline } from './timeline-sources.ts'
