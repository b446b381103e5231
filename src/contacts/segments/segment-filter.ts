import type { Ctx } from '../../db/context.ts'
import { compileFilter, problem } from '../../db/filters/filter.ts'
import { checkFilter } from '../../db/filters/filter-check.ts'
import { invalid } from '../../kernel/errors.ts'
import { type ContactFilter, contactFilter } from '../filters/contact-filter.ts'

/** Maximum length of a filter as JSON. All filters of the account are read to list the segments of a contact. */
export const maxFilterLength = 50_000

/** The filter of a segment is that of contacts, without other segments. */
const filterOfSegment = {
  ...contactFilter,
  fields: {
    ...contactFilter.fields,
    segments: {
      kind: 'segments',
      leaves: (_value: unknown, { path }: { readonly path: string }) => {
        throw problem(path, 'is not allowed in the filter of a segment')
      },
    },
  },
} as const

/** Checks the filter of a segment. Returns it as it is stored: times are text in JSON. */
export async function checkSegmentFilter(ctx: Ctx, filter: ContactFilter): Promise<object> {
  await checkFilter(ctx, filterOfSegment, filter, 'filter')
  await compileFilter(ctx, filterOfSegment, filter, 'filter')
  const json = JSON.stringify(filter)
  if (json.length > maxFilterLength)
    throw invalid({ filter: [`must have at most ${maxFilterLength} characters as JSON`] }, 'TOO_LONG')
  return JSON.parse(json)
}
