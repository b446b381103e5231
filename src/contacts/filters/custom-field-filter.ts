import { columnLeaf, existence, type Leaf, memberLeaf, relatedLeaves } from '../../db/filters/conditions.ts'
import { type Field, type Place, problem } from '../../db/filters/filter.ts'
import {
  type DateFilter,
  dateLeaves,
  type NumberFilter,
  numberLeaves,
  type TextFilter,
  textLeaves,
} from '../../db/filters/value-conditions.ts'
import { empty, type Sql, sql, startingWith } from '../../db/sql.ts'
import { idOf } from '../../kernel/values/ids.ts'
import * as customFields from '../custom-fields/custom-fields.ts'

/** Condition on the value of one custom field. The operators must fit the type of the field. */
export interface CustomFieldFilter {
  readonly id: string | number
  readonly text?: Omit<TextFilter, 'exists'> | null | undefined
  readonly number?: NumberFilter | null | undefined
  readonly date?: DateFilter | null | undefined
  readonly flag?: boolean | null | undefined
  readonly exists?: boolean | null | undefined
}

/** The types of custom fields that each kind of condition accepts. */
const accepts = {
  text: ['TEXT', 'SELECT', 'URL'],
  number: ['NUMBER'],
  date: ['DATE'],
  flag: ['BOOLEAN'],
} as const

/** The beginning of a value, as the index contains it: index rows have a maximum size. */
const key = sql`left(lower(v.value), 100)`
/** Length of a text that in lower case is never longer than the key. */
const safeLength = 50

/** Conditions on custom fields, all of which must match. */
export const customFieldValues: Field<'customFields', readonly CustomFieldFilter[]> = {
  kind: 'customFields',
  leaves: async (filters, place) => {
    const leaves = filters.map((filter, index) => leavesOf(filter, { ...place, path: `${place.path}.${index}` }))
    return (await Promise.all(leaves)).flat()
  },
}

async function leavesOf(filter: CustomFieldFilter, place: Place): Promise<Leaf[]> {
  const { ctx, path, isNegated, exclusions } = place
  const { text, number, date } = filter
  const id = idOf('CustomField', filter.id, `${path}.id`)
  const isExcluding = isNegated || filter.exists === false || [text, number, date].some((each) => each?.ne != null)
  if (isExcluding) exclusions.push({ type: 'CustomField', id, path: `${path}.id` })
  const field = await ctx.load(customFields.byId, id)
  for (const [name, types] of Object.entries(accepts)) {
    const isAccepted = field === null || (types as readonly string[]).includes(field.type)
    if (filter[name as keyof typeof accepts] != null && !isAccepted) {
      throw problem(`${path}.${name}`, `is not allowed for a custom field of the type ${field.type}`)
    }
  }
  // A field that was deleted has no values, although the job may not have deleted all of them yet.
  const values = sql`SELECT v.contact_id FROM contact_field v
    WHERE v.account_id = ${ctx.sql.account} AND v.custom_field_id = ${id}::int ${field ? empty : sql`AND false`}`
  return [
    ...relatedLeaves((test) => memberLeaf(place, sql`${values} AND ${test}`), await valueLeaves(filter, place)),
    ...existence(filter.exists, () => memberLeaf(place, values)),
  ]
}

/** Returns the conditions on a value. */
async function valueLeaves({ text, number, date, flag }: CustomFieldFilter, place: Place): Promise<Leaf[]> {
  return [
    ...(text == null ? [] : textLeaves(sql`v.value`, text, { path: `${place.path}.text` }, { equals, hint })),
    ...(number == null ? [] : numberLeaves(sql`v.number`, number)),
    ...(date == null ? [] : await dateLeaves(sql`v.day`, date, { ...place, path: `${place.path}.date` })),
    ...(flag == null ? [] : [columnLeaf(sql`${key} = ${String(flag)}::text`)]),
  ]
}

function equals(value: string): Sql {
  const hasKey = sql`${key} = left(lower(${value}::text), 100)`
  return value.length <= safeLength ? hasKey : sql`(${hasKey} AND lower(v.value) = lower(${value}::text))`
}

function hint(part: string, isStart: boolean): Sql | undefined {
  const beginning = [...part].slice(0, safeLength).join('')
  return isStart ? sql`${key} LIKE lower(${startingWith(beginning)}::text)` : undefined
}
