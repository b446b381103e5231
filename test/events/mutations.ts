import { expect } from 'vitest'
import type { Named, World } from '../support/world.ts'

/** One of each thing that an account has, by its integer. */
export interface Ids {
  contact: number
  tag: number
  field: number
  key: number
  /** The contact is enrolled in it, and has done the first of its two stages. */
  sequence: number
  /** Its second stage: an active e-mail, the only one that is left. */
  stage: number
  /** Another sequence, with a stage and nobody in it. */
  free: number
  /** A draft that lacks nothing, for everyone; someone has agreed to marketing e-mail. */
  campaign: number
  /** A campaign that is scheduled. */
  planned: number
  failed: number
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
    input: ({ tag, field, sequence }) => ({
      email: 'new@example.com',
      emailMarketing: true,
      tagIds: [tag],
      sequenceIds: [sequence],
      customFields: [{ customFieldId: field, value: 'x' }],
    }),
    select: 'contact { id }',
    events: ({ tag, field, sequence }) => [
      ['contact.created', { contactId: expect.any(Number) }],
      ['contact.tag_added', { contactId: expect.any(Number), tagId: tag }],
      ['contact.field_updated', { contactId: expect.any(Number), customFieldId: field, value: 'x' }],
      ['sequence.subscribed', { contactId: expect.any(Number), sequenceId: sequence }],
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
    events: ({ contact, sequence }) => [['sequence.unsubscribed', { contactId: contact, sequenceId: sequence }]],
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
  sequenceCreate: { input: () => ({ name: 'new' }), select: 'sequence { id }', events: () => [] },
  sequenceUpdate: {
    input: ({ sequence }) => ({ id: sequence, name: 'renamed', type: 'INVERTED' }),
    select: 'sequence { id }',
    events: () => [],
  },
  sequenceDelete: {
    input: ({ sequence }) => ({ id: sequence }),
    select: 'databaseId',
    events: ({ contact, sequence }) => [['sequence.unsubscribed', { contactId: contact, sequenceId: sequence }]],
  },
  sequenceStageCreate: {
    input: ({ sequence }) => ({ sequenceId: sequence }),
    select: 'stage { id }',
    events: () => [],
  },
  sequenceStageUpdate: {
    input: ({ stage }) => ({ id: stage, name: 'renamed', timeValue: 2 }),
    select: 'stage { id }',
    events: () => [],
  },
  sequenceStageDelete: {
    input: ({ stage }) => ({ id: stage }),
    select: 'databaseId',
    events: ({ contact, sequence }) => [['sequence.completed', { contactId: contact, sequenceId: sequence }]],
  },
  sequenceStageContentSet: {
    input: ({ stage }) => ({ id: stage, html: '<p>New</p>', text: 'New', subject: 'New' }),
    select: 'email { id }',
    events: () => [],
  },
  sequenceSubscribe: {
    input: ({ contact, free }) => ({ contact: { id: contact }, sequenceId: free }),
    select: 'enrolment { id }',
    events: ({ contact, free }) => [['sequence.subscribed', { contactId: contact, sequenceId: free }]],
  },
  sequenceUnsubscribe: {
    input: ({ contact, sequence }) => ({ contact: { id: contact }, sequenceId: sequence }),
    select: 'sequence { id }',
    events: ({ contact, sequence }) => [['sequence.unsubscribed', { contactId: contact, sequenceId: sequence }]],
  },
  campaignCreate: { input: () => ({ name: 'new' }), select: 'campaign { id }', events: () => [] },
  campaignUpdate: {
    input: ({ campaign, tag }) => ({ id: campaign, subject: 'New', audience: { filter: { includeTagIds: [tag] } } }),
    select: 'campaign { id }',
    events: () => [],
  },
  campaignContentSet: {
    input: ({ campaign }) => ({ id: campaign, html: '<p>New</p>', text: 'New' }),
    select: 'campaign { id }',
    events: () => [],
  },
  campaignSchedule: {
    input: ({ campaign }) => ({ id: campaign, scheduledFor: '2099-12-24 18:00' }),
    select: 'campaign { id }',
    events: ({ campaign }) => [['campaign.scheduled', { campaignId: campaign }]],
  },
  campaignUnschedule: {
    input: ({ planned }) => ({ id: planned }),
    select: 'campaign { id }',
    events: ({ planned }) => [['campaign.unscheduled', { campaignId: planned }]],
  },
  campaignRevise: {
    input: ({ failed }) => ({ id: failed }),
    select: 'campaign { id }',
    events: ({ failed }) => [['campaign.unscheduled', { campaignId: failed }]],
  },
  campaignSend: {
    input: ({ campaign }) => ({ id: campaign }),
    select: 'campaign { id }',
    events: ({ campaign }) => [['campaign.sending', { campaignId: campaign }]],
  },
  campaignDelete: { input: ({ campaign }) => ({ id: campaign }), select: 'databaseId', events: () => [] },
}

/** The document of one mutation, its input a variable. */
export function mutationOf(field: string, select: string): string {
  return `mutation ($input: ${field[0]?.toUpperCase()}${field.slice(1)}Input!) { ${field}(input: $input) { ${select} } }`
}

/** A campaign that could not be sent, for it says nothing. */
export async function failedCampaign(world: World, name = 'failed'): Promise<Named> {
  const create = 'mutation ($name: String!) { campaignCreate(input: { name: $name }) { campaign { id databaseId } } }'
  const { campaign } = (await world.run(create, { name })).campaignCreate
  await world.run('mutation ($id: ID!) { campaignSend(input: { id: $id }) { campaign { status } } }', campaign)
  return campaign
}
