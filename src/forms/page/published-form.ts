import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { largestId } from '../../kernel/values/ids.ts'
import type { Absences } from '../../kernel/work/absences.ts'
import { type Form, formTable } from '../form/form-list.ts'

/** A form that accepts submissions, with the context of its account. */
export interface PublishedForm {
  readonly ctx: Ctx
  readonly form: Form
}

/**
 * Returns the published form with the ID in `segment`, a segment of a URL path; undefined if there is none, which `absences`
 * remembers.
 */
export async function findPublishedForm(
  system: System,
  absences: Absences,
  segment: string,
): Promise<PublishedForm | undefined> {
  const id = /^[1-9]\d{0,9}$/.test(segment) ? Number(segment) : 0
  if (id < 1 || id > largestId) return undefined
  const name = `form ${id}`
  if (absences.isAbsent(name)) return undefined
  const form = await absences.lookUp(name, async () => {
    const [found] = await system.db.$unscoped<Form>(
      'The URL of a form does not contain its account.',
      sql`SELECT ${formTable.columns} FROM form f WHERE f.id = ${id}::int AND f.status = 'PUBLISHED' ORDER BY f.account_id LIMIT 1`,
    )
    return found
  })
  return form && { ctx: newCtx(system, { accountId: form.accountId, actor: { kind: 'VISITOR' } }), form }
}
