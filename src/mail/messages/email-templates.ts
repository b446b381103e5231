import { LRUCache } from 'lru-cache'
import { brands } from '../../content/index.ts'
import type { Ctx } from '../../db/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { parseBody } from '../bodies/body-parser.ts'
import type { ConditionalRange } from '../bodies/conditional-parts.ts'
import type { BodySource, EmailBody } from '../bodies/email-body.ts'
import type { HtmlTemplate } from '../bodies/html-template.ts'
import { parseHeaderTemplate, type TextTemplate } from '../bodies/text-template.ts'
import type { EmailConditions } from './conditions.ts'
import { envelopeOf, hasUtm } from './envelope.ts'
import { storeTrackedLinks } from './tracked-links.ts'

/** A parsed e-mail, from which messages are rendered. */
export interface EmailTemplate {
  readonly fromName: string
  readonly fromEmail: string
  /** Empty for the sender. */
  readonly replyTo: string
  /** Empty if it is not declared. */
  readonly language: string
  readonly subject: TextTemplate
  readonly html: HtmlTemplate
  readonly text: TextTemplate
  /** IDs of the tracked links, by their number in the HTML. */
  readonly linkIds: readonly number[]
  /** Undefined if nothing in it depends on the contact. */
  readonly conditions: EmailConditions | undefined
}

/** Why an e-mail cannot be rendered. */
export interface RenderFailure {
  readonly error: string
  /** Whether the failure was counted and another attempt may succeed. */
  readonly isTemporary?: boolean
}

/** Number of failures after which an e-mail is not rendered again. Not 1, because a busy machine may cause a timeout. */
export const maxFailures = 3

/** An e-mail without its body. */
export interface EmailRow {
  id: number
  version: string
  subject: string
  fromName: string
  fromEmail: string
  replyTo: string
  preheader: string
  language: string
  utm: unknown
  hasBody: boolean
  renderFailures: number
  renderError: string | null
  /** Size of the HTML and the text as they are stored. */
  bytes: number
  /** Whether a process ended recently while it rendered the e-mail. */
  isSuspect: boolean
}

/** How long the end of a process is held against the e-mails that it rendered, in hours: two within this time stop an e-mail. */
export const suspicionHours = 24

/** Recently parsed templates. Parsing a long body takes longer than rendering a thousand messages from it. */
const cache = new LRUCache<string, EmailTemplate>({ maxSize: 20_000_000, sizeCalculation: sizeOf })

/** Loads e-mails without their bodies. */
export async function findEmails(ctx: Ctx, emailIds: readonly number[]): Promise<EmailRow[]> {
  // xmin, because two changes may have the same updated_at. The size of a body is known without reading it.
  return ctx.sql<EmailRow>`
    SELECT m.id, concat(m.xmin, ' ', m.updated_at) AS version, m.subject, m.from_name AS "fromName", m.from_email AS "fromEmail", m.reply_to AS "replyTo",
      m.preheader, m.language, m.utm,
      coalesce(m.html_document_id, m.text_document_id) IS NOT NULL AS "hasBody", m.render_failures AS "renderFailures", m.render_error AS "renderError",
      coalesce(octet_length(h.body), 0) + coalesce(octet_length(t.body), 0) AS bytes,
      coalesce(m.render_ended_at > ${ctx.clock.now()}::timestamptz - make_interval(hours => ${suspicionHours}::int), false) AS "isSuspect"
    FROM email m
    LEFT JOIN document h ON h.account_id = m.account_id AND h.id = m.html_document_id
    LEFT JOIN document t ON t.account_id = m.account_id AND t.id = m.text_document_id
    WHERE m.account_id = ${ctx.sql.account} AND m.id = ANY(${[...new Set(emailIds)]}::int[]) ORDER BY m.id`
}

/**
 * Loads and parses the bodies of e-mails, by ID. At most one statement, one more to store the links of new templates, and one
 * more to store failures. A failure is stored after it happened, so a process that is killed while it parses uses no attempt.
 */
export async function loadTemplates(
  ctx: Ctx,
  rows: readonly EmailRow[],
): Promise<Map<number, EmailTemplate | RenderFailure>> {
  // The brand has the domains whose links get no parameters.
  const brandedAt = rows.some(hasUtm) ? (await brands.load(ctx)).updatedAt.getTime() : 0
  const keyOf = (row: EmailRow) => `${ctx.accountId} ${row.id} ${row.version} ${hasUtm(row) ? brandedAt : ''}`
  const templates = new Map<number, EmailTemplate | RenderFailure>()
  const missing: EmailRow[] = []
  for (const row of rows) {
    const error = findProblem(row)
    const cached = cache.get(keyOf(row))
    if (error) templates.set(row.id, { error })
    else if (cached) templates.set(row.id, cached)
    else missing.push(row)
  }
  for (const [row, template] of await parseTemplates(ctx, missing)) {
    if (!('error' in template)) cache.set(keyOf(row), template)
    templates.set(row.id, template)
  }
  return templates
}

function findProblem({ subject, fromEmail, hasBody, renderFailures, renderError }: EmailRow): string | undefined {
  if (renderFailures >= maxFailures) return renderError ?? 'The e-mail could not be rendered.'
  if (subject.trim() === '') return 'The e-mail has no subject.'
  if (fromEmail === '') return 'The e-mail has no sender.'
  return hasBody ? undefined : 'The e-mail has no content.'
}

async function parseTemplates(
  ctx: Ctx,
  emails: readonly EmailRow[],
): Promise<[EmailRow, EmailTemplate | RenderFailure][]> {
  if (emails.length === 0) return []
  const rows = await ctx.sql<BodyRow>`
    SELECT m.id, m.conditions, m.conditions_version AS "conditionsVersion", h.body AS html, t.body AS text FROM email m
    LEFT JOIN document h ON h.account_id = m.account_id AND h.id = m.html_document_id
    LEFT JOIN document t ON t.account_id = m.account_id AND t.id = m.text_document_id
    WHERE m.account_id = ${ctx.sql.account} AND m.id = ANY(${emails.map(({ id }) => id)}::int[])
      AND coalesce(h.id, t.id) IS NOT NULL`
  const envelopes = new Map(await Promise.all(emails.map(async (row) => [row.id, await envelopeOf(ctx, row)] as const)))
  const bodies = new Map(
    await Promise.all(
      rows.map(async ({ id, html, text, conditions }) => {
        const conditional = conditions.filters.length > 0 ? conditions.text : null
        const envelope = envelopes.get(id)
        const source = { html: html ? decode(html) : '', text: text && decode(text), envelope, conditional }
        return [id, await parseBodyOrFail(ctx, source)] as const
      }),
    ),
  )
  const conditionsOf = new Map(
    rows.map(({ id, conditions, conditionsVersion: version }) => [
      id,
      conditions.filters.length > 0 ? { filters: conditions.filters, version } : undefined,
    ]),
  )
  const parsed = [...bodies.values()].flatMap((body) => ('error' in body ? [] : [body]))
  const links = await storeTrackedLinks(
    ctx,
    parsed.flatMap(({ html }) => html.urls),
  )
  await storeFailures(ctx, emails, bodies)
  return emails.flatMap((email): [EmailRow, EmailTemplate | RenderFailure][] => {
    const body = bodies.get(email.id)
    if (!body) return []
    if ('error' in body) {
      const isTemporary = body.isTemporary === true && email.renderFailures + 1 < maxFailures
      return [[email, { error: body.error, isTemporary }]]
    }
    const { fromName, fromEmail, replyTo, language } = email
    const template = {
      ...{ fromName, fromEmail, replyTo, language },
      subject: parseHeaderTemplate(email.subject),
      html: body.html,
      text: body.text,
      linkIds: body.html.urls.flatMap((url) => links.get(url) ?? []),
      conditions: conditionsOf.get(email.id),
    }
    return [[email, template]]
  })
}

interface BodyRow {
  readonly id: number
  readonly html: Uint8Array | null
  readonly text: Uint8Array | null
  readonly conditions: Pick<EmailConditions, 'filters'> & { readonly text: readonly ConditionalRange[] }
  readonly conditionsVersion: number
}

async function parseBodyOrFail(ctx: Ctx, source: BodySource): Promise<EmailBody | RenderFailure> {
  try {
    const body = await parseBody(ctx, source)
    return 'problem' in body ? { error: `The ${body.field} of the e-mail ${body.problem}.` } : body
  } catch (error) {
    // Any other failure is counted, so that no content is tried without end. A full queue of tasks is not a failure.
    if (error instanceof Refusal) throw error
    return { error: (error as Error).message.slice(0, 500), isTemporary: true }
  }
}

/** Decodes stored bytes to text without NUL characters, which PostgreSQL does not store. */
function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8').replaceAll('\0', '')
}

/** Counts failures, and resets the count of e-mails that were parsed, so that rare failures do not add up. */
async function storeFailures(
  ctx: Ctx,
  emails: readonly EmailRow[],
  bodies: ReadonlyMap<number, EmailBody | RenderFailure>,
): Promise<void> {
  const changes = emails.flatMap(
    ({ id, renderFailures, renderError }): { id: number; error: string | null; by: number }[] => {
      const body = bodies.get(id)
      if (!body) return []
      if ('error' in body) {
        const isCounted = body.isTemporary === true
        return isCounted || renderError !== body.error
          ? [{ id, error: body.error, by: isCounted ? 1 : maxFailures }]
          : []
      }
      return renderFailures > 0 || renderError !== null ? [{ id, error: null, by: -renderFailures }] : []
    },
  )
  if (changes.length === 0) return
  await ctx.sql`
    UPDATE email m SET render_failures = least(m.render_failures + x.by, ${maxFailures}::int), render_error = x.error
    FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) AS x(id int, error text, by int)
    WHERE m.account_id = ${ctx.sql.account} AND m.id = x.id`
}

/** Approximate number of characters. */
function sizeOf({ html, text, subject, conditions }: EmailTemplate): number {
  const ofParts = (parts: readonly (string | object)[]): number =>
    parts.reduce<number>((sum, part) => {
      if (typeof part === 'string') return sum + part.length
      return sum + 100 + ('parts' in part ? ofParts(part.parts as HtmlTemplate['parts']) : 0)
    }, 0)
  const filters = conditions ? JSON.stringify(conditions.filters).length : 0
  return 1000 + filters + ofParts(html.parts) + ofParts([...text, ...subject].flatMap((piece) => piece.parts))
}
