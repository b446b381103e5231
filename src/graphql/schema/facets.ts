import type { FieldMap } from '@pothos/core'
import { type Facet, type FacetArgs, type FacetValue, facetLimits } from '../../db/lists/facets.ts'
import type { Page } from '../../db/lists/list.ts'
import { builder, type Schema } from './builder.ts'

/** The facets of a list: descriptions by field, and the argument of those that are about an object. */
export interface FacetTypes<Field extends string> {
  readonly fields: Readonly<Record<Field, string>>
  readonly object?: { readonly argument: string; readonly description: string }
}

const FacetValueType = builder.objectRef<FacetValue>('FacetValue').implement({
  description: 'A value of a field, and the number of elements of the list that have it.',
  fields: (t) => ({
    value: t.exposeString('value', {
      description: 'Value as filters accept it. Spellings that differ in case are one value.',
    }),
    label: t.exposeString('label', { description: 'Text to show for the value, such as the name of a tag.' }),
    count: t.exposeInt('count', { description: 'Number of elements with the value.' }),
  }),
})

const rows = facetLimits.rows.toLocaleString('en')

const FacetType = builder.objectRef<Facet>('Facet').implement({
  description: 'The values of a field of the elements of a list, the most frequent first.',
  fields: (t) => ({
    values: t.field({
      type: [FacetValueType],
      description: 'The values that are not empty. An element with several values, such as tags, counts for each.',
      resolve: ({ values }) => values,
    }),
    isExact: t.exposeBoolean('isExact', {
      description: `Whether all elements were counted. If more than ${rows} match, the counts are those of a part of them.`,
    }),
  }),
})

/** Points of a facet, which reads many rows. */
const points = 100

/** Returns the field of a connection that counts the values of a field. `name` is that of the type of its elements. */
export function facetField<Field extends string>(
  name: string,
  noun: string,
  { fields, object }: FacetTypes<Field>,
): (t: PothosSchemaTypes.ObjectFieldBuilder<Schema, Page<unknown>>) => FieldMap {
  const values = Object.entries<string>(fields).map(([field, description]) => [field, { description }])
  const FacetField = builder.enumType(`${name}FacetField`, {
    description: `Fields of ${noun} whose values can be counted.`,
    values: Object.fromEntries(values) as Record<Field, { description: string }>,
  })
  return (t) => ({
    facet: t.field({
      type: FacetType,
      description: `Counts the values of a field of all ${noun} that match the filter, on all pages. Takes at most the time of a filter.`,
      complexity: {
        weight: points,
        size: { assumedSize: facetLimits.usualValues, slicingArguments: ['first'], sizedFields: ['values'] },
      },
      args: {
        field: t.arg({ type: FacetField, required: true, description: 'Field whose values are counted.' }),
        first: t.arg.int({
          description: `Returns the n most frequent values. Defaults to ${facetLimits.usualValues}. Maximum ${facetLimits.values}.`,
        }),
        ...(object && { [object.argument]: t.arg.id({ description: object.description }) }),
      },
      resolve: (page, args) => {
        const given = args as unknown as FacetArgs & Readonly<Record<string, FacetArgs['object']>>
        if (!page.facet) throw new Error(`The list of ${noun} has no facets.`)
        return page.facet({ field: given.field, first: given.first, object: object && given[object.argument] })
      },
    }),
  })
}
