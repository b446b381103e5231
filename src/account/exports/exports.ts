import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { type Export, type ExportFormat, type ExportPage, exportCount, exportText } from '../../db/lists/export.ts'
import { preserve, revive } from '../../db/requests/idempotency.ts'
import { invalid, Refusal } from '../../kernel/errors.ts'
import { holderOf, mustBeAllowed } from '../../kernel/scopes.ts'
import { largestId } from '../../kernel/values/ids.ts'
import { paced } from '../../kernel/work/pacing.ts'
import { findHolder } from '../admission/holders.ts'

export type { ExportPage }

/** Validity of a link to an export. */
const linkTtlMs = 60 * 60 * 1000

/** Maximum length of the filter as JSON. The link contains the filter, and servers limit the length of a URL. */
const maxFilterLength = 4_000

/** Lists that can be exported, by name. */
export type Exports = Readonly<Record<string, Export>>

export interface ExportLink {
  readonly url: string
  readonly expiresAt: Date
}

/**
 * Creates a signed absolute URL for the export of a list. With `hasMark`, a CSV file begins with a byte order mark. The link is
 * valid for one hour, as long as the key is active.
 *
 * **Throws** FORBIDDEN if the key has no access to the list or the filter, and VALIDATION_ERROR for an unknown list, an invalid
 * filter, and a filter that takes longer than 10 seconds to evaluate.
 */
export async function linkTo(
  ctx: Ctx,
  exports: Exports,
  {
    list,
    format,
    filter,
    filterPath,
    hasMark = false,
  }: { list: string; format: ExportFormat; filter: object; filterPath?: string; hasMark?: boolean },
): Promise<ExportLink> {
  const definition = exports[list]
  if (!definition) throw invalid({ list: [`must be one of: ${Object.keys(exports).join(', ')}`] })
  if (hasMark && format !== 'CSV') throw invalid({ byteOrderMark: ['must be false unless the format is CSV'] })
  for (const need of definition.needs) mustBeAllowed(ctx, need)
  const conditions = await definition.list.where(filter, ctx, filterPath)
  // A filter that takes too long is refused here, because a download that has begun can only be closed.
  if (definition.list.isLimited(filter) && conditions.length > 0) await exportCount(ctx, definition, filter)
  const preserved = preserve(filter)
  if (JSON.stringify(preserved).length > maxFilterLength)
    throw invalid({ filter: [`must have at most ${maxFilterLength} characters as JSON`] })
  const expiresAt = new Date(ctx.clock.now().getTime() + linkTtlMs)
  const content = [ctx.accountId, holderOf(ctx), expiresAt.getTime(), list, format, preserved, hasMark]
  const payload = Buffer.from(JSON.stringify(content)).toString('base64url')
  return { url: `${ctx.baseUrl()}/d/export.${payload}.${ctx.signer.sign(`export ${payload}`)}`, expiresAt }
}

/** An export to serve. `text` reads the list page by page, and pauses between pages while requests are served. */
interface ExportFile {
  readonly accountId: number
  /** Share of COST_LIMIT_PER_MINUTE that the plan of the account allows, from 0 to 1. */
  readonly costShare: number
  readonly name: string
  readonly contentType: string
  text(): AsyncGenerator<ExportPage>
}

/**
 * Finds the export of a link. Returns undefined if the link is invalid or expired, or if its key is disabled or may no longer use
 * the filter.
 */
export async function findByLink(system: System, exports: Exports, link: string): Promise<ExportFile | undefined> {
  const [, payload, signature] = /^export\.([\w-]+)\.([\w-]{43})$/.exec(link) ?? []
  if (!payload || !signature || !system.signer.isSigned(`export ${payload}`, signature)) return undefined
  const [accountId, holder, until, list, format, filter, hasMark] = JSON.parse(
    Buffer.from(payload, 'base64url').toString(),
  ) as [number, string, number, string, ExportFormat, unknown, boolean]
  const definition = exports[list]
  if (!definition || until <= system.clock.now().getTime() || accountId > largestId) return undefined
  const caller = await findHolder(system, { accountId, holder })
  if (!caller) return undefined
  const ctx = newCtx(system, caller)
  const revived = revive(filter)
  // A segment in the filter may have got conditions whose scopes the key lacks.
  if (!(await isUsable(ctx, definition, revived))) return undefined
  // A download takes long and only reads.
  const db = (await system.replicas?.currentClient()) ?? system.db
  const reader = newCtx({ ...system, db }, caller)
  return {
    accountId,
    costShare: 'costShare' in caller ? caller.costShare : 1,
    name: `${list.toLowerCase()}.${format.toLowerCase()}`,
    contentType: format === 'CSV' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson; charset=utf-8',
    text: () =>
      paced(system.pacing, (work) => exportText({ ...reader, work }, definition, { format, filter: revived, hasMark })),
  }
}

async function isUsable(ctx: Ctx, { list }: Export, filter: unknown): Promise<boolean> {
  try {
    await list.where(filter, ctx)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}
