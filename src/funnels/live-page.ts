import { type Ctx, newCtx, type System } from '../db/context.ts'
import { sql } from '../db/sql.ts'
import { type Question, questionList } from '../forms/index.ts'
import { largestId } from '../kernel/ids.ts'
import { contentOf, versionKey } from './contents.ts'

/** Where a page is, as its address says. */
export interface PageAddress {
  readonly subdomain: string
  readonly funnelId: number
  readonly path: string
}

/** What is true of a page, but for what it shows: it is read again and again to see whether anything has changed. */
export interface PageMetadata {
  readonly accountId: number
  readonly accountName: string
  readonly zone: string | null
  readonly doubleOptIn: boolean
  readonly trustTypedAddresses: boolean
  readonly funnelId: number
  readonly stepId: number
  readonly formId: number
  readonly path: string
  readonly version: number
  readonly title: string
  readonly description: string
  /** The path of the next step that shows anything; null for the last. */
  readonly next: string | null
  /** Other ones whenever the step, or the form with its questions, is written: two changes may bear the same time. */
  readonly stepState: string
  readonly formState: string
}

/** Addresses name an account by its subdomain: whoever asks is nobody's caller. */
const reason = 'the address of a page names its account'

/** The facts of the page at an address, or undefined where none is published. One small statement. */
export async function findPublishedPage(system: System, address: PageAddress): Promise<PageMetadata | undefined> {
  const { subdomain, funnelId, path } = address
  if (funnelId > largestId) return undefined
  const [facts] = await system.db.$unscoped<PageMetadata>(
    reason,
    sql`SELECT a.id AS "accountId", a.name AS "accountName", a.timezone AS zone, a.double_opt_in AS "doubleOptIn",
        a.trust_typed_addresses AS "trustTypedAddresses",
        p.funnel_id AS "funnelId", p.id AS "stepId", p.form_id AS "formId", p.path, p.published_version AS version,
        coalesce(nullif(p.title, ''), p.name) AS title, p.description, p.xmin::text AS "stepState",
        f.xmin::text AS "formState", (
          SELECT n.path FROM funnel_step n
          WHERE n.account_id = a.id AND n.funnel_id = p.funnel_id AND n.position > p.position
            AND n.published_version IS NOT NULL
          ORDER BY n.position LIMIT 1) AS next
      FROM account a
      JOIN funnel_step p ON p.account_id = a.id AND p.funnel_id = ${funnelId}::int AND p.path = ${path}
      JOIN form f ON f.account_id = a.id AND f.id = p.form_id
      WHERE a.subdomain = ${subdomain} AND p.published_version IS NOT NULL`,
  )
  return facts
}

/** The path of the first page of a funnel that shows anything, or undefined where none does. */
export async function findFirstPath(
  system: System,
  { subdomain, funnelId }: Omit<PageAddress, 'path'>,
): Promise<string | undefined> {
  if (funnelId > largestId) return undefined
  const [first] = await system.db.$unscoped<{ path: string }>(
    reason,
    sql`SELECT p.path FROM account a JOIN funnel_step p ON p.account_id = a.id AND p.funnel_id = ${funnelId}::int
      WHERE a.subdomain = ${subdomain} AND p.published_version IS NOT NULL ORDER BY p.position LIMIT 1`,
  )
  return first?.path
}

/** What a page shows: its document, and the questions of its form. */
export interface PageContent {
  readonly document: unknown
  readonly questions: readonly Question[]
}

/** Reads what a page shows, at the version that its facts name. */
export async function contentAt(system: System, facts: PageMetadata): Promise<PageContent> {
  const ctx: Ctx = newCtx(system, { accountId: facts.accountId })
  const [content, questions] = await Promise.all([
    ctx.load(contentOf, versionKey(facts)),
    ctx.load(questionList.ofForm, facts.formId),
  ])
  return { document: content?.content ?? null, questions }
}
