import { contactConditions, type contactFilters } from '../../contacts/index.ts'
import { type Ctx, one } from '../../db/context.ts'
import { Refusal } from '../../kernel/errors.ts'

/** The conditions of an e-mail: their filters by number. The version changes with them. */
export interface EmailConditions {
  readonly filters: readonly contactFilters.ContactFilter[]
  readonly version: number
}

/** The outcome of conditions: which of them hold. */
export type Shows = (condition: number) => boolean

/** The conditions that hold are the lower bits of a packed outcome, the version of the conditions is the rest, without a sign. */
const bits = 20
const versions = 2 ** 11

/** Packs the outcome of conditions into an integer of 32 bits. */
export function packOutcome({ version }: EmailConditions, holding: readonly number[]): number {
  return (version % versions) * 2 ** bits + holding.reduce((sum, condition) => sum + 2 ** condition, 0)
}

/** Reads a packed outcome. Undefined if it is that of other conditions than the e-mail has now. */
export function unpackOutcome({ version }: EmailConditions, packed: number): Shows | undefined {
  if (Math.floor(packed / 2 ** bits) !== version % versions) return undefined
  return (condition) => Math.floor(packed / 2 ** condition) % 2 === 1
}

/** Returns which conditions hold for a contact. All of them hold for the example contact (`null`). */
export async function outcomeFor(
  ctx: Ctx,
  filters: EmailConditions['filters'],
  contactId: number | null,
): Promise<Shows> {
  if (contactId === null || filters.length === 0) return () => true
  const holding = await ctx.load(holdingFor, JSON.stringify([contactId, filters]))
  return (condition) => holding?.includes(condition) ?? false
}

/** Loads the numbers of the conditions that hold, by contact and filters. */
const holdingFor = one<string, number[]>(async (ctx, keys) => {
  const given = keys.map((key) => JSON.parse(key) as [contactId: number, filters: EmailConditions['filters']])
  const numbered = given.flatMap(([, filters], place) =>
    filters.map((filter, condition) => ({ key: place * bits + condition, filter })),
  )
  const contactIds = [...new Set(given.map(([contactId]) => contactId))]
  const matched = await contactConditions.matchedFilters(ctx, numbered, contactIds)
  return new Map(
    keys.map((key, place) => [key, ofPlace(matched.get((given[place] as [number, unknown])[0]) ?? [], place)]),
  )
})

/** Returns the conditions among keys that are numbered from `place × bits` on. */
function ofPlace(keys: readonly number[], place: number): number[] {
  return keys.flatMap((key) => (Math.floor(key / bits) === place ? key % bits : []))
}

/** A message whose e-mail may have conditions. */
interface Message {
  readonly emailId: number
  readonly contactId: number
}

/** Returns the conditions that hold in a message, or why they cannot be evaluated. */
type Outcomes = (message: Message) => readonly number[] | { readonly error: string; readonly isSlow?: boolean }

/**
 * Evaluates the conditions of messages, those of all e-mails in one statement. A filter that became invalid or takes too long
 * makes only its own e-mail fail. No statement without conditions.
 */
export async function outcomesOf(
  ctx: Ctx,
  conditions: ReadonlyMap<number, EmailConditions>,
  messages: readonly Message[],
): Promise<Outcomes> {
  const numbered = [...conditions].flatMap(([emailId, { filters }], place) =>
    filters.map((filter, condition) => ({ emailId, condition, key: place * bits + condition, filter })),
  )
  if (numbered.length === 0) return () => []
  const contactIds = [
    ...new Set(messages.flatMap(({ emailId, contactId }) => (conditions.has(emailId) ? contactId : []))),
  ]
  const places = new Map([...conditions.keys()].map((emailId, place) => [emailId, place]))
  try {
    const matched = await contactConditions.matchedFilters(ctx, numbered, contactIds)
    return ({ emailId, contactId }) => {
      return ofPlace(matched.get(contactId) ?? [], places.get(emailId) ?? -1)
    }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'VALIDATION_ERROR') throw error
    if (conditions.size === 1) {
      // An invalid filter is named by its field. One that takes too long has none.
      const slow = error.fields.length === 0 && ({ isSlow: true } as const)
      return () => ({ error: `A condition of the e-mail cannot be evaluated: ${error.message}`, ...slow })
    }
    const each = new Map<number, Outcomes>()
    for (const entry of conditions) each.set(entry[0], await outcomesOf(ctx, new Map([entry]), messages))
    return (message) => each.get(message.emailId)?.(message) ?? []
  }
}
