import { randomUUID } from 'node:crypto'
import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql'
import { expect } from 'vitest'
import { criteria, criterionOf, listNames } from '../../src/campaigns/audience-filter.ts'
import { schema } from '../../src/schema.ts'

/** Something of another account: its global id, its integer, for a contact its address, and for an order its name. */
export interface Thing {
  id: string
  databaseId: number
  email?: string
  idOrder?: string
  /** What was sent to a webhook. */
  delivery?: string
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
  'contactImport',
  'customField',
  'sequence',
  'stage',
  'enrolment',
  'campaign',
  'sent',
  'email',
  'customer',
  'order',
  'transaction',
  'invoice',
  'creditNote',
  'billingSubscription',
  'funnel',
  'step',
  'form',
  'draft',
  'question',
  'outcome',
  'submission',
  'webhook',
] as const

/** One of each kind. */
export type Things = Record<(typeof kinds)[number], Thing>

/** One call with something of another account in it, and what must come of it. */
export interface Trespass {
  /** The paths of the arguments that name something foreign, as `argumentsThatName` writes them. */
  readonly names: readonly string[]
  readonly args: Readonly<Record<string, unknown>>
  readonly select: string
  /** The code of an error, or what the field answers. */
  readonly comes: 'NOT_FOUND' | 'VALIDATION_ERROR' | Readonly<Record<string, unknown>> | null
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
    contactImport: [{ names: ['id'], args: { id: form(foreign.contactImport) }, select: 'id', comes: null }],
    exportLink: [
      {
        names: [
          'filter.contacts.tagIds',
          'filter.submissions.contactId',
          'filter.submissions.formId',
          'filter.submissions.questionId',
        ],
        args: { list: 'CONTACTS', filter: { contacts: { tagIds: [form(foreign.tag)] } } },
        select: '__typename',
        comes: { __typename: 'ExportLink' },
      },
    ],
    contactImportCreate: [
      {
        names: ['input.tagIds', 'input.sequenceIds'],
        args: { input: { csv: 'email\n', tagIds: [form(foreign.tag)], sequenceIds: [form(foreign.sequence)] } },
        select: 'contactImport { status }',
        comes: { contactImport: { status: 'COMPLETED' } },
      },
      {
        names: ['input.mapping.customFieldId'],
        args: {
          input: { csv: 'email,x\n', mapping: [{ column: 'x', customFieldId: form(foreign.customField) }] },
        },
        select: 'contactImport { status }',
        comes: 'VALIDATION_ERROR',
      },
    ],
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
    sequenceStageTest: [
      asked(['input.id'], { id: form(foreign.stage), email: 'me@example.com' }, 'answer'),
      asked(
        ['input.contactId'],
        { id: form(foreign.stage), email: 'me@example.com', contactId: form(foreign.contact) },
        'answer',
      ),
    ],
    sequenceSubscribe: subscription('enrolment { id }'),
    sequenceUnsubscribe: subscription('sequence { id }'),
    webhook: [{ names: ['id'], args: { id: form(foreign.webhook) }, select: 'id', comes: null }],
    webhookDryRun: [
      {
        names: ['webhookId'],
        args: { webhookId: form(foreign.webhook), type: 'CONTACT_CREATED' },
        select: 'body',
        comes: 'NOT_FOUND',
      },
      {
        names: ['subjectId'],
        args: { subjectId: form(foreign.contact), type: 'CONTACT_CREATED' },
        select: 'body',
        comes: { body: expect.stringContaining(`"data":{"id":${foreign.contact.databaseId}}`) },
      },
    ],
    webhookUpdate: [asked(['input.id'], { id: form(foreign.webhook), active: false }, 'webhook { id }')],
    webhookRotateSecret: [asked(['input.id'], { id: form(foreign.webhook) }, 'secret')],
    webhookDelete: [asked(['input.id'], { id: form(foreign.webhook) }, 'databaseId')],
    webhookTest: [asked(['input.id'], { id: form(foreign.webhook) }, 'delivery { id }')],
    webhookReplay: [
      asked(['input.deliveryId'], { deliveryId: foreign.webhook.delivery }, 'replayed'),
      asked(['input.webhookId'], { webhookId: form(foreign.webhook), since: '2026-01-01T00:00:00Z' }, 'replayed'),
    ],
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
    campaignPause: [asked(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignResume: [asked(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignCancel: [asked(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignSendUnknown: [asked(['input.id'], { id: form(foreign.campaign) }, 'campaign { id }')],
    campaignSend: [
      asked(['input.id'], { id: form(foreign.campaign), audience: { sendToAll: true } }, 'campaign { id }'),
      ...audiences({ id: form(own.campaign) }, ['ERROR', 'SENDING']),
    ],
    campaignTest: [
      asked(['input.id'], { id: form(foreign.campaign), email: 'me@example.com' }, 'answer'),
      asked(
        ['input.contactId'],
        { id: form(own.campaign), email: 'me@example.com', contactId: form(foreign.contact) },
        'answer',
      ),
    ],
    campaignDelete: [asked(['input.id'], { id: form(foreign.campaign) }, 'databaseId')],
    customer: [{ names: ['id'], args: { id: form(foreign.customer) }, select: 'id', comes: null }],
    order: [
      { names: ['id'], args: { id: form(foreign.order) }, select: 'id', comes: null },
      { names: [], args: { idOrder: foreign.order.idOrder }, select: 'id', comes: null },
    ],
    transaction: [{ names: ['id'], args: { id: form(foreign.transaction) }, select: 'id', comes: null }],
    invoice: [{ names: ['id'], args: { id: form(foreign.invoice) }, select: 'id', comes: null }],
    creditNote: [{ names: ['id'], args: { id: form(foreign.creditNote) }, select: 'id', comes: null }],
    billingSubscription: [
      { names: ['id'], args: { id: form(foreign.billingSubscription) }, select: 'id', comes: null },
    ],
    orderRecord: [
      {
        ...asked(
          ['input.stepId'],
          { idOrder: 'new', amount: '1', customer: { email: 'new@example.com' }, stepId: form(foreign.step) },
          'order { id }',
        ),
        comes: 'VALIDATION_ERROR',
      },
    ],
    orderComplete: [asked(['input.id'], { id: form(foreign.order) }, 'order { id }')],
    orderCancel: [asked(['input.id'], { id: form(foreign.order) }, 'order { id }')],
    orderRefund: [asked(['input.id'], { id: form(foreign.order) }, 'order { id }')],
    transactionRecord: Object.entries({
      orderId: foreign.order,
      invoiceId: foreign.invoice,
      subscriptionId: foreign.billingSubscription,
    }).map(([name, thing]) =>
      asked([`input.${name}`], { idTransaction: 'new', amount: '1', [name]: form(thing) }, 'transaction { id }'),
    ),
    transactionUpdate: [
      asked(['input.id'], { id: form(foreign.transaction), status: 'COMPLETED' }, 'transaction { id }'),
    ],
    invoiceIssue: [asked(['input.orderId'], { orderId: form(foreign.order) }, 'invoice { id }')],
    invoicePay: [asked(['input.id'], { id: form(foreign.invoice) }, 'invoice { id }')],
    creditNoteIssue: [asked(['input.invoiceId'], { invoiceId: form(foreign.invoice) }, 'creditNote { id }')],
    subscriptionRenew: [asked(['input.id'], { id: form(foreign.billingSubscription) }, 'subscription { id }')],
    subscriptionFail: [asked(['input.id'], { id: form(foreign.billingSubscription) }, 'subscription { id }')],
    subscriptionEnd: [asked(['input.id'], { id: form(foreign.billingSubscription) }, 'subscription { id }')],
    form: [{ names: ['id'], args: { id: form(foreign.form) }, select: 'id', comes: null }],
    submission: [{ names: ['id'], args: { id: form(foreign.submission) }, select: 'id', comes: null }],
    submissions: Object.entries({
      formId: foreign.form,
      contactId: foreign.contact,
      questionId: foreign.question,
    }).map(([name, thing]) => ({
      names: [`filter.${name}`],
      args: { filter: { [name]: form(thing) } },
      select: 'nodes { id } totalCount',
      comes: none,
    })),
    formCreate: [
      asked(
        ['input.questions.customFieldId'],
        { name: 'x', questions: [{ label: 'x', type: 'HIDDEN', customFieldId: form(foreign.customField) }] },
        'form { id }',
      ),
    ],
    formUpdate: [asked(['input.id'], { id: form(foreign.form), name: 'stolen' }, 'form { id }')],
    formPublish: [asked(['input.id'], { id: form(foreign.draft) }, 'form { id }')],
    formArchive: [asked(['input.id'], { id: form(foreign.form) }, 'form { id }')],
    questionCreate: [
      asked(['input.formId'], { formId: form(foreign.form), label: 'x', type: 'DATE' }, 'question { id }'),
      asked(
        ['input.customFieldId'],
        { formId: form(own.form), label: 'x', type: 'DATE', customFieldId: form(foreign.customField) },
        'question { id }',
      ),
    ],
    questionUpdate: [
      asked(['input.id'], { id: form(foreign.question), label: 'stolen' }, 'question { id }'),
      asked(
        ['input.customFieldId'],
        { id: form(own.question), customFieldId: form(foreign.customField) },
        'question { id }',
      ),
    ],
    questionMove: [asked(['input.id'], { id: form(foreign.question), position: 2 }, 'question { id }')],
    questionDelete: [asked(['input.id'], { id: form(foreign.question) }, 'databaseId')],
    outcomeCreate: [
      asked(['input.formId'], { formId: form(foreign.form), key: 'x', title: 'x', bucket: 'HOT' }, 'outcome { id }'),
    ],
    outcomeUpdate: [asked(['input.id'], { id: form(foreign.outcome), title: 'stolen' }, 'outcome { id }')],
    outcomeDelete: [asked(['input.id'], { id: form(foreign.outcome) }, 'databaseId')],
    submissionSave: [
      asked(['input.formId'], { formId: form(foreign.form) }, 'submission { id }'),
      asked(['input.id'], { formId: form(own.form), id: form(foreign.submission) }, 'submission { id }'),
      asked(
        ['input.answers.questionId'],
        { formId: form(own.form), answers: [{ questionId: form(foreign.question), value: 'yes' }] },
        'submission { id }',
      ),
      ...refs({ formId: form(own.form) }, 'submission { id }'),
    ],
    funnel: [{ names: ['id'], args: { id: form(foreign.funnel) }, select: 'id', comes: null }],
    funnelStep: [{ names: ['id'], args: { id: form(foreign.step) }, select: 'id', comes: null }],
    funnelUpdate: [asked(['input.id'], { id: form(foreign.funnel), name: 'stolen' }, 'funnel { id }')],
    funnelDelete: [asked(['input.id'], { id: form(foreign.funnel) }, 'databaseId')],
    funnelStepCreate: [asked(['input.funnelId'], { funnelId: form(foreign.funnel), name: 'x' }, 'step { id }')],
    funnelStepUpdate: [
      asked(['input.id'], { id: form(foreign.step), name: 'stolen' }, 'step { id }'),
      asked(['input.tagIds'], { id: form(own.step), tagIds: [form(foreign.tag)] }, 'step { id }'),
      asked(['input.sequenceIds'], { id: form(own.step), sequenceIds: [form(foreign.sequence)] }, 'step { id }'),
    ],
    funnelStepMove: [asked(['input.id'], { id: form(foreign.step), order: 1 }, 'step { id }')],
    funnelStepDelete: [asked(['input.id'], { id: form(foreign.step) }, 'databaseId')],
    funnelStepContentSet: [
      asked(['input.id'], { id: form(foreign.step), content: { version: 1, root: [] } }, 'step { id }'),
    ],
    funnelStepPublish: [asked(['input.id'], { id: form(foreign.step) }, 'step { id }')],
    visitRecord: [
      asked(['input.stepId'], { stepId: form(foreign.step), visitorId: 'x' }, 'counted'),
      ...refs({ stepId: form(own.step), visitorId: 'x' }, 'counted'),
    ],
    subscriptionRestart: [asked(['input.id'], { id: form(foreign.billingSubscription) }, 'subscription { id }')],
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
