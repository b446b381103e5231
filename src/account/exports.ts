import { type Ctx, newCtx, type System } from '../db/context.ts'
import { type Export, type ExportFormat, exportText, type Stretch } from '../db/export.ts'
import { preserve, revive } from '../db/idempotency.ts'
import { invalid } from '../kernel/errors.ts'
import { largestId } from '../kernel/ids.ts'
import { mustBeAllowed } from '../kernel/scopes.ts'
import { liveAmong } from './api-keys.ts'

export type { Stretch }

/** How long a link to an export is good. */
const linkMilliseconds = 60 * 60 * 1000

/** A link carries its filter, and no server takes an address of any length. */
const longestFilter = 4_000

/** The lists that can be taken away whole, by name. */
export type Exports = Readonly<Record<string, Export>>

export interface ExportLink {
  readonly url: string
  readonly expiresAt: Date
}

/**
 * A link under which a list can be taken away whole, for an hour and as long as the key is good: an absolute URL, signed.
 * Fails with FORBIDDEN where the key may not read the list, and with what the list refuses in a filter.
 */
export async function linkTo(
  ctx: Ctx,
  exports: Exports,
  { list, format, filter }: { list: string; format: ExportFormat; filter: object },
): Promise<ExportLink> {
  const definition = exports[list]
  if (!definition) throw invalid({ list: [`must be one of: ${Object.keys(exports).join(', ')}`] })
  for (const need of definition.needs) mustBeAllowed(ctx, need)
  if (!ctx.signer) throw new Error('Links are made where they are served.')
  await definition.list.where(filter, ctx)
  const given = preserve(filter)
  if (JSON.stringify(given).length > longestFilter) throw invalid({ filter: ['is too long for a link'] })
  const expiresAt = new Date(ctx.clock.now().getTime() + linkMilliseconds)
  const content = [ctx.accountId, ctx.keyId ?? 0, expiresAt.getTime(), list, format, given]
  const payload = Buffer.from(JSON.stringify(content)).toString('base64url')
  return { url: `${ctx.baseUrl?.() ?? ''}/d/export.${payload}.${ctx.signer.sign(`export ${payload}`)}`, expiresAt }
}

/** An export that is asked for: what to call it, and its text. */
export interface Asked {
  readonly name: string
  readonly contentType: string
  text(): AsyncGenerator<Stretch>
}

/** The export of a link, for whoever holds it; undefined where the link or its key is no longer good. */
export async function ofLink(system: System, exports: Exports, link: string): Promise<Asked | undefined> {
  const [, payload, signature] = /^export\.([\w-]+)\.([\w-]{43})$/.exec(link) ?? []
  if (!payload || !signature || !system.signer?.isSigned(`export ${payload}`, signature)) return undefined
  const [accountId, keyId, until, list, format, filter] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [
    number,
    number,
    number,
    string,
    ExportFormat,
    unknown,
  ]
  const definition = exports[list]
  if (!definition || until <= system.clock.now().getTime() || accountId > largestId) return undefined
  if (keyId > 0 && !(await liveAmong(system, [{ accountId, keyId }])).has(keyId)) return undefined
  return {
    name: `${list.toLowerCase()}.${format.toLowerCase()}`,
    contentType: format === 'CSV' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson; charset=utf-8',
    text: () => exportText(newCtx(system, { accountId }), definition, { format, filter: revive(filter) }),
  }
}
