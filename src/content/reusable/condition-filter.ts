import { contactConditions, type contactFilters } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { contentError, faultAt } from '../blocks/json-input.ts'

/**
 * Reads the filter of a section or block, `showTo`, whose path in the document is `path`. **Throws** VALIDATION_ERROR for the
 * input field `content`, and FORBIDDEN for a condition whose scope the key lacks.
 */
export async function readCondition(ctx: Ctx, filter: object, path: string): Promise<contactFilters.ContactFilter> {
  try {
    return await contactConditions.readFilter(ctx, filter, path)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'VALIDATION_ERROR') throw error
    throw contentError(error.fields.map((fault) => faultAt(fault.path, fault.message)))
  }
}
