import { z } from 'zod'
import type { ContactImport } from '../../../prisma/generated/client/client.ts'
import { findHolder } from '../../account/index.ts'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { invalid, refuse, refuseValue } from '../../kernel/errors.ts'
import { holderOf } from '../../kernel/scopes.ts'
import { check, checkAt, sent, text } from '../../kernel/values/check.ts'
import { idOf, largestId } from '../../kernel/values/ids.ts'
import { removeChunks } from '../chunked-jobs.ts'
import { ConsentSource } from '../consents/consents.ts'
import { list as listFields } from '../custom-fields/custom-fields.ts'
import type { ImportRules } from './apply/apply-rows.ts'
import { type ImportEncoding, importEncodings } from './file/encoding.ts'
import { importTable } from './import-list.ts'
import { type ColumnMapping, importFields, resolveTarget } from './rows/columns.ts'
import { consentReadings } from './rows/consent-names.ts'
import { consentMeanings } from './rows/consent-words.ts'
import { type DateOrder, dateOrders } from './rows/dates.ts'
import { endFailedUpload, type FileOptions, importChunks, startImport, storeRows } from './upload.ts'

/** Maximum unfinished imports of an account. */
export const maxOpenImports = 50

/** Time within which the file of an import must be uploaded. */
export const uploadTimeoutMs = 24 * 60 * 60 * 1000

/** Options of an import. Stored as JSON in `contact_import.options`. */
export interface ImportOptions extends ImportRules, FileOptions {
  /** Whether the import waits until its columns were reviewed. If absent, it waits if all contacts of the file have left. */
  readonly review?: boolean | undefined
}

const NewImport = z.object({
  fileName: text(255).default(''),
  updateExisting: z.boolean().default(true),
  emailMarketing: z.boolean().optional(),
  gdpr: z.boolean().optional(),
  encoding: z.enum(importEncodings).optional(),
  dateOrder: z.enum(dateOrders).optional(),
  review: z.boolean().optional(),
  mapping: z
    .array(
      z.object({
        column: text(1000).nullish(),
        position: z.int().min(1).nullish(),
        field: z.enum(importFields).nullish(),
        customFieldId: z.union([z.string(), z.int()]).nullish(),
        reading: z.enum(consentReadings).nullish(),
        values: z
          .array(z.object({ value: text(100), meaning: z.enum(consentMeanings) }))
          .max(100, 'must contain at most 100 values')
          .nullish(),
      }),
    )
    .max(1000, 'must contain at most 1000 columns')
    .default([]),
})

interface ImportInput {
  fileName?: string | null | undefined
  csv?: string | null | undefined
  mapping?: readonly ColumnMapping[] | null | undefined
  encoding?: ImportEncoding | null | undefined
  dateOrder?: DateOrder | null | undefined
  updateExisting?: boolean | null | undefined
  emailMarketing?: boolean | null | undefined
  gdpr?: boolean | null | undefined
  review?: boolean | null | undefined
  consent?: { [Key in keyof ConsentSource]?: ConsentSource[Key] | null | undefined } | null | undefined
  addTagIds?: readonly (string | number)[] | null | undefined
  addSequenceIds?: readonly (string | number)[] | null | undefined
}

/**
 * Creates an import of contacts. Starts it at once if `csv` contains the file, unless it is to be reviewed. Otherwise the import
 * waits for an upload to `uploadUrl`. A job applies the rows as `contacts.upsert` does. `importList.listErrors` returns the
 * errors of rows.
 *
 * **Emits** `contact_import.progress` when it starts. **Throws** VALIDATION_ERROR, also if the file is invalid, and
 * QUOTA_EXCEEDED if the account has 50 unfinished imports.
 */
export async function create(
  ctx: Ctx,
  input: ImportInput,
): Promise<{ contactImport: ContactImport; uploadUrl: string | null }> {
  return inTransaction(ctx, async (tx) => {
    const { id, options, customFields } = await createWaiting(tx, input)
    if (input.csv == null) return { contactImport: await mustExist(tx, id), uploadUrl: uploadUrl(tx, id) }
    const upload = await openUpload(tx, id)
    // Text of a request is decoded already, whatever the encoding of the file was.
    const reading = { ...options, encoding: undefined }
    const file = await storeRows(tx, upload, once(Buffer.from(input.csv)), reading, customFields)
    await startImport(tx, upload, file, options.review)
    return { contactImport: await mustExist(tx, id), uploadUrl: null }
  })
}

/** Creates an import and reads its file from a stream. **Emits** and **throws** the same as `create`. */
export async function createFromStream(
  ctx: Ctx,
  input: Omit<ImportInput, 'csv'>,
  source: AsyncIterable<Uint8Array>,
): Promise<ContactImport> {
  const { id } = await inTransaction(ctx, (tx) => createWaiting(tx, input))
  return receiveFile(ctx, id, source)
}

/** Checks the input and inserts an import that waits for its file. */
async function createWaiting(tx: Ctx, input: ImportInput) {
  const { fileName, mapping, encoding, dateOrder, updateExisting, review, ...agreed } = check(NewImport, sent(input))
  const consent = checkAt('consent', ConsentSource, { source: 'import', ...sent(input.consent ?? {}) })
  const options: ImportOptions = {
    updateExisting,
    agreed: sent(agreed),
    consent,
    mapping,
    encoding,
    dateOrder,
    review,
    tagIds: uniqueIds('Tag', input.addTagIds, 'addTagIds'),
    sequenceIds: uniqueIds('Sequence', input.addSequenceIds, 'addSequenceIds'),
  }
  const customFields = await listFields(tx)
  for (const [index, each] of mapping.entries()) resolveTarget(each, index, customFields)
  return { id: await insert(tx, fileName, options), options, customFields }
}

function uniqueIds(type: string, refs: ImportInput['addTagIds'], field: string): number[] {
  const ids = [...new Set((refs ?? []).map((ref) => idOf(type, ref, field)))]
  if (ids.length > 100) throw invalid({ [field]: ['must contain at most 100 ids'] })
  return ids
}

async function insert(tx: Ctx, fileName: string, options: ImportOptions): Promise<number> {
  const [counted] = await tx.sql<{ n: number }>`
    SELECT count(*)::int AS n FROM contact_import
    WHERE account_id = ${tx.sql.account} AND status IN ('WAITING', 'UPLOADING', 'REVIEW', 'RUNNING')`
  if ((counted?.n ?? 0) >= maxOpenImports)
    throw refuse('QUOTA_EXCEEDED', `An account can have at most ${maxOpenImports} unfinished imports.`)
  const [inserted] = await tx.sql<{ id: number }>`
    INSERT INTO contact_import (account_id, file_name, status, options, created_at)
    VALUES (${tx.sql.account}::int, ${fileName}, 'WAITING', ${JSON.stringify(options)}::jsonb, ${tx.clock.now()}::timestamptz)
    RETURNING id`
  return (inserted as { id: number }).id
}

async function mustExist(tx: Ctx, id: number): Promise<ContactImport> {
  const [row] = await importTable.select(tx, sql`AND i.id = ${id}`)
  if (!row) throw importTable.notFound()
  return row
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Opens an upload, which replaces an unfinished one. **Throws** NOT_FOUND if the import has its file already. */
async function openUpload(ctx: Ctx, id: number): Promise<{ id: number; upload: number }> {
  return inTransaction(ctx, async (tx) => {
    const [opened] = await tx.sql<{ upload: number }>`
      UPDATE contact_import SET status = 'UPLOADING', upload = upload + 1
      WHERE account_id = ${tx.sql.account} AND id = ${id} AND status IN ('WAITING', 'UPLOADING') RETURNING upload`
    if (!opened) throw refuse('NOT_FOUND', 'The import does not accept a file anymore.')
    await removeChunks(tx, importChunks, id)
    return { id, upload: opened.upload }
  })
}

/**
 * Receives the file of an import and enqueues the job that applies its rows.
 *
 * **Emits** `contact_import.progress`. **Throws** NOT_FOUND if the import has its file already, and VALIDATION_ERROR if the
 * file is invalid; the import then fails.
 */
export async function receiveFile(
  ctx: Ctx,
  importId: number,
  source: AsyncIterable<Uint8Array>,
): Promise<ContactImport> {
  const upload = await openUpload(ctx, importId)
  try {
    const options = (await mustExist(ctx, importId)).options as unknown as ImportOptions
    const file = await storeRows(ctx, upload, source, options, await listFields(ctx))
    await startImport(ctx, upload, file, options.review)
  } catch (error) {
    await endFailedUpload(ctx, upload, error)
    throw error
  }
  return mustExist(ctx, importId)
}

/**
 * Starts an import that waits for a review. An import that was started already does not change.
 *
 * **Emits** `contact_import.progress`. **Throws** NOT_FOUND, and INVALID_STATE if the import has no file or has failed.
 */
export async function start(ctx: Ctx, input: { id: string | number }): Promise<{ contactImport: ContactImport }> {
  const id = idOf('ContactImport', input.id, 'id')
  return inTransaction(ctx, async (tx) => {
    const [found] = await importTable.select(tx, sql`AND i.id = ${id} FOR UPDATE`)
    if (!found) throw importTable.notFound('id')
    if (found.status === 'RUNNING' || found.status === 'COMPLETED') return { contactImport: found }
    if (found.status !== 'REVIEW')
      throw refuseValue('id', 'INVALID_STATE', 'Only an import that waits for a review can be started.')
    await tx.sql`UPDATE contact_import SET status = 'RUNNING' WHERE account_id = ${tx.sql.account} AND id = ${id}`
    await importChunks.enqueueRun(tx, id)
    await emit(tx, 'contact_import.progress', { importId: id })
    return { contactImport: { ...found, status: 'RUNNING' } }
  })
}

/** Returns a signed URL for the upload. It is valid for 24 hours, unless the API key is disabled or the session ends before. */
function uploadUrl(ctx: Ctx, id: number): string {
  const expiresAtMs = ctx.clock.now().getTime() + uploadTimeoutMs
  const numbers = [ctx.accountId, id, expiresAtMs].map((part) => part.toString(36)).join('.')
  const parts = `${numbers}.${holderOf(ctx)}`
  return `${ctx.baseUrl()}/i/${parts}.${ctx.signer.sign(`upload ${parts}`)}`
}

/** Returns the import of an upload link, or undefined if the link is invalid or expired, or its API key or session is. */
export async function findByLink(system: System, link: string): Promise<{ ctx: Ctx; importId: number } | undefined> {
  const [, parts, signature] = /^((?:[0-9a-z]{1,9}\.){3}[\w:]{0,30})\.([\w-]{43})$/.exec(link) ?? []
  if (!parts || !signature) return undefined
  if (!system.signer.isSigned(`upload ${parts}`, signature)) return undefined
  const [account, id, until, holder] = parts.split('.') as [string, string, string, string]
  const [accountId, importId, expiresAtMs] = [account, id, until].map((part) => Number.parseInt(part, 36)) as [
    number,
    number,
    number,
  ]
  if (expiresAtMs <= system.clock.now().getTime() || Math.max(accountId, importId) > largestId) return undefined
  const caller = await findHolder(system, { accountId, holder })
  return caller && { ctx: newCtx(system, caller), importId }
}
