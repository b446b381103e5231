import { LRUCache } from 'lru-cache'
import type { Ctx } from '../../db/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { takeApart } from './bodies.ts'
import type { Body } from './email-body.ts'
import type { HtmlTemplate } from './html-template.ts'
import { store } from './links.ts'
import { lineTemplate, type TextTemplate } from './text-template.ts'

/** An e-mail, ready to be put together for whoever reads it. */
export interface Template {
  readonly fromName: string
  readonly fromEmail: string
  readonly subject: TextTemplate
  readonly html: HtmlTemplate
  readonly text: TextTemplate
  /** The ids of the links that are counted, by their place in the HTML. */
  readonly linkIds: readonly number[]
}

/** Why an e-mail cannot be sent as it is. */
export interface Unfit {
  readonly error: string
  /** Set if the failure was counted and another attempt may succeed. */
  readonly isTemporary?: boolean
}

/** How often rendering may fail before the e-mail counts as unfit: a busy machine may make the first attempt too slow. */
const mostFailures = 3

interface Meta {
  id: number
  version: string
  subject: string
  fromName: string
  fromEmail: string
  hasHtml: boolean
  renderFailures: number
  renderError: string | null
}

/** Templates that were made lately: taking a long body apart takes longer than a thousand messages of it. */
const made = new LRUCache<string, Template>({ maxSize: 20_000_000, sizeCalculation: sizeOf })

/**
 * Reads e-mails as templates, by id. Two statements at most, one to write down the links of those that are new, and one
 * for those that could not be rendered. A failure is stored after it happened, so a process that is killed while it
 * renders uses up no attempt.
 */
export async function templatesOf(ctx: Ctx, emailIds: readonly number[]): Promise<Map<number, Template | Unfit>> {
  // The row's version, and not when it was changed: two changes may fall into one millisecond.
  const metas = await ctx.sql<Meta>`
    SELECT m.id, concat(m.xmin, ' ', m.updated_at) AS version, m.subject, m.from_name AS "fromName", m.from_email AS "fromEmail",
      m.html_document_id IS NOT NULL AS "hasHtml", m.render_failures AS "renderFailures", m.render_error AS "renderError"
    FROM email m WHERE m.account_id = ${ctx.sql.account} AND m.id = ANY(${[...new Set(emailIds)]}::int[])`
  const keyOf = ({ id, version }: Meta) => `${ctx.accountId} ${id} ${version}`
  const found = new Map<number, Template | Unfit>()
  const missing: Meta[] = []
  for (const meta of metas) {
    const error = faultOf(meta)
    const known = made.get(keyOf(meta))
    if (error) found.set(meta.id, { error })
    else if (known) found.set(meta.id, known)
    else missing.push(meta)
  }
  for (const [meta, template] of await newTemplates(ctx, missing)) {
    if (!('error' in template)) made.set(keyOf(meta), template)
    found.set(meta.id, template)
  }
  return found
}

function faultOf({ subject, fromEmail, hasHtml, renderFailures, renderError }: Meta): string | undefined {
  if (renderFailures >= mostFailures) return renderError ?? 'The e-mail could not be rendered.'
  if (subject.trim() === '') return 'The e-mail has no subject.'
  if (fromEmail === '') return 'The e-mail has no sender.'
  return hasHtml ? undefined : 'The e-mail has no content.'
}

async function newTemplates(ctx: Ctx, metas: readonly Meta[]): Promise<[Meta, Template | Unfit][]> {
  if (metas.length === 0) return []
  const rows = await ctx.sql<{ id: number; html: Uint8Array; text: Uint8Array | null }>`
    SELECT m.id, h.body AS html, t.body AS text FROM email m
    JOIN document h ON h.account_id = m.account_id AND h.id = m.html_document_id
    LEFT JOIN document t ON t.account_id = m.account_id AND t.id = m.text_document_id
    WHERE m.account_id = ${ctx.sql.account} AND m.id = ANY(${metas.map(({ id }) => id)}::int[])`
  const bodies = new Map(
    await Promise.all(
      rows.map(async ({ id, html, text }) => {
        const source = { html: decoded(html), text: text && decoded(text) }
        return [id, await bodyOrUnfit(ctx, source)] as const
      }),
    ),
  )
  const fit = [...bodies.values()].flatMap((body) => ('error' in body ? [] : [body]))
  const links = await store(
    ctx,
    fit.flatMap(({ html }) => html.urls),
  )
  await note(ctx, metas, bodies)
  return metas.flatMap((meta): [Meta, Template | Unfit][] => {
    const body = bodies.get(meta.id)
    if (!body) return []
    if ('error' in body) {
      const isTemporary = body.isTemporary === true && meta.renderFailures + 1 < mostFailures
      return [[meta, { error: body.error, isTemporary }]]
    }
    const { fromName, fromEmail } = meta
    const template = {
      fromName,
      fromEmail,
      subject: lineTemplate(meta.subject),
      html: body.html,
      text: body.text,
      linkIds: body.html.urls.flatMap((url) => links.get(url) ?? []),
    }
    return [[meta, template]]
  })
}

async function bodyOrUnfit(ctx: Ctx, source: { html: string; text: string | null }): Promise<Body | Unfit> {
  try {
    const body = await takeApart(ctx, source)
    return 'fault' in body ? { error: `The ${body.field} of the e-mail ${body.fault}.` } : body
  } catch (error) {
    // Whatever content makes a body fail, it must not be tried for ever; only a queue that is full is no failure of it.
    if (error instanceof Refusal) throw error
    return { error: (error as Error).message.slice(0, 500), isTemporary: true }
  }
}

/** Text that the database takes, whatever bytes were stored. */
function decoded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8').replaceAll('\0', '')
}

/** Counts failures, and forgets those that are over: attempts that fail now and then over the years are no fault. */
async function note(ctx: Ctx, metas: readonly Meta[], bodies: ReadonlyMap<number, Body | Unfit>): Promise<void> {
  const changes = metas.flatMap(
    ({ id, renderFailures, renderError }): { id: number; error: string | null; by: number }[] => {
      const body = bodies.get(id)
      if (!body) return []
      if ('error' in body) {
        const isCounted = body.isTemporary === true
        return isCounted || renderError !== body.error
          ? [{ id, error: body.error, by: isCounted ? 1 : mostFailures }]
          : []
      }
      return renderFailures > 0 || renderError !== null ? [{ id, error: null, by: -renderFailures }] : []
    },
  )
  if (changes.length === 0) return
  await ctx.sql`
    UPDATE email m SET render_failures = least(m.render_failures + x.by, ${mostFailures}::int), render_error = x.error
    FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) AS x(id int, error text, by int)
    WHERE m.account_id = ${ctx.sql.account} AND m.id = x.id`
}

/** About as many characters as it holds. */
function sizeOf({ html, text, subject }: Template): number {
  const parts = [...html.parts, ...[...text, ...subject].flatMap((piece) => piece.parts)]
  return parts.reduce<number>((sum, part) => sum + (typeof part === 'string' ? part.length : 100), 1000)
}
