import { findHolder } from '../account/index.ts'
import { type ContactRef, contactList } from '../contacts/index.ts'
import { type Ctx, newCtx, type System } from '../db/context.ts'
import type { Person, PersonParts } from '../db/persons/person-parts.ts'
import { emailsOfCustomers } from '../finance/index.ts'

import { holderOf, may } from '../kernel/scopes.ts'
import { personParts } from './person-parts.ts'

/** Validity of a link. */
const linkTtlMs = 60 * 60 * 1000

const purpose = 'export of a person'

interface PersonExport {
  readonly contact: contactList.Contact
  readonly url: string
  readonly expiresAt: Date
  /** Names of the parts in the file. */
  readonly parts: readonly string[]
  /** Names of the parts that the key may not read. */
  readonly omittedParts: readonly string[]
}

/**
 * Creates a link to a ZIP file with everything that is held about a person. It is valid for one hour, as long as the key is
 * active and the contact exists. Parts for which the key has no scope are left out. **Throws** NOT_FOUND.
 */
export async function exportPerson(ctx: Ctx, input: { contact: ContactRef }): Promise<PersonExport> {
  const contact = await contactList.find(ctx, input.contact)
  if (!contact) throw contactList.notFound(contactList.pathOf(input.contact))
  const expiresAt = new Date(ctx.clock.now().getTime() + linkTtlMs)
  const content: LinkContent = [ctx.accountId, holderOf(ctx), expiresAt.getTime(), contact.id]
  const token = ctx.signer.seal(purpose, JSON.stringify(content))
  return { contact, url: `${ctx.baseUrl()}/d/person.${token}`, expiresAt, ...divideParts(ctx) }
}

type LinkContent = [accountId: number, holder: string, until: number, contactId: number]

/** A file to serve. */
export interface PersonFile {
  readonly ctx: Ctx
  readonly person: Person
  readonly name: string
  readonly parts: PersonParts
  readonly omittedParts: readonly string[]
}

/**
 * Finds the file of a link. Returns undefined if the link is invalid or expired, its key is disabled or the contact was deleted.
 */
export async function findPersonFile(system: System, token: string): Promise<PersonFile | undefined> {
  const opened = system.signer.unseal(purpose, token)
  if (opened === undefined) return undefined
  const [accountId, holder, until, contactId] = JSON.parse(opened) as LinkContent
  if (until <= system.clock.now().getTime()) return undefined
  const caller = await findHolder(system, { accountId, holder })
  if (!caller) return undefined
  const ctx = newCtx(system, caller)
  const contact = await ctx.load(contactList.byId, contactId)
  if (!contact) return undefined
  const emails = [contact.email, ...(await emailsOfCustomers(ctx, contactId))]
  const { parts, omittedParts } = divideParts(ctx)
  return {
    ctx,
    person: { contactId, emails },
    name: `contact-${contactId}.zip`,
    parts: Object.fromEntries(Object.entries(personParts).filter(([name]) => parts.includes(name))),
    omittedParts,
  }
}

function divideParts(ctx: Ctx): Pick<PersonExport, 'parts' | 'omittedParts'> {
  const { parts = [], omittedParts = [] } = Object.groupBy(Object.keys(personParts), (name) =>
    may(ctx, (personParts[name] as PersonParts[string]).needs) ? 'parts' : 'omittedParts',
  )
  return { parts, omittedParts }
}
