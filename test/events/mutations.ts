import { expect } from 'vitest'

/** One of each thing that an account has, by its integer. */
export interface Ids {
  contact: number
  tag: number
  field: number
  key: number
}

/** What each mutation announces when it changes something, in this order; the input is for an account that has one of each. */
export const announcements: Record<
  string,
  { input(ids: Ids): Record<string, unknown>; select: string; events(ids: Ids): unknown[] }
> = {
  accountUpdate: { input: () => ({ name: 'x' }), select: 'account { id }', events: () => [] },
  apiKeyCreate: { input: () => ({}), select: 'key', events: () => [] },
  apiKeyDisable: { input: ({ key }) => ({ id: key }), select: 'apiKey { id }', events: () => [] },
  contactCreate: {
    input: ({ tag, field }) => ({
      email: 'new@example.com',
      emailMarketing: true,
      tagIds: [tag],
      customFields: [{ customFieldId: field, value: 'x' }],
    }),
    select: 'contact { id }',
    events: ({ tag, field }) => [
      ['contact.created', { contactId: expect.any(Number) }],
      ['contact.tag_added', { contactId: expect.any(Number), tagId: tag }],
      ['contact.field_updated', { contactId: expect.any(Number), customFieldId: field, value: 'x' }],
    ],
  },
  contactUpsert: {
    input: () => ({ email: 'ada@example.com', city: 'Paris' }),
    select: 'created',
    events: ({ contact }) => [['contact.updated', { contactId: contact }]],
  },
  contactUpdate: {
    input: ({ contact }) => ({ contact: { id: contact }, emailMarketing: true }),
    select: 'contact { id }',
    events: ({ contact }) => [
      ['contact.updated', { contactId: contact }],
      ['contact.resubscribed', { contactId: contact }],
    ],
  },
  contactDelete: {
    input: ({ contact }) => ({ contact: { id: contact } }),
    select: 'deleted',
    events: ({ contact }) => [['contact.deleted', { contactId: contact }]],
  },
  contactUnsubscribe: {
    input: ({ contact }) => ({ contact: { id: contact } }),
    select: 'contact { id }',
    events: () => [],
  },
  contactTagAdd: {
    input: ({ contact, tag }) => ({ contact: { id: contact }, tagId: tag }),
    select: 'tag { id }',
    events: ({ contact, tag }) => [['contact.tag_added', { contactId: contact, tagId: tag }]],
  },
  contactTagRemove: {
    input: ({ contact, tag }) => ({ contact: { id: contact }, tagId: tag }),
    select: 'tag { id }',
    events: () => [],
  },
  contactBulkTag: {
    input: ({ contact, tag }) => ({ contactIds: [contact], tagId: tag }),
    select: 'queued',
    events: () => [],
  },
  contactFieldSet: {
    input: ({ contact, field }) => ({ contact: { id: contact }, customFieldId: field, value: 'v' }),
    select: 'value',
    events: ({ contact, field }) => [
      ['contact.field_updated', { contactId: contact, customFieldId: field, value: 'v' }],
    ],
  },
  tagCreate: { input: () => ({ name: 'new' }), select: 'tag { id }', events: () => [] },
  tagUpdate: { input: ({ tag }) => ({ id: tag, name: 'renamed' }), select: 'tag { id }', events: () => [] },
  tagDelete: { input: ({ tag }) => ({ id: tag }), select: 'databaseId', events: () => [] },
  customFieldCreate: { input: () => ({ name: 'new', type: 'TEXT' }), select: 'customField { id }', events: () => [] },
  customFieldUpdate: {
    input: ({ field }) => ({ id: field, name: 'renamed' }),
    select: 'customField { id }',
    events: () => [],
  },
  customFieldDelete: { input: ({ field }) => ({ id: field }), select: 'databaseId', events: () => [] },
}

/** The document of one mutation, its input a variable. */
export function mutationOf(field: string, select: string): string {
  return `mutation ($input: ${field[0]?.toUpperCase()}${field.slice(1)}Input!) { ${field}(input: $input) { ${select} } }`
}
