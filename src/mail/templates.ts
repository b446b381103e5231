import { setImmediate as nextTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Ctx } from '../kernel/context.ts'
import { type HtmlTemplate, htmlTemplate } from './html-template.ts'
import { store } from './links.ts'
import { lineTemplate, type TextTemplate, textOf, textTemplate } from './text-template.ts'

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
}

interface Meta {
  id: number
  version: string
  subject: string
  fromName: string
  fromEmail: string
  hasHtml: boolean
}

/** Templates that were made lately: taking a long body apart takes longer than a thousand messages of it. */
const made = new LRUCache<string, Template>({ maxSize: 20_000_000, sizeCalculation: sizeOf })

/** Reads e-mails as templates, by id. Two statements at most, and one to write down the links of those that are new. */
export async function templatesOf(ctx: Ctx, emailIds: readonly number[]): Promise<Map<number, Template | Unfit>> {
  // The row's version, and not when it was changed: two changes may fall into one millisecond.
  const metas = await ctx.sql<Meta>`
    SELECT m.id, concat(m.xmin, ' ', m.updated_at) AS version, m.subject, m.from_name AS "fromName", m.from_email AS "fromEmail",
      m.html_document_id IS NOT NULL AS "hasHtml"
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
    made.set(keyOf(meta), template)
    found.set(meta.id, template)
  }
  return found
}

function faultOf({ subject, fromEmail, hasHtml }: Meta): string | undefined {
  if (subject.trim() === '') return 'The e-mail has no subject.'
  if (fromEmail === '') return 'The e-mail has no sender.'
  return hasHtml ? undefined : 'The e-mail has no content.'
}

async function newTemplates(ctx: Ctx, metas: readonly Meta[]): Promise<[Meta, Template][]> {
  if (metas.length === 0) return []
  const rows = await ctx.sql<{ id: number; html: string; text: string | null }>`
    SELECT m.id, convert_from(h.body, 'UTF8') AS html, convert_from(t.body, 'UTF8') AS text FROM email m
    JOIN document h ON h.account_id = m.account_id AND h.id = m.html_document_id
    LEFT JOIN document t ON t.account_id = m.account_id AND t.id = m.text_document_id
    WHERE m.account_id = ${ctx.sql.account} AND m.id = ANY(${metas.map(({ id }) => id)}::int[])`
  const bodies = new Map<number, { html: HtmlTemplate; text: string }>()
  for (const { id, html, text } of rows) {
    // A long body takes its time: whoever else is served by this process has a turn in between.
    await nextTurn()
    bodies.set(id, { html: htmlTemplate(html), text: text || textOf(html) })
  }
  const urls = [...bodies.values()].flatMap(({ html }) => html.urls)
  const links = await store(ctx, urls)
  return metas.flatMap((meta): [Meta, Template][] => {
    const body = bodies.get(meta.id)
    if (!body) return []
    const { fromName, fromEmail } = meta
    const template = {
      fromName,
      fromEmail,
      subject: lineTemplate(meta.subject),
      html: body.html,
      text: textTemplate(body.text),
      linkIds: body.html.urls.flatMap((url) => links.get(url) ?? []),
    }
    return [[meta, template]]
  })
}

/** About as many characters as it holds. */
function sizeOf({ html, text, subject }: Template): number {
  const parts = [...html.parts, ...[...text, ...subject].flatMap((piece) => piece.parts)]
  return parts.reduce<number>((sum, part) => sum + (typeof part === 'string' ? part.length : 100), 1000)
}
