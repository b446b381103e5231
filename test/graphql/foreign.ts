import { randomUUID } from 'node:crypto'
import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql'
import { schema } from '../../src/schema.ts'

/** Something of another account: its global id, its integer, and for a contact its address. */
export interface Thing {
  id: string
  databaseId: number
  email?: string
}

/** One of each kind of thing that an account has. */
export interface Things {
  contact: Thing
  tag: Thing
  customField: Thing
  apiKey: Thing
}

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
  /** What a contact can be given; an unknown tag is skipped, an unknown field is not. */
  const links = (input: Record<string, unknown>): Trespass[] => [
    {
      names: ['input.tagIds'],
      args: { input: { ...input, tagIds: [form(foreign.tag)] } },
      select: 'contact { tags { id } }',
      comes: { contact: { tags: [] } },
    },
    asked(
      ['input.customFields.customFieldId'],
      { ...input, ...values(form(foreign.customField)) },
      'contact { customFields { value } }',
    ),
  ]
  const none = { nodes: [], totalCount: 0 }
  return {
    node: [{ names: ['id'], args: { id: foreign.contact.id }, select: 'id', comes: null }],
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
  }
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
