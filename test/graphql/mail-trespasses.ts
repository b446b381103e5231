import { criteria, criterionOf, listNames } from '../../src/campaigns/audience-filter.ts'
import {
  type ForeignAccess,
  type ObjectReference,
  type ObjectReferences,
  type Parties,
  refs,
  refusedMutation,
} from './foreign.ts'

/** Access to sequences, campaigns and audiences of another account. */
export function listForeignMailAccess(parties: Parties): Record<string, readonly ForeignAccess[]> {
  const { own, foreign, form } = parties
  const mine = { contact: { id: form(own.contact) } }
  const none = { nodes: [], totalCount: 0 }
  const filters = filtersOn(foreign, form)
  const nobody = { total: 0, optIn: 0, contacts: none }
  const everyone = { total: 1, optIn: 1, contacts: { nodes: [{ id: own.contact.id }], totalCount: 1 } }
  const members = 'total optIn contacts { nodes { id } totalCount }'
  /** Creates a campaign whose filter contains a foreign ID. Its audience is empty, or all own contacts. */
  const audiences = (input: Record<string, unknown>, statuses: [string, string]): ForeignAccess[] =>
    (['include', 'exclude'] as const).map((direction, index) => ({
      names: Object.keys(filters[direction]).map((name) => `input.audience.filter.${name}`),
      args: { input: { ...input, audience: { filter: { ...nothing, ...filters[direction] } } } },
      select: `campaign { status recipients { nodes { contact { id } } } audience { ${members} } }`,
      comes: {
        campaign: {
          status: statuses[index],
          recipients: { nodes: statuses[index] === 'SENDING' ? [{ contact: { id: own.contact.id } }] : [] },
          audience: direction === 'include' ? nobody : everyone,
        },
      },
    }))
  /** Operations of an own stage with foreign IDs. */
  const actions = (input: Record<string, unknown>): ForeignAccess[] => [
    refusedMutation(
      ['input.action.tagId'],
      { ...input, action: { kind: 'ADD_TAG', tagId: form(foreign.tag) } },
      'stage { id }',
    ),
    refusedMutation(
      ['input.action.sequenceId'],
      { ...input, action: { kind: 'UNENROL', sequenceId: form(foreign.sequence) } },
      'stage { id }',
    ),
  ]
  const subscription = (select: string): ForeignAccess[] => [
    ...refs(parties, { sequenceId: form(own.sequence) }, select),
    refusedMutation(['input.sequenceId'], { ...mine, sequenceId: form(foreign.sequence) }, select),
  ]
  return {
    sequence: [{ names: ['id'], args: { id: form(foreign.sequence) }, select: 'id', comes: null }],
    sequenceStage: [{ names: ['id'], args: { id: form(foreign.stage) }, select: 'id', comes: null }],
    sequenceUpdate: [
      refusedMutation(
        ['input.id'],
        { id: form(foreign.sequence), name: 'stolen', type: 'INVERTED' },
        'sequence { id }',
      ),
    ],
    sequenceDelete: [refusedMutation(['input.id'], { id: form(foreign.sequence) }, 'deletedSequenceId')],
    sequenceStageCreate: [
      refusedMutation(['input.sequenceId'], { sequenceId: form(foreign.sequence) }, 'stage { id }'),
      ...actions({ sequenceId: form(own.sequence), stageType: 'ACTION' }),
    ],
    sequenceStageUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.stage), name: 'stolen', active: false }, 'stage { id }'),
      ...actions({ id: form(own.stage) }),
    ],
    sequenceStageDelete: [refusedMutation(['input.id'], { id: form(foreign.stage) }, 'deletedSequenceStageId')],
    sequenceStageContentSet: [
      refusedMutation(['input.id'], { id: form(foreign.stage), html: 'stolen' }, 'stage { id }'),
    ],
    sequenceStageTest: [
      refusedMutation(['input.id'], { id: form(foreign.stage), email: 'me@example.com' }, 'answer'),
      refusedMutation(
        ['input.contactId'],
        { id: form(own.letterStage), email: 'me@example.com', contactId: form(foreign.contact) },
        'answer',
      ),
    ],
    sequenceSubscribe: subscription('enrolment { id }'),
    sequenceUnsubscribe: subscription('sequence { id }'),
    audience: (['include', 'exclude'] as const).flatMap((direction) =>
      Object.entries(filters[direction]).map(([name, ids]) => ({
        names: [`filter.${name}`],
        args: { filter: { [name]: ids } },
        select: members,
        comes: direction === 'include' ? nobody : everyone,
      })),
    ),
    campaign: [{ names: ['id'], args: { id: form(foreign.campaign) }, select: 'id', comes: null }],
    campaignCreate: audiences({ name: 'x' }, ['DRAFT', 'DRAFT']),
    campaignUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.campaign), name: 'stolen' }, 'campaign { id }'),
      ...audiences({ id: form(own.campaign) }, ['DRAFT', 'DRAFT']),
    ],
    campaignContentSet: [
      refusedMutation(['input.id'], { id: form(foreign.campaign), html: 'stolen' }, 'campaign { id }'),
    ],
    campaignSchedule: [
      refusedMutation(
        ['input.id'],
        { id: form(foreign.campaign), scheduledFor: '2099-12-24 18:00' },
        'campaign { id }',
      ),
      ...audiences({ id: form(own.campaign), scheduledFor: '2099-12-24 18:00' }, ['SCHEDULED', 'SCHEDULED']),
    ],
    campaignRevise: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignUnschedule: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignPause: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignResume: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignCancel: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignSendUnknown: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignSend: [
      refusedMutation(['input.id'], { id: form(foreign.campaign), audience: { sendToAll: true } }, 'campaign { id }'),
      ...audiences({ id: form(own.campaign), errorAsStatus: true }, ['ERROR', 'SENDING']),
    ],
    campaignTest: [
      refusedMutation(['input.id'], { id: form(foreign.campaign), email: 'me@example.com' }, 'answer'),
      refusedMutation(
        ['input.contactId'],
        { id: form(own.campaign), email: 'me@example.com', contactId: form(foreign.contact) },
        'answer',
      ),
    ],
    campaignDelete: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'deletedCampaignId')],
  }
}

/** A filter that clears all lists. */
const nothing = Object.fromEntries(listNames.map((name) => [name, []]))

/** The lists of a filter, each with a foreign ID: the including and the excluding ones. */
function filtersOn(foreign: ObjectReferences, form: (thing: ObjectReference) => string | number) {
  const things = { Tag: foreign.tag, Sequence: foreign.sequence, Campaign: foreign.sent }
  const all = listNames.map((name) => [name, [form(things[criteria[criterionOf(name)]])]] as const)
  const those = (direction: string) => Object.fromEntries(all.filter(([name]) => name.startsWith(direction)))
  return { include: those('include'), exclude: those('exclude') }
}
