import { type ExportLink, type ExportPage, findHolder } from '../../account/index.ts'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { byteOrderMark, csvText } from '../../db/lists/export.ts'
import { sql } from '../../db/sql.ts'
import { holderOf, mustBeAllowed } from '../../kernel/scopes.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { paced } from '../../kernel/work/pacing.ts'
import { importTable } from './import-list.ts'
import type { Column } from './rows/columns.ts'

/** Validity of a link. */
const linkTtlMs = 60 * 60 * 1000

const purpose = 'failed rows of an import'

/** A page has at most this many rows, and about as many characters. */
const pageRows = 100
const pageLength = 2 * 1024 * 1024

type LinkContent = [accountId: number, holder: string, until: number, importId: number]

/**
 * Creates a link to a CSV file with the rows of an import that were not applied. It is valid for one hour, as long as the key
 * is active and the import exists. **Throws** FORBIDDEN and NOT_FOUND.
 */
export async function linkTo(ctx: Ctx, importId: string | number): Promise<ExportLink> {
  mustBeAllowed(ctx, 'contacts:read')
  const [found] = await importTable.select(ctx, sql`AND i.id = ${idOf('ContactImport', importId, 'importId')}`)
  if (!found) throw importTable.notFound('importId')
  const expiresAt = new Date(ctx.clock.now().getTime() + linkTtlMs)
  const content: LinkContent = [ctx.accountId, holderOf(ctx), expiresAt.getTime(), found.id]
  return { url: `${ctx.baseUrl()}/d/import-rows.${ctx.signer.seal(purpose, JSON.stringify(content))}`, expiresAt }
}

/**
 * Finds the file of a link. Returns undefined if the link is invalid or expired, its key is disabled, or the import was deleted.
 */
export async function findByLink(
  system: System,
  token: string,
): Promise<{ name: string; text: () => AsyncGenerator<ExportPage> } | undefined> {
  const opened = system.signer.unseal(purpose, token)
  if (opened === undefined) return undefined
  const [accountId, holder, until, importId] = JSON.parse(opened) as LinkContent
  if (until <= system.clock.now().getTime()) return undefined
  const caller = await findHolder(system, { accountId, holder })
  if (!caller) return undefined
  const ctx = newCtx(system, caller)
  const [found] = await importTable.select(ctx, sql`AND i.id = ${importId}`)
  if (!found) return undefined
  const columns = (found.columns as unknown as Column[]).map(({ column }) => column)
  return {
    name: `import-${importId}-failed-rows.csv`,
    text: () => paced(system.pacing, (work) => writeRows({ ...ctx, work }, importId, columns)),
  }
}

interface FailedRow {
  readonly line: number
  readonly id: string
  readonly cells: string
  readonly reason: string
}

/**
 * Writes the failed rows in the order of their lines: the line, the reasons, and the original cells. The first two columns have
 * names of no field, so that the corrected file can be imported.
 */
async function* writeRows(ctx: Ctx, importId: number, columns: readonly string[]): AsyncGenerator<ExportPage> {
  const header = ['error_line', 'error_reason', ...columns].map(csvText).join(',')
  yield { parts: [Buffer.from(`${byteOrderMark}${header}\r\n`)], rows: 0 }
  let [line, id] = [0, '0']
  for (;;) {
    const rows = await readPage(ctx, importId, line, id)
    const last = rows.at(-1)
    if (!last) return
    yield { parts: [Buffer.from(rows.map((row) => toLine(row, columns.length)).join(''))], rows: rows.length }
    line = last.line
    id = last.id
  }
}

/** Returns the line of a row. The row is stored without the empty cells at its end. */
function toLine({ line, cells, reason }: FailedRow, width: number): string {
  const stored = JSON.parse(cells) as string[]
  const absent = new Array<string>(Math.max(width - stored.length, 0)).fill('')
  return `${[String(line), reason, ...stored, ...absent].map(csvText).join(',')}\r\n`
}

async function readPage(ctx: Ctx, importId: number, line: number, id: string): Promise<FailedRow[]> {
  return ctx.sql<FailedRow>`
    SELECT p.line, p.id::text AS id, p.cells, (
      SELECT string_agg(CASE WHEN m."column" = '' THEN m.message ELSE m."column" || ': ' || m.message END, '; ' ORDER BY m.id)
      FROM contact_import_error m WHERE m.account_id = ${ctx.sql.account} AND m.import_id = ${importId}::int AND m.line = p.line
        AND m.severity = 'ERROR') AS reason
    FROM (
      SELECT e.line, e.id, e.cells, sum(length(e.cells)) OVER (ORDER BY e.line, e.id) - length(e.cells) AS before FROM (
        SELECT f.line, f.id, f.cells FROM contact_import_error f
        WHERE f.account_id = ${ctx.sql.account} AND f.import_id = ${importId}::int AND f.cells IS NOT NULL
          AND (f.line, f.id) > (${line}::int, ${id}::bigint)
        ORDER BY f.line, f.id LIMIT ${pageRows}::int) e) p
    WHERE p.before < ${pageLength}::int ORDER BY p.line, p.id`
}
