import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { type ForeignAccess, type Parties, refs, refusedMutation } from './foreign.ts'
import { foreignFilterOf, foreignFilters, foreignListFilters, foreignListThings } from './foreign-filter.ts'
import { listForeignSales } from './foreign-sales.ts'
import { listForeignMailAccess } from './mail-trespasses.ts'

/** For each root field that accepts an ID or a reference: every input with a foreign ID. */
export function listForeignAccess(parties: Parties): Readonly<Record<string, readonly ForeignAccess[]>> {
  const { own, foreign, form } = parties
  const mine = { contact: { id: form(own.contact) } }
  const values = (customFieldId: string | number) => ({ customFields: [{ customFieldId, value: 'x' }] })
  /** IDs in the input of a contact. Unknown tags and sequences are skipped, unknown custom fields are not. */
  const foreignValue = (input: Record<string, unknown>) =>
    refusedMutation(
      ['input.customFields.customFieldId'],
      { ...input, ...values(form(foreign.customField)) },
      'contact { customFields { value } }',
    )
  const links = (input: Record<string, unknown>): ForeignAccess[] => [
    {
      names: ['input.addTagIds'],
      args: { input: { ...input, addTagIds: [form(foreign.tag)] } },
      select: 'contact { tags { id } }',
      comes: { contact: { tags: [] } },
    },
    {
      names: ['input.addSequenceIds'],
      args: { input: { ...input, addSequenceIds: [form(foreign.sequence)] } },
      select: 'contact { sequences { id } }',
      comes: { contact: { sequences: [] } },
    },
    foreignValue(input),
  ]
  const none = { nodes: [], totalCount: 0 }
  const filters = foreignFilters(foreign, form)
  const ofContact = {
    paths: [...filters.include.paths, ...filters.exclude.paths].map((name) => `contact.${name}`),
    filter: { contact: filters.include.filter },
  }
  const lists = Object.entries(foreignListThings(foreign)).map(([list, things]): [string, ForeignAccess[]] => {
    const { include, exclude } = foreignFilterOf(things, form)
    const inList = (names: readonly string[], filter: object, totalCount: number): ForeignAccess => ({
      names: names.map((name) => `filter.${name}`),
      args: { filter },
      select: 'totalCount',
      comes: { totalCount },
    })
    const { question } = foreign
    return [
      list,
      [
        inList(include.paths, include.filter, 0),
        ...(exclude.paths.length > 0 ? [inList(exclude.paths, exclude.filter, 1)] : []),
        ...(list === 'submissions'
          ? [
              inList(['answers.questionId'], { answers: [{ questionId: form(question), exists: true }] }, 0),
              inList(ofContact.paths, ofContact.filter, 0),
              inList(ofContact.paths, { not: ofContact.filter }, 1),
            ]
          : []),
      ],
    ]
  })
  const { exportLink: exportedSales = [], ...sales } = listForeignSales(parties)
  const moreLists = foreignListFilters(foreign, form)
  const roots = ['tags', 'segments', 'contactImports', 'bulkJobs', 'sequences', 'campaigns', 'recipients']
  return {
    ...listForeignMailAccess(parties),
    ...sales,
    ...Object.fromEntries(lists),
    events: (['contact', 'tag', 'form', 'funnel', 'sequence', 'campaign'] as const).map((kind) => ({
      names: [`filter.${kind}Ids`],
      args: { filter: { [`${kind}Ids`]: [form(foreign[kind])] } },
      select: 'totalCount',
      comes: { totalCount: 0 },
    })),
    node: Object.values(foreign).map(({ id }) => ({ names: ['id'], args: { id }, select: 'id', comes: null })),
    nodes: [
      { names: ['ids'], args: { ids: Object.values(foreign).map(({ id }) => id) }, select: 'id', comes: [] as never },
    ],
    contact: [
      { names: ['ref.id'], args: { ref: { id: form(foreign.contact) } }, select: 'id', comes: null },
      { names: [], args: { ref: { email: foreign.contact.email } }, select: 'id', comes: null },
      {
        names: ['ref.idAndEmail.id'],
        args: { ref: { idAndEmail: { id: form(foreign.contact), email: foreign.contact.email } } },
        select: 'id',
        comes: null,
      },
    ],
    contacts: [
      {
        names: filters.include.paths.map((name) => `filter.${name}`),
        args: { filter: filters.include.filter },
        select: 'nodes { id } totalCount',
        comes: none,
      },
      {
        names: filters.exclude.paths.map((name) => `filter.${name}`),
        args: { filter: filters.exclude.filter },
        select: 'nodes { id } totalCount',
        comes: { nodes: [{ id: own.contact.id }], totalCount: 1 },
      },
      {
        names: [],
        args: { filter: { email: { eq: foreign.contact.email } } },
        select: 'nodes { id } totalCount',
        comes: none,
      },
    ],
    auditLog: [
      {
        names: [
          ...['apiKeys', 'users'].flatMap((thing) => ['all', 'any', 'none'].map((each) => `filter.${thing}.${each}`)),
          'filter.objects',
        ],
        args: {
          filter: {
            or: [
              { apiKeys: { all: [form(foreign.apiKey)] } },
              { apiKeys: { any: [form(foreign.apiKey)] } },
              { not: { apiKeys: { none: [form(foreign.apiKey)] } } },
              { users: { all: [form(foreign.user)] } },
              { users: { any: [form(foreign.user)] } },
              { not: { users: { none: [form(foreign.user)] } } },
              { objects: [foreign.contact.id] },
            ],
          },
        },
        select: 'nodes { id } totalCount',
        comes: none,
      },
    ],
    segment: [{ names: ['id'], args: { id: form(foreign.segment) }, select: 'id', comes: null }],
    segmentCreate: [
      {
        names: [...filters.include.paths, ...filters.exclude.paths]
          .filter((name) => !name.startsWith('segments.'))
          .map((name) => `input.filter.${name}`),
        args: { input: { name: randomUUID(), filter: withoutSegments(filters.include.filter) } },
        select: 'segment { contacts { totalCount } }',
        comes: { segment: { contacts: { totalCount: 0 } } },
      },
      {
        names: ['all', 'any', 'none'].map((operator) => `input.filter.segments.${operator}`),
        args: { input: { name: randomUUID(), filter: { segments: { any: [form(foreign.segment)] } } } },
        select: 'segment { id }',
        comes: 'VALIDATION_ERROR',
      },
    ],
    segmentUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.segment), name: 'x' }, 'segment { id }'),
      {
        names: [...filters.include.paths, ...filters.exclude.paths].map((name) => `input.filter.${name}`),
        args: { input: { id: form(own.segment), filter: withoutSegments(filters.include.filter) } },
        select: 'segment { contacts { totalCount } }',
        comes: { segment: { contacts: { totalCount: 0 } } },
      },
    ],
    segmentDelete: [refusedMutation(['input.id'], { id: form(foreign.segment) }, 'deletedSegmentId')],
    tag: [{ names: ['id'], args: { id: form(foreign.tag) }, select: 'id', comes: null }],
    contactImport: [{ names: ['id'], args: { id: form(foreign.contactImport) }, select: 'id', comes: null }],
    contactImportFailedRows: [
      { names: ['importId'], args: { importId: form(foreign.contactImport) }, select: 'url', comes: 'NOT_FOUND' },
    ],
    bulkJob: [{ names: ['id'], args: { id: form(foreign.bulkJob) }, select: 'id', comes: null }],
    bulkJobCancel: [refusedMutation(['input.id'], { id: form(foreign.bulkJob) }, 'bulkJob { id }')],
    contactsBulk: listForeignBulk(foreign, form, filters),
    ...Object.fromEntries(
      moreLists
        .filter(({ list }) => roots.includes(list))
        .map(({ list, paths, filter }) => {
          const filtered = list === 'recipients' ? [{ paths, filter }, ofContact] : [{ paths, filter }]
          const accessOf = (each: (typeof filtered)[number]): ForeignAccess => ({
            names: each.paths.map((name) => `filter.${name}`),
            args: { filter: each.filter },
            select: 'nodes { id } totalCount',
            comes: none,
          })
          return [list, filtered.map(accessOf)]
        }),
    ),
    exportLink: [
      ...exportedSales,
      ...moreLists
        .filter(({ list }) => list !== 'segments' && list !== 'bulkJobs')
        .map(({ list, paths, filter }) => ({
          names: paths.map((name) => `filter.${list}.${name}`),
          args: { list: list.replace(/[A-Z]/g, '_$&').toUpperCase(), filter: { [list]: filter } },
          select: '__typename',
          comes: { __typename: 'ExportLink' },
        })),
      ...['submissions', 'recipients', 'enrolments'].map((list) => ({
        names: ofContact.paths.map((name) => `filter.${list}.${name}`),
        args: { list: list.toUpperCase(), filter: { [list]: ofContact.filter } },
        select: '__typename',
        comes: { __typename: 'ExportLink' },
      })),
      {
        names: [...filters.include.paths, ...filters.exclude.paths].map((name) => `filter.contacts.${name}`),
        args: { list: 'CONTACTS', filter: { contacts: filters.include.filter } },
        select: '__typename',
        comes: { __typename: 'ExportLink' },
      },
      ...Object.entries(foreignListThings(foreign))
        .filter(([list]) => list !== 'apiKeys' && list !== 'users')
        .map(([list, things]): ForeignAccess => {
          const { include, exclude } = foreignFilterOf(things, form)
          const isAnswered = list === 'submissions'
          const answers = isAnswered && { answers: [{ questionId: form(foreign.question), contains: 'a' }] }
          return {
            names: [...include.paths, ...exclude.paths, ...(isAnswered ? ['answers.questionId'] : [])].map(
              (path) => `filter.${list}.${path}`,
            ),
            args: {
              list: list.toUpperCase(),
              filter: { [list]: { and: [include.filter, exclude.filter], ...answers } },
            },
            select: '__typename',
            comes: { __typename: 'ExportLink' },
          }
        }),
    ],
    contactImportCreate: [
      {
        names: ['input.addTagIds', 'input.addSequenceIds'],
        args: { input: { csv: 'email\n', addTagIds: [form(foreign.tag)], addSequenceIds: [form(foreign.sequence)] } },
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
    apiKeyUpdate: [refusedMutation(['input.id'], { id: form(foreign.apiKey), name: 'x' }, 'apiKey { id }')],
    apiKeyDisable: [refusedMutation(['input.id'], { id: form(foreign.apiKey) }, 'apiKey { id }')],
    userInvitationResend: [refusedMutation(['input.id'], { id: form(foreign.user) }, 'user { id }')],
    userUpdate: [refusedMutation(['input.id'], { id: form(foreign.user), role: 'ANALYST' }, 'user { id }')],
    userRemove: [refusedMutation(['input.id'], { id: form(foreign.user) }, 'user { id }')],
    sessionRevoke: [
      { ...refusedMutation(['input.id'], { id: foreign.user.session }, 'deletedSessionId'), isOfUser: true },
    ],
    contactCreate: links({}).map((way) => withAddress(way)),
    contactUpsert: links({ email: own.contact.email }),
    contactUpdate: [...refs(parties, { firstName: 'x' }, 'contact { id }'), foreignValue(mine)],
    contactDelete: refs(parties, {}, 'deleted'),
    contactErase: refs(parties, {}, 'contactErasure { id }'),
    contactExport: refs(parties, {}, 'url'),
    contactMerge: [
      ...refs(parties, { into: { id: form(own.contact) } }, 'contact { id }'),
      refusedMutation(['input.into.id'], { ...mine, into: { id: form(foreign.contact) } }, 'contact { id }'),
      refusedMutation(
        ['input.into.idAndEmail.id'],
        { ...mine, into: { idAndEmail: { id: form(foreign.contact), email: foreign.contact.email } } },
        'contact { id }',
      ),
    ],
    contactUnsubscribe: refs(parties, {}, 'contact { id }'),
    contactTagAdd: [
      ...refs(parties, { tagId: form(own.tag) }, 'contact { id }'),
      refusedMutation(['input.tagId'], { ...mine, tagId: form(foreign.tag) }, 'contact { id }'),
    ],
    contactTagRemove: [
      ...refs(parties, { tagId: form(own.tag) }, 'contact { id }'),
      refusedMutation(['input.tagId'], { ...mine, tagId: form(foreign.tag) }, 'contact { id }'),
    ],
    contactBulkTag: [
      refusedMutation(['input.tagId'], { contactIds: [form(own.contact)], tagId: form(foreign.tag) }, 'queued'),
      refusedMutation(['input.contactIds'], { contactIds: [form(foreign.contact)], tagId: form(own.tag) }, 'queued'),
    ],
    contactFieldSet: [
      ...refs(parties, { customFieldId: form(own.customField), value: 'x' }, 'value'),
      refusedMutation(
        ['input.customFieldId'],
        { ...mine, customFieldId: form(foreign.customField), value: 'x' },
        'value',
      ),
      refusedMutation(
        ['input.customFieldId'],
        { ...mine, customFieldId: form(foreign.customField), value: null },
        'value',
      ),
    ],
    tagUpdate: [refusedMutation(['input.id'], { id: form(foreign.tag), name: 'stolen' }, 'tag { id }')],
    tagDelete: [refusedMutation(['input.id'], { id: form(foreign.tag) }, 'deletedTagId')],
    customFieldUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.customField), name: 'stolen' }, 'customField { id }'),
    ],
    customFieldDelete: [refusedMutation(['input.id'], { id: form(foreign.customField) }, 'deletedCustomFieldId')],
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
    webhookUpdate: [refusedMutation(['input.id'], { id: form(foreign.webhook), active: false }, 'webhook { id }')],
    webhookDelete: [refusedMutation(['input.id'], { id: form(foreign.webhook) }, 'deletedWebhookId')],
    webhookTest: [refusedMutation(['input.id'], { id: form(foreign.webhook) }, 'delivery { id }')],
    webhookReplay: [
      refusedMutation(['input.deliveryId'], { deliveryId: foreign.webhook.delivery }, 'replayed'),
      refusedMutation(
        ['input.webhookId'],
        { webhookId: form(foreign.webhook), since: '2026-01-01T00:00:00Z' },
        'replayed',
      ),
    ],
    customer: [{ names: ['id'], args: { id: form(foreign.customer) }, select: 'id', comes: null }],
    order: [
      { names: ['ref.id'], args: { ref: { id: form(foreign.order) } }, select: 'id', comes: null },
      { names: [], args: { ref: { idOrder: foreign.order.idOrder } }, select: 'id', comes: null },
    ],
    transaction: [{ names: ['id'], args: { id: form(foreign.transaction) }, select: 'id', comes: null }],
    invoice: [{ names: ['id'], args: { id: form(foreign.invoice) }, select: 'id', comes: null }],
    creditNote: [{ names: ['id'], args: { id: form(foreign.creditNote) }, select: 'id', comes: null }],
    billingSubscription: [
      { names: ['id'], args: { id: form(foreign.billingSubscription) }, select: 'id', comes: null },
    ],
    orderRecord: [
      {
        ...refusedMutation(
          ['input.stepId'],
          { idOrder: 'new', amount: '1', customer: { email: 'new@example.com' }, stepId: form(foreign.step) },
          'order { id }',
        ),
        comes: 'VALIDATION_ERROR',
      },
    ],
    orderComplete: [refusedMutation(['input.id'], { id: form(foreign.order) }, 'order { id }')],
    orderCancel: [refusedMutation(['input.id'], { id: form(foreign.order) }, 'order { id }')],
    orderRefund: [refusedMutation(['input.id'], { id: form(foreign.order) }, 'order { id }')],
    transactionRecord: Object.entries({
      orderId: foreign.order,
      invoiceId: foreign.invoice,
      subscriptionId: foreign.billingSubscription,
    }).map(([name, thing]) =>
      refusedMutation(
        [`input.${name}`],
        { idTransaction: 'new', amount: '1', [name]: form(thing) },
        'transaction { id }',
      ),
    ),
    transactionUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.transaction), status: 'COMPLETED' }, 'transaction { id }'),
    ],
    invoiceIssue: [refusedMutation(['input.orderId'], { orderId: form(foreign.order) }, 'invoice { id }')],
    invoicePay: [refusedMutation(['input.id'], { id: form(foreign.invoice) }, 'invoice { id }')],
    creditNoteIssue: [refusedMutation(['input.invoiceId'], { invoiceId: form(foreign.invoice) }, 'creditNote { id }')],
    subscriptionRenew: [
      refusedMutation(['input.id'], { id: form(foreign.billingSubscription) }, 'subscription { id }'),
    ],
    subscriptionFail: [refusedMutation(['input.id'], { id: form(foreign.billingSubscription) }, 'subscription { id }')],
    subscriptionEnd: [refusedMutation(['input.id'], { id: form(foreign.billingSubscription) }, 'subscription { id }')],
    form: [{ names: ['id'], args: { id: form(foreign.form) }, select: 'id', comes: null }],
    submission: [{ names: ['id'], args: { id: form(foreign.submission) }, select: 'id', comes: null }],
    formCreate: [
      refusedMutation(
        ['input.questions.customFieldId'],
        { name: 'x', questions: [{ label: 'x', type: 'HIDDEN', customFieldId: form(foreign.customField) }] },
        'form { id }',
      ),
    ],
    formUpdate: [refusedMutation(['input.id'], { id: form(foreign.form), name: 'stolen' }, 'form { id }')],
    formPublish: [refusedMutation(['input.id'], { id: form(foreign.draft) }, 'form { id }')],
    formDuplicate: [refusedMutation(['input.id'], { id: form(foreign.form) }, 'form { id }')],
    formRestore: [refusedMutation(['input.id'], { id: form(foreign.form) }, 'form { id }')],
    formOutcomeMove: [refusedMutation(['input.id'], { id: form(foreign.outcome), position: 1 }, 'outcome { id }')],
    formArchive: [refusedMutation(['input.id'], { id: form(foreign.form) }, 'form { id }')],
    formQuestionCreate: [
      refusedMutation(['input.formId'], { formId: form(foreign.form), label: 'x', type: 'DATE' }, 'question { id }'),
      refusedMutation(
        ['input.customFieldId'],
        { formId: form(own.form), label: 'x', type: 'DATE', customFieldId: form(foreign.customField) },
        'question { id }',
      ),
    ],
    formQuestionUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.question), label: 'stolen' }, 'question { id }'),
      refusedMutation(
        ['input.customFieldId'],
        { id: form(own.question), customFieldId: form(foreign.customField) },
        'question { id }',
      ),
    ],
    formQuestionMove: [refusedMutation(['input.id'], { id: form(foreign.question), position: 2 }, 'question { id }')],
    formQuestionDelete: [refusedMutation(['input.id'], { id: form(foreign.question) }, 'deletedQuestionId')],
    formOutcomeCreate: [
      refusedMutation(
        ['input.formId'],
        { formId: form(foreign.form), key: 'x', title: 'x', bucket: 'HOT' },
        'outcome { id }',
      ),
    ],
    formOutcomeUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.outcome), title: 'stolen' }, 'outcome { id }'),
    ],
    formOutcomeDelete: [refusedMutation(['input.id'], { id: form(foreign.outcome) }, 'deletedOutcomeId')],
    submissionSave: [
      refusedMutation(['input.formId'], { formId: form(foreign.form) }, 'submission { id }'),
      refusedMutation(['input.id'], { formId: form(own.form), id: form(foreign.submission) }, 'submission { id }'),
      refusedMutation(
        ['input.answers.questionId'],
        { formId: form(own.form), answers: [{ questionId: form(foreign.question), value: 'yes' }] },
        'submission { id }',
      ),
      ...refs(parties, { formId: form(own.form) }, 'submission { id }'),
    ],
    funnel: [{ names: ['id'], args: { id: form(foreign.funnel) }, select: 'id', comes: null }],
    funnelStep: [{ names: ['id'], args: { id: form(foreign.step) }, select: 'id', comes: null }],
    funnelUpdate: [refusedMutation(['input.id'], { id: form(foreign.funnel), name: 'stolen' }, 'funnel { id }')],
    funnelArchive: [refusedMutation(['input.id'], { id: form(foreign.funnel) }, 'funnel { id }')],
    funnelRestore: [refusedMutation(['input.id'], { id: form(foreign.funnel) }, 'funnel { id }')],
    funnelDuplicate: [refusedMutation(['input.id'], { id: form(foreign.funnel) }, 'funnel { id }')],
    funnelDelete: [refusedMutation(['input.id'], { id: form(foreign.funnel) }, 'deletedFunnelId')],
    funnelStepCreate: [
      refusedMutation(['input.funnelId'], { funnelId: form(foreign.funnel), name: 'x' }, 'step { id }'),
      refusedMutation(
        ['input.formId'],
        { funnelId: form(own.funnel), name: 'x', formId: form(foreign.form) },
        'step { id }',
      ),
    ],
    funnelStepUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.step), name: 'stolen' }, 'step { id }'),
      refusedMutation(['input.formId'], { id: form(own.step), formId: form(foreign.form) }, 'step { id }'),
      refusedMutation(['input.tagIds'], { id: form(own.step), tagIds: [form(foreign.tag)] }, 'step { id }'),
      refusedMutation(
        ['input.sequenceIds'],
        { id: form(own.step), sequenceIds: [form(foreign.sequence)] },
        'step { id }',
      ),
    ],
    funnelStepMove: [refusedMutation(['input.id'], { id: form(foreign.step), position: 1 }, 'step { id }')],
    funnelStepDelete: [refusedMutation(['input.id'], { id: form(foreign.step) }, 'deletedFunnelStepId')],
    funnelStepContentSet: [
      refusedMutation(['input.id'], { id: form(foreign.step), content: { version: 1, root: [] } }, 'step { id }'),
    ],
    funnelStepPublish: [refusedMutation(['input.id'], { id: form(foreign.step) }, 'step { id }')],
    visitRecord: [
      refusedMutation(['input.stepId'], { stepId: form(foreign.step), visitorId: 'x' }, 'counted'),
      ...refs(parties, { stepId: form(own.step), visitorId: 'x' }, 'counted'),
    ],
    subscriptionRestart: [
      refusedMutation(['input.id'], { id: form(foreign.billingSubscription) }, 'subscription { id }'),
    ],
  }
}

function withAddress(way: ForeignAccess): ForeignAccess {
  return { ...way, args: { input: { ...(way.args['input'] as object), email: `${randomUUID()}@example.com` } } }
}

/** A segment must not contain segments. */
function withoutSegments({ or }: { or: readonly object[] }) {
  return { or: or.filter((part) => !('segments' in part)) }
}

/** Calls of `contactsBulk`: foreign contacts are errors of the job; foreign tags, sequences and custom fields are not found. */
function listForeignBulk(
  foreign: Parties['foreign'],
  form: Parties['form'],
  { include, exclude }: ReturnType<typeof foreignFilters>,
): ForeignAccess[] {
  const contacts = { all: true }
  const refused = (name: string, value: unknown, path = name): ForeignAccess => ({
    names: [`input.action.${path}`],
    args: { input: { contacts, action: { [name]: value } } },
    select: 'bulkJob { id }',
    comes: 'NOT_FOUND',
  })
  const addTagIds = ['1']
  return [
    {
      names: ['input.contacts.ids'],
      args: { input: { contacts: { ids: [form(foreign.contact)] }, action: { unsubscribe: {} } } },
      select: 'bulkJob { changed }',
      comes: { bulkJob: { changed: 0 } },
    },
    {
      names: include.paths.map((path) => `input.contacts.filter.${path}`),
      args: { input: { contacts: { filter: include.filter }, action: { unsubscribe: {} } } },
      select: 'bulkJob { changed }',
      comes: { bulkJob: { changed: 0 } },
    },
    {
      names: exclude.paths.map((path) => `input.contacts.filter.${path}`),
      args: { input: { contacts: { filter: exclude.filter }, action: { addTagIds } } },
      select: 'bulkJob { id }',
      comes: 'VALIDATION_ERROR',
    },
    refused('addTagIds', [form(foreign.tag)]),
    refused('removeTagIds', [form(foreign.tag)]),
    refused('addSequenceIds', [form(foreign.sequence)]),
    refused('removeSequenceIds', [form(foreign.sequence)]),
    refused(
      'update',
      { customFields: [{ customFieldId: form(foreign.customField), value: 'x' }] },
      'update.customFields.customFieldId',
    ),
  ]
}
