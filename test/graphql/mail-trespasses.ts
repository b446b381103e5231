import { type ForeignAccess, type Parties, refs, refusedMutation } from './foreign.ts'
import { foreignFilters, foreignLists } from './foreign-filter.ts'

/** Access to sequences, campaigns and audiences of another account. */
export function listForeignMailAccess(parties: Parties): Record<string, readonly ForeignAccess[]> {
  const { own, foreign, form } = parties
  const mine = { contact: { id: form(own.contact) } }
  const none = { nodes: [], totalCount: 0 }
  const [filters, lists] = [foreignFilters(foreign, form), foreignLists(foreign, form)]
  const directions = ['include', 'exclude'] as const
  const nobody = { total: 0, optIn: 0, contacts: none }
  const everyone = { total: 1, optIn: 1, contacts: { nodes: [{ id: own.contact.id }], totalCount: 1 } }
  const members = 'total optIn contacts { nodes { id } totalCount }'
  /** Creates own campaigns whose audience contains a foreign ID. Such an audience is empty, or all own contacts. */
  const audiences = (input: Record<string, unknown>, status: string): ForeignAccess[] =>
    directions.flatMap((direction) =>
      [
        {
          names: filters[direction].paths.map((name) => `input.audience.filter.${name}`),
          audience: { filter: filters[direction].filter },
        },
        {
          names: Object.keys(lists[direction]).map((name) => `input.audience.lists.${name}`),
          audience: { lists: { ...nothing, ...lists[direction] } },
        },
      ].map(({ names, audience }) => ({
        names,
        args: { input: { ...input, audience: { sendToAll: false, ...audience } } },
        select: `campaign { status recipients { nodes { contact { id } } } audience { ${members} } }`,
        comes: {
          campaign: { status, recipients: { nodes: [] }, audience: direction === 'include' ? nobody : everyone },
        },
      })),
    )
  /** Operations of an own stage with foreign IDs. */
  const actions = (input: Record<string, unknown>): ForeignAccess[] =>
    (
      [
        ['addTagId', foreign.tag],
        ['removeTagId', foreign.tag],
        ['addSequenceId', foreign.sequence],
        ['removeSequenceId', foreign.sequence],
      ] as const
    ).map(([field, object]) =>
      refusedMutation([`input.action.${field}`], { ...input, action: { [field]: form(object) } }, 'stage { id }'),
    )
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
    sequenceArchive: [refusedMutation(['input.id'], { id: form(foreign.sequence) }, 'sequence { id }')],
    sequenceRestore: [refusedMutation(['input.id'], { id: form(foreign.sequence) }, 'sequence { id }')],
    sequenceStagesActiveSet: [
      refusedMutation(['input.sequenceId'], { sequenceId: form(foreign.sequence), active: false }, 'sequence { id }'),
    ],
    sequenceDuplicate: [refusedMutation(['input.id'], { id: form(foreign.sequence) }, 'sequence { id }')],
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
      refusedMutation(
        ['input.templateId'],
        { id: form(own.letterStage), templateId: form(foreign.emailTemplate) },
        'stage { id }',
      ),
      refusedMutation(['input.topicId'], { id: form(own.letterStage), topicId: form(foreign.topic) }, 'stage { id }'),
    ],
    sequenceStageTest: [
      refusedMutation(['input.id'], { id: form(foreign.stage), emails: ['me@example.com'] }, 'results { answer }'),
      refusedMutation(
        ['input.contactId'],
        { id: form(own.letterStage), emails: ['me@example.com'], contactId: form(foreign.contact) },
        'results { answer }',
      ),
    ],
    sequenceEnrol: subscription('enrolment { id }'),
    sequenceUnenrol: subscription('sequence { id }'),
    audience: [
      { names: ['topicId'], args: { topicId: form(foreign.topic) }, select: 'optIn', comes: { optIn: 0 } },
      ...directions.flatMap((direction) => [
        {
          names: filters[direction].paths.map((name) => `filter.${name}`),
          args: { filter: filters[direction].filter },
          select: members,
          comes: direction === 'include' ? nobody : everyone,
        },
        ...Object.entries(lists[direction]).map(([name, ids]) => ({
          names: [`lists.${name}`],
          args: { lists: { [name]: ids } },
          select: members,
          comes: direction === 'include' ? nobody : everyone,
        })),
      ]),
    ],
    campaign: [{ names: ['id'], args: { id: form(foreign.campaign) }, select: 'id', comes: null }],
    campaignCheck: [{ names: ['id'], args: { id: form(foreign.campaign) }, select: 'canSend', comes: null }],
    campaignCreate: [
      ...audiences({ name: 'x' }, 'DRAFT'),
      refusedMutation(['input.templateId'], { name: 'x', templateId: form(foreign.emailTemplate) }, 'campaign { id }'),
      refusedMutation(['input.topicId'], { name: 'x', topicId: form(foreign.topic) }, 'campaign { id }'),
    ],
    campaignUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.campaign), name: 'stolen' }, 'campaign { id }'),
      ...audiences({ id: form(own.campaign) }, 'DRAFT'),
      refusedMutation(['input.topicId'], { id: form(own.campaign), topicId: form(foreign.topic) }, 'campaign { id }'),
    ],
    campaignContentSet: [
      refusedMutation(['input.id'], { id: form(foreign.campaign), html: 'stolen' }, 'campaign { id }'),
      refusedMutation(
        ['input.templateId'],
        { id: form(own.campaign), templateId: form(foreign.emailTemplate) },
        'campaign { id }',
      ),
    ],
    campaignSchedule: [
      refusedMutation(
        ['input.id'],
        { id: form(foreign.campaign), scheduledFor: '2099-12-24 18:00' },
        'campaign { id }',
      ),
      ...audiences({ id: form(own.campaign), scheduledFor: '2099-12-24 18:00' }, 'SCHEDULED'),
    ],
    campaignUnschedule: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignPause: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignResume: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignCancel: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignSendUnknown: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignSend: [
      refusedMutation(['input.id'], { id: form(foreign.campaign), audience: { sendToAll: true } }, 'campaign { id }'),
      ...audiences({ id: form(own.campaign), errorAsStatus: true }, 'ERROR'),
    ],
    campaignTest: [
      refusedMutation(['input.id'], { id: form(foreign.campaign), emails: ['me@example.com'] }, 'results { answer }'),
      refusedMutation(
        ['input.contactId'],
        { id: form(own.campaign), emails: ['me@example.com'], contactId: form(foreign.contact) },
        'results { answer }',
      ),
    ],
    campaignArchive: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignRestore: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignDuplicate: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignDelete: [refusedMutation(['input.id'], { id: form(foreign.campaign) }, 'deletedCampaignId')],
  }
}

/** Lists that clear all lists. */
const nothing = Object.fromEntries(
  ['Tag', 'Segment', 'Sequence', 'Opened', 'NotOpened', 'Clicked', 'NotClicked'].flatMap((name) => [
    [`include${name}Ids`, []],
    [`exclude${name}Ids`, []],
  ]),
)
