import { brands } from '../../content/index.ts'
import type { PageStyle } from '../../content/rendering.ts'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { type Question, questionList } from '../../forms/index.ts'
import { largestId } from '../../kernel/values/ids.ts'
import { contentOf, versionKey } from '../content/contents.ts'

/** Address of a page: subdomain of the account, id of the funnel, and path of the step. */
export interface PageAddress {
  readonly subdomain: string
  readonly funnelId: number
  readonly path: string
}

/** Metadata of a published page, without its content. Small, because the page store loads it often to detect changes. */
export interface PageMetadata {
  readonly accountId: number
  readonly accountName: string
  readonly zone: string | null
  readonly doubleOptIn: boolean
  readonly trustTypedAddresses: boolean
  /** Whether the account refuses e-mail addresses of any domain. */
  readonly refusesDomains: boolean
  readonly funnelId: number
  readonly stepId: number
  readonly formId: number
  readonly path: string
  readonly version: number
  readonly title: string
  readonly description: string
  /** Path of the next published step. Null for the last. */
  readonly next: string | null
  /** Transaction ids (`xmin`) of the step and the form. They detect changes that have the same timestamp. */
  readonly stepState: string
  readonly formState: string
  /** Transaction id and time of the last change of the brand. Null if the account has none. */
  readonly brandState: string | null
}

/** Reason for the queries without an account: visitors are not authenticated, and the address contains only a subdomain. */
const unscopedReason = 'the address of a page contains the subdomain of its account'

/** Loads the metadata of the page at an address in one statement. Returns undefined if no page is published there. */
export async function findPublishedPage(system: System, address: PageAddress): Promise<PageMetadata | undefined> {
  const { subdomain, funnelId, path } = address
  if (funnelId > largestId) return undefined
  const [metadata] = await system.db.$unscoped<PageMetadata>(
    unscopedReason,
    sql`SELECT a.id AS "accountId", a.name AS "accountName", a.timezone AS zone, a.double_opt_in AS "doubleOptIn",
        a.trust_typed_addresses AS "trustTypedAddresses", a.refused_domains <> '{}' AS "refusesDomains",
        p.funnel_id AS "funnelId", p.id AS "stepId", p.form_id AS "formId", p.path, p.published_version AS version,
        coalesce(nullif(p.title, ''), p.name) AS title, p.description, p.xmin::text AS "stepState",
        f.xmin::text AS "formState", b.xmin::text || b.updated_at AS "brandState", (
          SELECT n.path FROM funnel_step n
          WHERE n.account_id = a.id AND n.funnel_id = p.funnel_id AND n.position > p.position
            AND n.published_version IS NOT NULL
          ORDER BY n.position LIMIT 1) AS next
      FROM account a
      JOIN funnel_step p ON p.account_id = a.id AND p.funnel_id = ${funnelId}::int AND p.path = ${path}
      JOIN funnel u ON u.account_id = a.id AND u.id = p.funnel_id AND u.archived_at IS NULL
      JOIN form f ON f.account_id = a.id AND f.id = p.form_id
      LEFT JOIN brand b ON b.account_id = a.id
      WHERE a.subdomain = ${subdomain} AND p.published_version IS NOT NULL`,
  )
  return metadata
}

/** Returns the path of the first published page of a funnel, or undefined if no page is published. */
export async function findFirstPath(
  system: System,
  { subdomain, funnelId }: Omit<PageAddress, 'path'>,
): Promise<string | undefined> {
  if (funnelId > largestId) return undefined
  const [first] = await system.db.$unscoped<{ path: string }>(
    unscopedReason,
    sql`SELECT p.path FROM account a JOIN funnel_step p ON p.account_id = a.id AND p.funnel_id = ${funnelId}::int
      JOIN funnel u ON u.account_id = a.id AND u.id = p.funnel_id AND u.archived_at IS NULL
      WHERE a.subdomain = ${subdomain} AND p.published_version IS NOT NULL ORDER BY p.position LIMIT 1`,
  )
  return first?.path
}

/** Content of a page: its document, and the questions of its form. */
interface PageContent {
  readonly document: unknown
  readonly questions: readonly Question[]
  readonly brand: PageStyle | null
}

/** Loads the content of a page, in the version of its metadata. */
export async function contentAt(system: System, metadata: PageMetadata): Promise<PageContent> {
  const ctx: Ctx = newCtx(system, { accountId: metadata.accountId })
  const [content, questions, brand] = await Promise.all([
    ctx.load(contentOf, versionKey(metadata)),
    ctx.load(questionList.ofForm, metadata.formId),
    metadata.brandState === null ? null : brands.pageStyleOf(ctx),
  ])
  return { document: content?.content ?? null, questions, brand }
}
