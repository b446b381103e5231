import { z } from 'zod'
import type { ContactImport } from '../../prisma/generated/client/client.ts'
import { apiKeys } from '../account/index.ts'
import { type Ctx, newCtx, type System } from '../db/context.ts'
import { inTransaction } from '../db/transaction.ts'
import { check, sent, text } from '../kernel/check.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import { idOf, largestId } from '../kernel/ids.ts'
import { ConsentSource } from './consents.ts'
import { list as listFields } from './custom-fields.ts'
import type { ImportRules } from './import-apply.ts'
import { importFields, type Mapping, targetOf } from './import-columns.ts'
import { importColumns } from './import-list.ts'
import { begin, dropRows, giveUp, keep } from './import-store.ts'

/** How many imports of an account can be open at a time. */
export const mostOpen = 50

/** How long a file can be sent in. */
export const uploadMilliseconds = 24 * 60 * 60 * 1000

/** What is kept of what a client asked for. */
export interface ImportOptions extends ImportRules {
  readonly mapping: readonly Mapping[]
}

const NewImport = z.object({
  fileName: text(255).default(''),
  updateExisting: z.boolean().default(true),
  emailMarketing: z.boolean().optional(),
  gdpr: z.boolean().optional(),
  mapping: z
    .array(
      z.object({
        column: text(1000),
        field: z.enum(importFields).nullish(),
        customFieldId: z.union([z.string(), z.int()]).nullish(),
      }),
    )
    .max(1000, 'must have 1000 columns at most')
    .default([]),
})

export interface ImportInput {
  fileName?: string | null | undefined
  csv?: string | null | undefined
  mapping?: readonly Mapping[] | null | undefined
  updateExisting?: boolean | null | undefined
  emailMarketing?: boolean | null | undefined
  gdpr?: boolean | null | undefined
  consent?: { [Key in keyof ConsentSource]?: ConsentSource[Key] | null | undefined } | null | undefined
  tagIds?: readonly (string | number)[] | null | undefined
  sequenceIds?: readonly (string | number)[] | null | undefined
}

/**
 * Prepares an import of contacts. With the file in `csv` it begins at once; without, it waits for the file at
 * `uploadUrl`. What the file says is applied by a job, row by row as `contacts.upsert` would; what is wrong with a row is told
 * by `importList.errorsOf`.
 *
 * Fails with VALIDATION_ERROR, also for a file that is broken, and with QUOTA_EXCEEDED where too many imports are open.
 */
export async function create(
  ctx: Ctx,
  input: ImportInput,
): Promise<{ contactImport: ContactImport; uploadUrl: string | null }> {
  return inTransaction(ctx, async (tx) => {
    const { id, mapping, customFields } = await prepare(tx, input)
    if (input.csv == null) return { contactImport: await read(tx, id), uploadUrl: uploadUrl(tx, id) }
    const upload = { id, upload: await open(tx, id) }
    await begin(tx, upload, await keep(tx, upload, once(Buffer.from(input.csv)), { mapping, customFields }))
    return { contactImport: await read(tx, id), uploadUrl: null }
  })
}

/** The same for a file that lies at hand: it is taken as `receive` does. */
export async function createFrom(
  ctx: Ctx,
  input: Omit<ImportInput, 'csv'>,
  source: AsyncIterable<Uint8Array>,
): Promise<ContactImport> {
  const { id } = await inTransaction(ctx, (tx) => prepare(tx, input))
  return receive(ctx, id, source)
}

/** Writes down what is asked for. */
async function prepare(tx: Ctx, input: ImportInput) {
  const { fileName, mapping, updateExisting, ...agreed } = check(NewImport, sent(input))
  const consent = check(ConsentSource, { source: 'import', ...sent(input.consent ?? {}) })
  const ids = (type: string, given: ImportInput['tagIds'], field: string) => {
    const all = [...new Set((given ?? []).map((id) => idOf(type, id, field)))]
    if (all.length > 100) throw invalid({ [field]: ['must have 100 ids at most'] })
    return all
  }
  const options: ImportOptions = {
    updateExisting,
    agreed: sent(agreed),
    consent,
    mapping,
    tagIds: ids('Tag', input.tagIds, 'tagIds'),
    sequenceIds: ids('Sequence', input.sequenceIds, 'sequenceIds'),
  }
  const customFields = await listFields(tx)
  for (const each of mapping) targetOf(each, customFields)
  return { id: await insert(tx, fileName, options), mapping, customFields }
}

async function insert(tx: Ctx, fileName: string, options: ImportOptions): Promise<number> {
  const [counted] = await tx.sql<{ n: number }>`
    SELECT count(*)::int AS n FROM contact_import
    WHERE account_id = ${tx.sql.account} AND status IN ('WAITING', 'UPLOADING', 'RUNNING')`
  if ((counted?.n ?? 0) >= mostOpen) throw refuse('QUOTA_EXCEEDED', `There can be ${mostOpen} imports at a time.`)
  const [made] = await tx.sql<{ id: number }>`
    INSERT INTO contact_import (account_id, file_name, status, options, created_at)
    VALUES (${tx.sql.account}::int, ${fileName}, 'WAITING', ${JSON.stringify(options)}::jsonb, ${tx.clock.now()}::timestamptz)
    RETURNING id`
  return (made as { id: number }).id
}

async function read(tx: Ctx, id: number): Promise<ContactImport> {
  const [row] = await tx.sql<ContactImport>`
    SELECT ${importColumns} FROM contact_import i WHERE i.account_id = ${tx.sql.account} AND i.id = ${id}`
  if (!row) throw refuse('NOT_FOUND', 'There is no such import.')
  return row
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Opens an import for its file, which takes the place of one that is on its way. Fails with NOT_FOUND. */
async function open(ctx: Ctx, id: number): Promise<number> {
  return inTransaction(ctx, async (tx) => {
    const [opened] = await tx.sql<{ upload: number }>`
      UPDATE contact_import SET status = 'UPLOADING', upload = upload + 1
      WHERE account_id = ${tx.sql.account} AND id = ${id} AND status IN ('WAITING', 'UPLOADING') RETURNING upload`
    if (!opened) throw refuse('NOT_FOUND', 'This import takes no file any more.')
    await dropRows(tx, id)
    return opened.upload
  })
}

/** Takes the file of an import, whose rows are then applied by a job. Fails with NOT_FOUND, and with VALIDATION_ERROR for a broken file. */
export async function receive(ctx: Ctx, importId: number, source: AsyncIterable<Uint8Array>): Promise<ContactImport> {
  const upload = { id: importId, upload: await open(ctx, importId) }
  try {
    const { mapping } = (await read(ctx, importId)).options as unknown as ImportOptions
    await begin(ctx, upload, await keep(ctx, upload, source, { mapping, customFields: await listFields(ctx) }))
  } catch (error) {
    await giveUp(ctx, upload, error)
    throw error
  }
  return read(ctx, importId)
}

/** Where the file goes: an address that is good for a day, as long as the key is. */
function uploadUrl(ctx: Ctx, id: number): string {
  if (!ctx.signer) throw new Error('Links are made where they are served.')
  const until = ctx.clock.now().getTime() + uploadMilliseconds
  const parts = [ctx.accountId, id, ctx.keyId ?? 0, until].map((part) => part.toString(36)).join('.')
  return `${ctx.baseUrl?.() ?? ''}/i/${parts}.${ctx.signer.sign(`import ${parts}`)}`
}

/** The import that a link leads to, for whoever holds it; undefined where the link or its key is no longer good. */
export async function ofLink(system: System, link: string): Promise<{ ctx: Ctx; importId: number } | undefined> {
  const [, parts, signature] = /^((?:[0-9a-z]{1,9}\.){3}[0-9a-z]{1,9})\.([\w-]{43})$/.exec(link) ?? []
  if (!parts || !signature || !system.signer?.isSigned(`import ${parts}`, signature)) return undefined
  const [accountId = 0, importId = 0, keyId = 0, until = 0] = parts.split('.').map((part) => Number.parseInt(part, 36))
  if (until <= system.clock.now().getTime() || Math.max(accountId, importId, keyId) > largestId) return undefined
  if (keyId > 0 && !(await apiKeys.findActive(system, [{ accountId, keyId }])).has(keyId)) return undefined
  return { ctx: newCtx(system, { accountId, ...(keyId > 0 && { keyId }) }), importId }
}
