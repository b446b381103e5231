/**
 * Estimated number of elements of lists without pagination: what a large list of an ordinary account has, not the maximum.
 * The rows that an execution really loads are limited while it runs.
 */
const usualSizes = {
  acceptedTerms: 2,
  answerCounts: 5,
  answers: 10,
  attribution: 5,
  bounceCauses: 5,
  changes: 2,
  clickedLinks: 5,
  columns: 15,
  currencies: 2,
  customFields: 10,
  topics: 10,
  translations: 5,
  dkimKeys: 2,
  dnsRecords: 2,
  lines: 5,
  links: 3,
  mediaUses: 3,
  meanings: 3,
  errorGroups: 5,
  exclusions: 4,
  reasons: 4,
  fields: 5,
  findings: 3,
  groups: 50,
  heldCounts: 3,
  objectIds: 2,
  objects: 2,
  outcomes: 5,
  points: 5,
  questions: 10,
  revenueGroups: 10,
  searchResults: 20,
  segments: 5,
  senderDomains: 3,
  sequences: 3,
  seriesPoints: 30,
  sessions: 3,
  shippedTemplates: 12,
  stages: 5,
  steps: 5,
  subscriptions: 2,
  tags: 5,
  testMessages: 2,
  typedFields: 3,
  usedIn: 5,
  variants: 2,
  versions: 20,
} as const

/** Returns the cost of a list without pagination: that of its estimated elements. */
export function listCost(name: keyof typeof usualSizes): { size: { assumedSize: number } } {
  return { size: { assumedSize: usualSizes[name] } }
}
