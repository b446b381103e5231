import { randomUUID } from 'node:crypto'
import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql'
import { criteria, criterionOf, listNames } from '../../src/campaigns/audience-filter.ts'
import { schema } from '../../src/schema.ts'

/** Something of another account: its global id, its integer, and for a contact its address. */
export interface Thing {
  id: string
  databaseId: number
  email?: string
}

/**
 * The kinds of things that an account has, itself among them. The stage is an action, the campaign a draft that lacks
 * nothing; another one was sent, and opened.
 */
export const kinds = [
  'account',
  'apiKey',
  'contact',
  'tag',
  'customField',
  'sequence',
  'stage',
  'enrolment',
  'campaign',
  'sent',
  'email',
] as const

/** One of each kind. */
export type Things = Record<(typeof kinds)[number], Thing>

/** One call with something of another account in it, and what must come of it. */
export interface Trespass {
  /** The paths of the arguments that name something foreign, as `argumentsThatName` writes them. */
  readonly names: readonly string[]
  readonly args: Readonly<Record<string, unknown>>
  readonly select: string
  /** NOT_FOUND as an error, or what the field answers. */
  readonly comes: 'NOT_FOUND' | Readonly<Record<string, unknown>> | null
}

/**
 * For each root field that takes an id or a reference: every way to put something foreign into it. `form` picks the global
 * id or the integer of a thing.
 */
export function trespasses(
  own: Things,
  foreign: Things,
  form: (thing: Thing) => string | number,
): Readonly<Record<string, readonly Trespass[]>> {
  const asked = (names: string[], input: Record<string, unknown>, select: string): Trespass => ({
    names,
    args: { input },
    select,
    comes: 'NOT_FOUND',
  })
  /** A contact by id, by address, and by an id of one's own with a foreign address. */
  const refs = (more: Record<string, unknown>, select: string): Trespass[] => [
    asked(['input.contact.id'], { contact: { id: form(foreign.contact) }, ...more }, select),
    asked([], { contact: { email: foreign.contact.email }, ...more }, select),
    asked([], { contact: { id: form(own.contact), email: foreign.contact.email }, ...more }, select),
  ]
  const mine = { contact: { id: form(own.contact) } }
  const values = (customFieldId: string | number) => ({ customFields: [{ customFieldId, value: 'x' }] })
  /** What a contact can be given; an unknown tag or sequence is skipped, an unknown field is not. */
  const links = (input: Record<string, unknown>): Trespass[] => [
    {
      names: ['input.tagIds'],
      args: { input: { ...input, tagIds: [form(foreign.tag)] } },
      select: 'contact { tags { id } }',
      comes: { contact: { tags: [] } },
    },
    {
      names: ['input.sequenceIds'],
      args: { input: { ...input, sequenceIds: [form(foreign.sequence)] } },
      select: 'contact { sequences { id } }',
      comes: { contact: { sequences: [] } },
    },
    asked(
      ['input.customFields.customFieldId'],
      { ...input, ...values(form(foreign.customField)) },
      'contact { customFields { value } }',
    ),
  ]
  const none = { nodes: [], totalCount: 0 }
  const filters = filtersOn(foreign, form)
  const nobody = { total: 0, optIn: 0, contacts: none }
  const everyone = { total: 1, optIn: 1, contacts: { nodes: [{ id: own.contact.id }], totalCount: 1 } }
  const members = 'total optIn contacts { nodes { id } totalCount }'
  /** A campaign of one's own for whom a filter with something foreign in it chooses: nobody, or everyone of one's own. */
  const audiences = (input: Record<string, unknown>, statuses: [string, string]): Trespass[] =>
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
  /** What a stage of one's own can do with something foreign. */
  const actions = (input: Record<string, unknown>): Trespass[] => [
    asked(['input.action.tagId'], { ...input, action: { kind: 'ADD_TAG', tagId: form(foreign.tag) } }, 'stage { id }'),
    asked(
      ['input.action.sequenceId'],
      { ...input, action: { kind: 'UNENROL', sequenceId: form(foreign.sequence) } },
      'stage { id }',
    ),
  ]
  const subscription = (select: string): Trespass[] => [
    ...refs({ sequenceId: form(own.sequence) }, select),
    asked(['input.sequenceId'], { ...mine, sequenceId: form(foreign.sequence) }, select),
  ]
  return {
    node: Object.values(foreign).map(({ id }) => ({ names: ['id'], args: { id }, select: 'id', comes: null })),
    nodes: [
      { names: ['ids'], args: { ids: Object.values(foreign).map(({ id }) => id) }, select: 'id', comes: [] as never },
    ],
    contact: [
      { names: ['ref.id'], args: { ref: { id: form(foreign.contact) } }, select: 'id', comes: null },
      { names: [], args: { ref: { email: foreign.contact.email } }, select: 'id', comes: null },
    ],
    contacts: [
      {
        names: ['filter.tagIds'],
        args: { filter: { tagIds: [form(foreign.tag)] } },
        select: 'nodes { id } totalCount',
        comes: none,
      },
      { names: [], args: { filter: { email: foreign.contact.email } }, select: 'nodes { id } totalCount', comes: none },
    ],
    tag: [{ names: ['id'], args: { id: form(foreign.tag) }, select: 'id', comes: null }],
    customField: [{ names: ['id'], args: { id: form(foreign.customField) }, select: 'id', comes: null }],
    apiKeyDisable: [asked(['input.id'], { id: form(foreign.apiKey) }, 'apiKey { id }')],
    contactCreate: links({}).map((way) => withAddress(way)),
    contactUpsert: links({ email: own.contact.email }),
    contactUpdate: [...refs({ firstName: 'x' }, 'contact { id }'), ...links(mine)],
    contactDelete: refs({}, 'deleted'),
    contactUnsubscribe: refs({}, 'contact { id }'),
    contactTagAdd: [
      ...refs({ tagId: form(own.tag) }, 'contact { id }'),
      asked(['input.tagId'], { ...mine, tagId: form(foreign.tag) }, 'contact { id }'),
    ],
    contactTagRemove: [
      ...refs({ tagId: form(own.tag) }, 'contact { id }'),
      asked(['input.tagId'], { ...mine, tagId: form(foreign.tag) }, 'contact { id }'),
    ],
    contactBulkTag: [
      asked(['input.tagId'], { contactIds: [form(own.contact)], tagId: form(foreign.tag) }, 'queued'),
      asked(['input.contactIds'], { contactIds: [form(foreign.contact)], tagId: form(own.tag) }, 'queued'),
    ],
    contactFieldSet: [
      ...refs({ customFieldId: form(own.customField), value: 'x' }, 'value'),
      asked(['input.customFieldId'], { ...mine, customFieldId: form(foreign.customField), value: 'x' }, 'value'),
      asked(['input.customFieldId'], { ...mine, customFieldId: form(foreign.customField), value: null }, 'value'),
    ],
    tagUpdate: [asked(['input.id'], { id: form(foreign.tag), name: 'stolen' }, 'tag { id }')],
    tagDelete: [asked(['input.id'], { id: form(foreign.tag) }, 'databaseId')],
    customFieldUpdate: [asked(['input.id'], { id: form(foreign.customField), name: 'stolen' }, 'customField { id }')],
    customFieldDelete: [asked(['input.id'], { id: form(foreign.customField) }, 'databaseId')],
    sequence: [{ names: ['id'], args: { id: form(foreign.sequence) }, select: 'id', comes: null }],
    sequenceStage: [{ names: ['id'], args: { id: form(foreign.stage) }, select: 'id', comes: null }],
    sequenceUpdate: [
      asked(['input.id'], { id: form(foreign.sequence), name: 'stolen', type: 'INVERTED' }, 'sequence { id }'),
    ],
    sequenceDelete: [asked(['input.id'], { id: form(foreign.sequence) }, 'databaseId')],
    sequenceStageCreate: [
      asked(['input.sequenceId'], { sequenceId: form(foreign.sequence) }, 'stage { id }'),
      ...actions({ sequenceId: form(own.sequence), stageType: 'ACTION' }),
    ],
    sequenceStageUpdate: [
      asked(['input.id'], { id: form(foreign.stage), name: 'stolen', active: false }, 'stage { id }'),
      ...actions({ id: form(own.stage) }),
    ],
    sequenceStageDelete: [asked(['input.id'], { id: form(foreign.stage) }, 'databaseId')],
    sequenceStageContentSet: [asked(['input.id'], { id: form(foreign.stage), html: 'stolen' }, 'stage { id }')],
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
      asked(['input.id'], { id: form(foreign.campaign), name: 'stolen' }, 'campaign { id }'),
      ...audiences({ id: form(own.campaign) }, ['DRAFT', 'DRAFT']),
    ],
    campaignContentSet: [asked(['input.id'], { id: form(foreign.campaign), html: 'stolen' }, 'campaign { id }')],
    campaignSchedule: [
      asked(['input.id'], { id: form(foreign.campaign), scheduledFor: '2099-12-24 18:00' }, 'campaign { id }'),
      ...audiences({ id: form(own.campaign), scheduledFor: '2099-12-24 18:00' }, ['SCHEDULED', 'SCHEDULED']),
    ],
    campaignRevise: [asked(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignUnschedule: [asked(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignSend: [
      asked(['input.id'], { id: form(foreign.campaign), audience: { sendToAll: true } }, 'campaign { id }'),
      ...audiences({ id: form(own.campaign) }, ['ERROR', 'SENDING']),
    ],
    campaignDelete: [asked(['input.id'], { id: form(foreign.campaign) }, 'databaseId')],
  }
}

/** A filter that takes all lists away. */
const nothing = Object.fromEntries(listNames.map((name) => [name, []]))

/** The lists of a filter, each with something foreign in it: those that include, and those that exclude. */
function filtersOn(foreign: Things, form: (thing: Thing) => string | number) {
  const things = { Tag: foreign.tag, Sequence: foreign.sequence, Campaign: foreign.sent }
  const all = listNames.map((name) => [name, [form(things[criteria[criterionOf(name)]])]] as const)
  const those = (direction: string) => Object.fromEntries(all.filter(([name]) => name.startsWith(direction)))
  return { include: those('include'), exclude: those('exclude') }
}

function withAddress(way: Trespass): Trespass {
  return { ...way, args: { input: { ...(way.args['input'] as object), email: `${randomUUID()}@example.com` } } }
}

/** The arguments of every root field that take ids, as paths: `contactTagAdd` → `input.contact.id`, `input.tagId`. */
export function argumentsThatName(): Record<string, string[]> {
  const fields = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() }
  const found: Record<string, string[]> = {}
  for (const field of Object.values(fields)) {
    const paths = field.args.flatMap((arg) => pathsOfIds(arg.type, arg.name))
    if (paths.length > 0) found[field.name] = paths.sort()
  }
  return found
}

function pathsOfIds(type: GraphQLInputType, path: string): string[] {
  const named = getNamedType(type)
  if (named.name === 'ID') return [path]
  if (!isInputObjectType(named)) return []
  return Object.values(named.getFields()).flatMap((field) => pathsOfIds(field.type, `${path}.${field.name}`))
}
