import type { AttributionKey } from '../../contacts/index.ts'
import { contactFilters } from '../../contacts/index.ts'
import { columnLeaf, existence, relatedLeaves } from '../../db/filters/conditions.ts'
import type { Field, Maybe } from '../../db/filters/filter.ts'
import { type TextFilter, textLeaves } from '../../db/filters/value-conditions.ts'
import { type Sql, sql } from '../../db/sql.ts'

/** Condition on the value of one attribution parameter. */
export interface AttributionFilter {
  readonly key: AttributionKey
  readonly value?: Maybe<TextFilter>
}

/** Conditions on a column with attribution, all of which must match. */
export function attributionPairs(column: Sql): Field<'attribution', readonly AttributionFilter[]> {
  return {
    kind: 'attribution',
    leaves: (pairs, { path }) =>
      pairs.flatMap(({ key, value }, index) =>
        value == null ? [] : textLeaves(sql`(${column} ->> ${key}::text)`, value, { path: `${path}.${index}.value` }),
      ),
  }
}

/** The e-mail address of the contact of a submission. A contact that was deleted has none. */
export const contactEmail: Field<'text', TextFilter> = {
  kind: 'text',
  needs: 'contacts:read',
  leaves: async ({ exists, ...value }, place) => {
    const { fields, from } = contactFilters.contactFilter
    const ofContact = (test: Sql) => columnLeaf(sql`s.contact_id IN (SELECT c.id ${from(place.ctx)} AND ${test})`)
    const leaves = await fields.email.leaves(value, place)
    return [...relatedLeaves(ofContact, leaves), ...existence(exists, () => ofContact(sql`true`))]
  },
}
