import type { Ctx } from '../../db/context.ts'
import type { Page } from '../../db/lists/list.ts'
import { lazyContent, perParent } from '../../db/lists/pages.ts'
import { isMoment } from '../../db/lists/places.ts'
import { join, sql } from '../../db/sql.ts'
import { invalid } from '../../kernel/errors.ts'
import { may, mustBeAllowed } from '../../kernel/scopes.ts'
import { identityOf, type PageArgs, type PageRequest, readCursor, readPage } from '../../kernel/values/page.ts'
import { ports, type TimelineSource } from '../ports.ts'
import { entriesOf, type TimelineEntry, type TimelinePlace } from './entries.ts'

/** Arguments of a timeline. */
interface TimelineArgs extends Pick<PageArgs, 'first' | 'after'> {
  /** Types of entries. Defaults to all that the key may read. */
  readonly types?: readonly string[] | null | undefined
}

/** A page of a timeline, newest entries first. */
export type Timeline = Pick<Page<TimelineEntry>, 'content'>

/**
 * Returns what happened to a contact, newest first. Timelines that are requested in the same tick are read in one statement.
 *
 * **Throws** FORBIDDEN if the key may not read one of `types`, and VALIDATION_ERROR for invalid arguments.
 */
export function timelineOf(ctx: Ctx, contact: { readonly id: number }, { types, ...args }: TimelineArgs): Timeline {
  const sources = sourcesOf(ctx, types)
  const identity = identityOf('timeline', [...sources.keys()])
  const page = readPage(args, (...given) => readCursor(identity, ...given))
  const after = placeOf(page)
  const limit = page.size + 1
  const entries = perParent<number, TimelineEntry & { place: string }>(
    `timeline ${identityOf(identity, args)}`,
    (batchCtx, ids) => {
      const each = [...sources].map(
        ([type, source]) => sql`SELECT * FROM (${entriesOf(batchCtx, type, source, { after, limit })}) entry`,
      )
      return batchCtx.sql<TimelineEntry & { place: string; parent: number }>`
        SELECT parent.id AS parent, page.type, page."occurredAt", page.id, page.data,
          to_char(page."occurredAt" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '/' || page.rank AS place
        FROM unnest(${ids}::int[]) AS parent(id) CROSS JOIN LATERAL (
          SELECT entry.* FROM (${join(each, ' UNION ALL ')}) entry
          ORDER BY entry."occurredAt" DESC, entry.rank DESC, entry.id DESC LIMIT ${limit}::int
        ) page`
    },
  )
  return {
    content: lazyContent(() => ctx.load(entries, contact.id), { page, identity: () => identity, fields: ['place'] }),
  }
}

/** Returns the sources of the types that are requested, or of all that the key may read, in the order of their declaration. */
function sourcesOf(ctx: Ctx, types: readonly string[] | null | undefined): ReadonlyMap<string, TimelineSource> {
  if (types?.length === 0) throw invalid({ types: ['must contain at least one type, or be absent'] }, 'REQUIRED')
  const requested = types && new Set(types)
  const sources = Object.entries(ports.timeline).filter(([type, { needs }]) =>
    requested ? requested.has(type) : may(ctx, needs),
  )
  for (const [, { needs }] of sources) mustBeAllowed(ctx, needs)
  return new Map(sources)
}

/** Reads the position of a cursor. Throws VALIDATION_ERROR if a client has changed it. */
function placeOf({ from }: PageRequest): TimelinePlace | undefined {
  if (!from) return undefined
  const [at = '', rank = ''] = from.value.split('/')
  if (!isMoment(at) || !/^\d{1,3}$/.test(rank) || from.value !== `${at}/${Number(rank)}`)
    throw invalid({ after: ['must be a cursor of this list'] })
  return { at, rank: Number(rank), id: from.id }
}
