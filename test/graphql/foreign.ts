import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql'
import { schema } from '../../src/server/schema.ts'

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
 * The kinds of things that an account has, itself among them. The stage is an action, the letter's stage an
 * e-mail, the campaign a draft that lacks nothing; another one was sent, and opened.
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
  'letterStage',
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

/** Who tries what on whom: `form` picks the global id or the integer of a thing. */
export interface Parties {
  readonly own: Things
  readonly foreign: Things
  readonly form: (thing: Thing) => string | number
}

/** A mutation that finds nothing by what it is given. */
export function asked(names: string[], input: Record<string, unknown>, select: string): Trespass {
  return { names, args: { input }, select, comes: 'NOT_FOUND' }
}

/** A contact by id, by address, and by an id of one's own with a foreign address. */
export function refs({ own, foreign, form }: Parties, more: Record<string, unknown>, select: string): Trespass[] {
  return [
    asked(['input.contact.id'], { contact: { id: form(foreign.contact) }, ...more }, select),
    asked([], { contact: { email: foreign.contact.email }, ...more }, select),
    asked([], { contact: { id: form(own.contact), email: foreign.contact.email }, ...more }, select),
  ]
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
  // The filter inside a filter has the same fields.
  const fields = Object.values(named.getFields()).filter(({ type }) => getNamedType(type) !== named)
  return fields.flatMap((field) => pathsOfIds(field.type, `${path}.${field.name}`))
}
