/** Names of fields whose words are not those of the program. All others have the words of their names. */
const exceptions: Readonly<Record<string, string>> = {
  accentColor: 'Accent colour',
  address: 'Postal address',
  all: 'All contacts',
  alternativeText: 'Alternative text',
  anchorDate: 'Date of the sequence',
  backgroundColor: 'Background colour',
  bucket: 'Level',
  contentColor: 'Content colour',
  csv: 'File',
  dateOrder: 'Order of dates',
  errorAsStatus: 'Errors',
  eventPatterns: 'Events',
  expectedUpdatedAt: 'Last change',
  frequency: 'Maximum number of messages',
  frequencyCap: 'Maximum number of messages',
  frequencyCapAction: 'At the maximum number of messages',
  fromEmail: 'From address',
  fromName: 'From name',
  gdpr: 'Accepts processing',
  hotFrom: 'Points of hot contacts',
  html: 'Content',
  id: 'Object',
  idAndEmail: 'Contact',
  idempotencyKey: 'Key of the request',
  ids: 'Objects',
  into: 'Other contact',
  invoicePrefix: 'Prefix of invoices',
  creditNotePrefix: 'Prefix of credit notes',
  ip: 'IP address',
  isPublic: 'Public',
  key: 'Identifier',
  locale: 'Language',
  logoAlt: 'Text of the logo',
  logoUrl: 'Logo',
  oneClickConfirmation: 'Confirmation by one click',
  path: 'Address of the page',
  redactSales: 'Names in sales',
  refusedDomains: 'Domains that are refused',
  replaceWithId: 'Other file',
  replyTo: 'Reply address',
  rotateSecret: 'New secret',
  sendToAll: 'All contacts',
  sendWindow: 'Hours',
  shippedTemplate: 'Template',
  since: 'Beginning',
  smsText: 'Text of the message',
  softBounceDays: 'Days of soft bounces',
  softBounceLimit: 'Number of soft bounces',
  stageType: 'Type of the stage',
  step: 'Position',
  textColor: 'Text colour',
  timeType: 'Unit of the wait',
  timeValue: 'Wait',
  timezone: 'Time zone',
  trustTypedAddresses: 'Typed addresses',
  url: 'Address',
  utm: 'UTM parameters',
  utmExcludedDomains: 'Domains without UTM parameters',
  vatNumber: 'VAT number',
  vatRounding: 'Rounding of VAT',
  warmFrom: 'Points of warm contacts',
  webhookUrl: 'Address of the webhook',
}

/** The word of an object that a field identifies is that of the object: `addTagIds` becomes "Add tags". */
function withoutIds(name: string): string {
  return name
    .replace(/(?<=.)Ids$/, 's')
    .replace(/(?<=.)Id$/, '')
    .replace(/ys$/, 'ies')
}

/** Returns the English words of a field of an input: `senderEmail` becomes "Sender email". The catalogue has them all. */
export function fieldName(name: string): string {
  const known = exceptions[name]
  if (known !== undefined) return known
  const text = withoutIds(name)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** The id of the words of a field in the catalogue, where values of enums have the same names. */
export const fieldTextId = (name: string): string => `field ${name}`
