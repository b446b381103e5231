import { ownAccount } from '../../account/index.ts'
import { exampleOf, examplePerson, mergeValuesOf, type Person, personById } from '../../contacts/index.ts'
import { mediaList } from '../../content/index.ts'
import type { Ctx } from '../../db/context.ts'
import { type Refusal, refuse } from '../../kernel/errors.ts'
import { TextTooLongError } from '../../kernel/values/bounded-text.ts'
import { defaultZone } from '../../kernel/values/period.ts'
import { TaskError } from '../../kernel/work/thread-pool.ts'
import { libraryPicturesIn, parseBody } from '../bodies/body-parser.ts'
import { isPlainText } from '../bodies/email-body.ts'
import { messageValues, newMessageBody } from '../bodies/html-template.ts'
import { renderMessageText } from '../bodies/message-text.ts'
import { parseHeaderTemplate, renderHeader } from '../bodies/text-template.ts'
import { outcomeFor } from '../messages/conditions.ts'
import { envelopeOf } from '../messages/envelope.ts'
import { exampleConfirmUrl, exampleRef, withMessageLinks } from '../messages/message-links.ts'
import { conditionsOf } from './body-changes.ts'
import { type CheckedBody, checkBody, noConditions } from './body-input.ts'
import { confirmationValues } from './confirmation-emails.ts'
import { byId, contentById } from './emails.ts'

/** An e-mail as one contact would see it. */
export interface Preview {
  readonly subject: string
  /** Text that inboxes show after the subject. Empty if there is none, or no HTML that could have one. */
  readonly preheader: string
  readonly html: string
  readonly text: string
  /** The conditions under which blocks are shown, and whether each holds. */
  readonly conditions: readonly { readonly paths: readonly string[]; readonly holds: boolean }[]
}

/**
 * Renders an e-mail for a contact, or for an example contact if `contactId` is null, who sees all blocks. Links are not tracked,
 * and the unsubscribe link has no effect. Fields that are not set are empty. `unsaved` is a document that replaces the stored
 * body. Returns null if the e-mail or the contact does not exist.
 *
 * **Throws** VALIDATION_ERROR if the body cannot be rendered, and as `checkBody` for an invalid document.
 */
export async function renderPreview(
  ctx: Ctx,
  emailId: number,
  contactId: number | null,
  unsaved?: unknown,
): Promise<Preview | null> {
  const contact = contactId === null ? null : await ctx.load(personById, contactId)
  if (contactId !== null && !contact) return null
  ctx.rows?.mustNotBeExceeded()
  // No argument of the request is the e-mail, so the error names none.
  const refusalOf = (field: string, problem: string) => refuse('VALIDATION_ERROR', `${field} ${problem}.`)
  const body = unsaved === undefined || unsaved === null ? undefined : await checkBody(ctx, { content: unsaved })
  const render = await newRenderer(ctx, emailId, contactId, refusalOf, { unsaved: body })
  const preview = render?.(contact ?? {}) ?? null
  if (preview) ctx.rows?.read(bytesOf(preview), 'previews of e-mails')
  return preview
}

function bytesOf({ preheader, html, text }: Preview): number {
  return Buffer.byteLength(preheader) + Buffer.byteLength(html) + Buffer.byteLength(text)
}

/** The largest number of the type Int. The pictures of a message can be larger together. */
const largestInt = 2_147_483_647

/**
 * Returns the size in bytes of the pictures of the media library that a preview shows, each once. Null if it shows none. One
 * statement for all previews of which it is read at the same time, or none. **Throws** RATE_LIMITED if too many tasks wait.
 */
export async function pictureBytesOf(ctx: Ctx, { html }: Preview): Promise<number | null> {
  const urls = await libraryPicturesIn(ctx, html)
  const sizes = await Promise.all(urls.map((url) => ctx.load(mediaList.sizeByUrl, url)))
  const known = sizes.filter((size) => size !== null)
  const total = known.reduce((sum, size) => sum + size, 0)
  return known.length === 0 ? null : Math.min(total, largestInt)
}

/** Whether a text can have a merge field whose custom field has a colon in its name. */
const mayNameColon = (text: string) => /FIELD\.[^{}]*(?::|%3a)/i.test(text)

/**
 * Parses an e-mail, and returns the function that renders it for a person, of whom what is missing is that of an example.
 * Conditions of blocks are those of the contact. Returns null if there is no such e-mail. `refusalOf` returns the error for a
 * field of the stored e-mail that cannot be rendered. A confirmation e-mail links to `confirmUrl`, an example by default.
 */
export async function newRenderer(
  ctx: Ctx,
  emailId: number,
  contactId: number | null,
  refusalOf: (field: 'html' | 'text', problem: string) => Refusal,
  { unsaved, confirmUrl = exampleConfirmUrl(ctx) }: { unsaved?: CheckedBody | undefined; confirmUrl?: string } = {},
): Promise<((person: Partial<Person>) => Preview) | null> {
  const [email, content] = await Promise.all([ctx.load(byId, emailId), unsaved ?? ctx.load(contentById, emailId)])
  if (!email) return null
  const zone = (await ownAccount(ctx)).timezone ?? defaultZone
  // It may break limits that are lower now than when it was stored.
  const { filters, paths, text: conditional } = unsaved ? (unsaved.conditions ?? noConditions) : conditionsOf(email)
  const { isConfirmation, language } = email
  const envelope = await envelopeOf(ctx, email)
  const source = { html: content?.html ?? '', text: content?.text, envelope, isConfirmation }
  const refusalFor = (error: unknown) =>
    error instanceof TaskError || error instanceof TextTooLongError ? refusalOf('html', error.message) : error
  // At the same time, because bodies are parsed in threads: the conditions of several e-mails are evaluated together.
  const [body, shows] = await Promise.all([
    parseBody(ctx, { ...source, conditional: filters.length > 0 ? conditional : null }),
    outcomeFor(ctx, filters, contactId),
  ]).catch((error) => {
    throw refusalFor(error)
  })
  if ('problem' in body) throw refusalOf(body.field, body.problem)
  const template = { ...body, subject: parseHeaderTemplate(email.subject) }
  // A message of plain text alone has none.
  const preheader = parseHeaderTemplate(isPlainText(source) ? '' : email.preheader)
  const conditions = paths.map((at, condition) => ({ paths: at, holds: shows(condition) }))
  const hasColon = [email.subject, envelope?.preheader ?? '', source.html, source.text ?? ''].some(mayNameColon)
  const example = contactId === null && hasColon ? await exampleOf(ctx) : examplePerson
  return (own) => {
    const person = { ...example, ...own }
    const now = ctx.clock.now()
    const values = isConfirmation
      ? confirmationValues(person, { now, zone, language, confirmUrl })
      : withMessageLinks(ctx, exampleRef(ctx), mergeValuesOf(person, now, { zone, language }))
    try {
      return {
        ...renderMessageText(template, { values, shows }),
        preheader: renderHeader(preheader, messageValues(values), newMessageBody()),
        conditions,
      }
    } catch (error) {
      throw refusalFor(error)
    }
  }
}
