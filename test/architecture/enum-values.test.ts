import { readFileSync } from 'node:fs'
import { buildSchema, type GraphQLEnumType, isEnumType } from 'graphql'
import { describe, expect, it } from 'vitest'

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
const enums = Object.values(schema.getTypeMap()).filter((type) => isEnumType(type) && !type.name.startsWith('__'))
const values = (enums as GraphQLEnumType[]).flatMap((type) =>
  type.getValues().map(({ name, description }) => ({
    ...{ type: type.name, name },
    // The scope that a value needs is not a part of its meaning.
    meaning: (description ?? '').replace(/\s*Needs the scopes? .*$/s, ''),
  })),
)
const isState = ({ type }: { type: string }) => /(?:Status|State|Reason|Severity|Code|Cause)$/.test(type)
const isSubjectOfSentence = ({ type }: { type: string }) => type === 'EventType' || type === 'TimelineEntryType'

const wordsOf = (text: string) => text.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.map((word) => word.toLowerCase()) ?? []
const fillers = new Set('a an the is was of orders by'.split(' '))

/** The table of words in `names.md`: | word | meaning | enums |. */
const glossary = [
  ...readFileSync('src/docs/names.md', 'utf8').matchAll(/^\| `([A-Z\d_]+)` \| ([^|]+) \| ((?:`\w+`(?:, )?)+) \|$/gm),
].map(([, word = '', meaning = '', types = '']) => ({ word, meaning, types: types.replaceAll('`', '').split(', ') }))

describe('a value of an enum', () => {
  it('has a description that says more than its name and that of its enum', () => {
    expect(values.length).toBeGreaterThan(600)
    const empty = values.filter((value) => {
      const known = new Set([...wordsOf(value.name), ...wordsOf(value.type), ...fillers])
      return !isSubjectOfSentence(value) && wordsOf(value.meaning).every((word) => known.has(word))
    })
    expect(empty).toEqual([])
  })

  it('of states, reasons and codes means the same in all enums that have it, as names.md says', () => {
    const shared = [...Map.groupBy(values.filter(isState), ({ name }) => name)]
      .filter(([, group]) => group.length > 1)
      .map(([word, group]) => ({ word, types: group.map(({ type }) => type).sort() }))
    expect(glossary.map(({ word, types }) => ({ word, types }))).toEqual(
      shared.sort((a, b) => (a.word < b.word ? -1 : 1)),
    )
  })

  it('of states, reasons and codes is the only word for its meaning', () => {
    const meanings = [...values.filter(isState), ...glossary.map(({ word, meaning }) => ({ name: word, meaning }))]
    const twice = [...Map.groupBy(meanings, ({ meaning }) => meaning)].filter(
      ([, group]) => new Set(group.map(({ name }) => name)).size > 1,
    )
    expect(twice).toEqual([])
  })

  it('of figures and of times has one description in all enums', () => {
    const isShared = ({ type, name }: { type: string; name: string }) =>
      /Figure$/.test(type) || ['DAY', 'WEEK', 'MONTH'].includes(name)
    const several = [...Map.groupBy(values.filter(isShared), ({ name }) => name)].filter(
      ([, group]) => new Set(group.map(({ meaning }) => meaning)).size > 1,
    )
    expect(several).toEqual([])
  })
})
