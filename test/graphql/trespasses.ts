import { randomUUID } from 'node:crypto'
import { listForeignAccountAccess } from './account-trespasses.ts'
import { listForeignBatchAccess } from './batch-trespasses.ts'
import { type ForeignAccess, type Parties, refs, refusedMutation } from './foreign.ts'
import { foreignFilterOf, foreignFilters, foreignListFilters, foreignListThings } from './foreign-filter.ts'
import { listForeignSales } from './foreign-sales.ts'
import { listForeignFormAccess } from './form-trespasses.ts'
import { listForeignMailAccess } from './mail-trespasses.ts'
import { listForeignSalesAccess } from './sales-trespasses.ts'

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
  // Some at a time, because a filter has a maximum of conditions.
  const { or } = filters.include.filter
  const middle = or.length / 2
  const ofContact = [
    { names: filters.include.paths, contact: { or: or.slice(0, middle) } },
    { names: [], contact: { or: or.slice(middle) } },
    { names: filters.exclude.paths, contact: { not: filters.exclude.filter } },
  ].map(({ names, contact }) => ({ paths: names.map((name) => `contact.${name}`), filter: { contact } }))
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
              ...ofContact.flatMap(({ paths, filter }) => [
                inList(paths, filter, 0),
                inList(paths, { not: filter }, 1),
              ]),
            ]
          : []),
      ],
    ]
  })
  const { exportLink: exportedSales = [], ...sales } = listForeignSales(parties)
  const moreLists = foreignListFilters(foreign, form)
  const roots = [
    'tags',
    'segments',
    'contactImports',
    'bulkJobs',
    'media',
    'sequences',
    'campaigns',
    'recipients',
    'reusableBlocks',
    'emailTemplates',
  ]
  return {
    ...listForeignAccountAccess(parties),
    ...listForeignBatchAccess(parties, filters),
    ...listForeignMailAccess(parties),
    ...listForeignSalesAccess(parties),
    ...listForeignFormAccess(parties),
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
    ...Object.fromEntries(
      moreLists
        .filter(({ list }) => roots.includes(list))
        .map(({ list, paths, filter }) => {
          const filtered = list === 'recipients' ? [{ paths, filter }, ...ofContact] : [{ paths, filter }]
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
        .filter(({ list }) => !['segments', 'bulkJobs', 'reusableBlocks', 'emailTemplates'].includes(list))
        .map(({ list, paths, filter }) => ({
          names: paths.map((name) => `filter.${list}.${name}`),
          args: { list: list.replace(/[A-Z]/g, '_$&').toUpperCase(), filter: { [list]: filter } },
          select: '__typename',
          comes: { __typename: 'ExportLink' },
        })),
      ...['submissions', 'recipients', 'enrolments'].flatMap((list) =>
        ofContact.map(({ paths, filter }) => ({
          names: paths.map((name) => `filter.${list}.${name}`),
          args: { list: list.toUpperCase(), filter: { [list]: filter } },
          select: '__typename',
          comes: { __typename: 'ExportLink' },
        })),
      ),
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
    customField: [{ names: ['id'], args: { id: form(foreign.customField) }, select: 'id', comes: null }],
    topic: [{ names: ['id'], args: { id: form(foreign.topic) }, select: 'id', comes: null }],
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
    ...Object.fromEntries(
      ['Join', 'Leave'].map((verb) => [
        `contactTopic${verb}`,
        [
          ...refs(parties, { topicId: form(own.topic) }, 'contact { id }'),
          refusedMutation(['input.topicId'], { ...mine, topicId: form(foreign.topic) }, 'contact { id }'),
        ],
      ]),
    ),
    contactFrequencySet: refs(parties, { frequency: 'WEEKLY' }, 'contact { id }'),
    topicUpdate: [refusedMutation(['input.id'], { id: form(foreign.topic), name: 'stolen' }, 'topic { id }')],
    topicArchive: [refusedMutation(['input.id'], { id: form(foreign.topic) }, 'topic { id }')],
    topicRestore: [refusedMutation(['input.id'], { id: form(foreign.topic) }, 'topic { id }')],
    topicDelete: [refusedMutation(['input.id'], { id: form(foreign.topic) }, 'deletedTopicId')],
    tagUpdate: [refusedMutation(['input.id'], { id: form(foreign.tag), name: 'stolen' }, 'tag { id }')],
    tagDelete: [refusedMutation(['input.id'], { id: form(foreign.tag) }, 'deletedTagId')],
    customFieldUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.customField), name: 'stolen' }, 'customField { id }'),
    ],
    customFieldDelete: [refusedMutation(['input.id'], { id: form(foreign.customField) }, 'deletedCustomFieldId')],
  }
}

function withAddress(way: ForeignAccess): ForeignAccess {
  return { ...way, args: { input: { ...(way.args['input'] as object), email: `${randomUUID()}@example.com` } } }
}

/** A segment must not contain segments. */
function withoutSegments({ or }: { or: readonly object[] }) {
  return { or: or.filter((part) => !('segments' in part)) }
}
