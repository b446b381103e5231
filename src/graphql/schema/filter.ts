import type { EnumRef, InputFieldRef, InputObjectRef } from '@pothos/core'
import { type Fields, type Filter, type FilterDefinition, filterLimits } from '../../db/filters/filter.ts'
import type { IdFilter, MembershipFilter } from '../../db/filters/filter-fields.ts'
import type { DateFilter, NumberFilter, TextFilter, TimeFilter } from '../../db/filters/value-conditions.ts'
import { maxWords } from '../../db/lists/search.ts'
import { builder, type Schema } from './builder.ts'
import { idsText, scopeText } from './descriptions.ts'
import { periodFields } from './period.ts'

/** Maximum number of conditions of a filter with those of the stored filters that it names. */
export const maxExpandedConditions = filterLimits.expanded

const maxIds = filterLimits.ids.toLocaleString('en')

const missingRule = 'A missing value matches only `ne` and `exists: false`.'

export const TextFilterInput = builder.inputRef<TextFilter>('TextFilterInput').implement({
  description: `Condition on a text. All operators that are set must match. Case-insensitive. ${missingRule}`,
  fields: (t) => ({
    eq: t.string({ description: 'The text is equal to this one.' }),
    ne: t.string({ description: 'The text is not equal to this one, or there is none.' }),
    in: t.stringList({
      description: `The text is equal to one of these. An empty list matches nothing. Maximum ${filterLimits.values} texts.`,
    }),
    contains: t.string({
      description: `The text contains this one, which has at least ${filterLimits.contains} characters.`,
    }),
    startsWith: t.string({ description: 'The text starts with this one.' }),
    endsWith: t.string({
      description: `The text ends with this one, which has at least ${filterLimits.contains} characters.`,
    }),
    exists: t.boolean({ description: 'Whether there is a text that is not empty.' }),
  }),
})

export const NumberFilterInput = builder.inputRef<NumberFilter>('NumberFilterInput').implement({
  description: 'Condition on a number. All operators that are set must match. A missing value matches only `ne`.',
  fields: (t) => ({
    eq: t.field({ type: 'Decimal', description: 'The number is equal to this one.' }),
    ne: t.field({ type: 'Decimal', description: 'The number is not equal to this one, or there is none.' }),
    gt: t.field({ type: 'Decimal', description: 'The number is greater than this one.' }),
    gte: t.field({ type: 'Decimal', description: 'The number is greater than or equal to this one.' }),
    lt: t.field({ type: 'Decimal', description: 'The number is less than this one.' }),
    lte: t.field({ type: 'Decimal', description: 'The number is less than or equal to this one.' }),
  }),
})

const daysRule = `From 1 to ${filterLimits.days.toLocaleString('en')}. A segment evaluates it anew each time.`

export const TimeFilterInput = builder.inputRef<TimeFilter>('TimeFilterInput').implement({
  description: `Condition on a time. All operators that are set must match. ${missingRule}`,
  fields: (t) => ({
    eq: t.field({ type: 'DateTime', description: 'At this time, to the millisecond.' }),
    ne: t.field({ type: 'DateTime', description: 'Not at this time, or there is no time.' }),
    gt: t.field({ type: 'DateTime', description: 'After this time.' }),
    gte: t.field({ type: 'DateTime', description: 'At this time or later.' }),
    lt: t.field({ type: 'DateTime', description: 'Before this time.' }),
    lte: t.field({ type: 'DateTime', description: 'At this time or earlier.' }),
    withinDays: t.int({
      description: `In the last n times 24 hours before the query. ${daysRule}`,
    }),
    beforeDays: t.int({
      description: `More than n times 24 hours before the query. ${daysRule}`,
    }),
    ...periodFields(t),
    exists: t.boolean({ description: 'Whether there is a time, such as that of the first open.' }),
  }),
})

export const DateFilterInput = builder.inputRef<DateFilter>('DateFilterInput').implement({
  description: 'Condition on a calendar day. All operators that are set must match. A missing value matches only `ne`.',
  fields: (t) => ({
    eq: t.field({ type: 'Date', description: 'On this day.' }),
    ne: t.field({ type: 'Date', description: 'Not on this day, or there is no day.' }),
    gt: t.field({ type: 'Date', description: 'After this day.' }),
    gte: t.field({ type: 'Date', description: 'On this day or later.' }),
    lt: t.field({ type: 'Date', description: 'Before this day.' }),
    lte: t.field({ type: 'Date', description: 'On this day or earlier.' }),
    ...periodFields(t),
  }),
})

const IdFilterInput = builder.inputRef<IdFilter>('IdFilterInput').implement({
  description: `Condition on the ID of an object. ${idsText('the objects')} All operators that are set must match. IDs have no order, so there are no bounds.`,
  fields: (t) => ({
    eq: t.id({ description: 'The object has this ID.' }),
    ne: t.id({ description: 'The object has another ID.' }),
    in: t.idList({
      description: `The object has one of these IDs. An empty list matches nothing. Maximum ${maxIds} IDs.`,
    }),
  }),
})

const IdMembershipFilterInput = builder.inputRef<MembershipFilter>('IdMembershipFilterInput').implement({
  description: `Condition on related objects. ${idsText(`objects: at most ${maxIds}`)} All operators that are set must match. No object is related to an unknown ID.`,
  fields: (t) => ({
    all: t.idList({ description: 'Related to all of these. An empty list adds no condition.' }),
    any: t.idList({ description: 'Related to at least one of these. An empty list matches nothing.' }),
    none: t.idList({ description: 'Related to none of these. An empty list adds no condition.' }),
    exists: t.boolean({ description: 'Whether at least one object is related.' }),
  }),
})

type InputBuilder = PothosSchemaTypes.InputFieldBuilder<Schema, 'InputObject'>

/** The input types of the kinds of fields. A module adds its own kinds with `filterKind`. */
const inputTypes = new Map<string, unknown>([
  ['text', TextFilterInput],
  ['number', NumberFilterInput],
  ['search', 'String'],
  ['time', TimeFilterInput],
  ['flag', 'Boolean'],
  ['identity', IdFilterInput],
  ['member', IdMembershipFilterInput],
  ['globalIds', ['ID']],
])

const searchRule = ` A word of fewer than ${filterLimits.contains} characters must begin a word. Maximum ${maxWords} words. Regardless of case and accents.`

/** Describes the order by relevance of a list that can be searched. */
export const relevanceDescription =
  'By the match of `filter.search`, which is required: whole words first, then beginnings of words. The default order of a search of at least 2 characters.'

/** Adds a kind of field: `type` is the input type of its values. The kind of an enum is `enum` and its name. */
export function filterKind<Value>(
  kind: string,
  type: InputObjectRef<Schema, Value> | [InputObjectRef<Schema, Value> | EnumRef<Schema, Value>],
): void {
  inputTypes.set(kind, type)
}

/**
 * Defines the input type of a list's filter from its fields: a description for each, and `and`, `or` and `not`. `noun` is
 * the plural of the rows.
 */
export function filterOf<Given extends Fields>(
  name: string,
  noun: string,
  { fields }: FilterDefinition<Given>,
  descriptions: Readonly<Record<keyof Given, string>>,
): InputObjectRef<Schema, Filter<Given>> {
  const { depth, conditions } = filterLimits
  // The fields are not known to the compiler, so the type is stated by the result.
  const ref = builder.inputRef<object>(name)
  const own = (t: InputBuilder): Record<string, InputFieldRef<Schema, unknown>> =>
    Object.fromEntries(
      Object.entries(fields).map(([field, { kind, needs }]) => {
        const type = inputTypes.get(kind)
        if (!type) throw new Error(`${name}.${field} has the unknown kind ${kind}.`)
        const rule = kind === 'search' ? searchRule : ''
        const scope = needs ? `\n\n${scopeText(needs)}` : ''
        return [field, t.field({ type: type as never, description: `${descriptions[field]}${rule}${scope}` })]
      }),
    )
  const type = ref.implement({
    description: `Filter for ${noun}. All parts that are set must match; null adds no condition. Maximum ${depth} levels of \`and\`, \`or\` and \`not\`, and ${conditions} conditions. A filter that takes longer than 2 seconds to evaluate returns VALIDATION_ERROR.`,
    fields: (t) =>
      ({
        ...own(t as InputBuilder),
        and: t.field({ type: [ref], description: 'All of these match. An empty list adds no condition.' }),
        or: t.field({ type: [ref], description: 'At least one of these matches. An empty list matches nothing.' }),
        not: t.field({ type: ref, description: 'This does not match.' }),
      }) as never,
  })
  return type as unknown as InputObjectRef<Schema, Filter<Given>>
}
