import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql'
import { schema } from '../../src/server/schema.ts'

/** An object of another account: its global ID, its integer ID, the address of a contact, and the key of an order. */
export interface ObjectReference {
  id: string
  databaseId: number
  email?: string
  idOrder?: string
  /** A delivery of a webhook. */
  delivery?: string
  /** A session of a user. */
  session?: string
}

/**
 * The object types of an account. The stage is an action and the other stage an e-mail; the campaign is a complete
 * draft, and another one was sent and opened.
 */
export const kinds = [
  'account',
  'apiKey',
  'user',
  'contact',
  'tag',
  'segment',
  'contactImport',
  'bulkJob',
  'customField',
  'topic',
  'media',
  'reusableBlock',
  'emailTemplate',
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

/** One object of each type. */
export type ObjectReferences = Record<(typeof kinds)[number], ObjectReference>

/** A call with an object of another account, and its expected result. */
export interface ForeignAccess {
  /** The paths of the arguments with foreign IDs, in the notation of `argumentsThatName`. */
  readonly names: readonly string[]
  readonly args: Readonly<Record<string, unknown>>
  readonly select: string
  /** Whether only a user can call it, and no API key. */
  readonly isOfUser?: true
  /** The code of the error, or the value of the field. */
  readonly comes: 'NOT_FOUND' | 'VALIDATION_ERROR' | Readonly<Record<string, unknown>> | null
}

/** The account that calls, the account that owns the objects, and `form`: global or integer IDs. */
export interface Parties {
  readonly own: ObjectReferences
  readonly foreign: ObjectReferences
  readonly form: (thing: ObjectReference) => string | number
}

/** A mutation that returns NOT_FOUND. */
export function refusedMutation(names: string[], input: Record<string, unknown>, select: string): ForeignAccess {
  return { names, args: { input }, select, comes: 'NOT_FOUND' }
}

/** References to a contact: by ID, by address, and by an own ID with a foreign address. */
export function refs({ own, foreign, form }: Parties, more: Record<string, unknown>, select: string): ForeignAccess[] {
  return [
    refusedMutation(['input.contact.id'], { contact: { id: form(foreign.contact) }, ...more }, select),
    refusedMutation([], { contact: { email: foreign.contact.email }, ...more }, select),
    ...[form(own.contact), form(foreign.contact)].map((id) => {
      const idAndEmail = { id, email: foreign.contact.email }
      return refusedMutation(['input.contact.idAndEmail.id'], { contact: { idAndEmail }, ...more }, select)
    }),
  ]
}

/**
 * Returns the arguments of all root fields that accept IDs, as paths: `contactTagAdd` → `input.contact.id`,
 * `input.tagId`.
 */
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
