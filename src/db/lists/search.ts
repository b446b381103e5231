import { invalid } from '../../kernel/errors.ts'
import type { Ctx } from '../context.ts'
import { columnLeaf, memberLeaf } from '../filters/conditions.ts'
import { type Field, filterLimits, type Maybe, problem } from '../filters/filter.ts'
import { emailAddress, text } from '../filters/filter-fields.ts'
import type { TextFilter } from '../filters/value-conditions.ts'
import { join, type Sql, sql } from '../sql.ts'
import type { OrderKey } from './list.ts'

/** Maximum number of words of a search. */
export const maxWords = 10

/** A longer word is in no document, and its form could be eighteen times as long. */
const maxLetters = 4_000

/**
 * A search for words in any order, regardless of case and accents. `document` is a `documentOf` the row. A word of fewer
 * characters than `filterLimits.contains` must begin a word of the document. Each of `related` selects the ids of the rows
 * whose related row matches: `matches` takes the document of that row. A row without words of its own has no document.
 */
export function search(
  document: Sql | undefined,
  related: readonly ((ctx: Ctx, matches: (document: Sql) => Sql) => Sql)[] = [],
): Field<'search', string> {
  return {
    kind: 'search',
    leaves: (value, place) => {
      const words = wordsOf(value)
      if (words.length > maxWords) throw problem(place.path, `must have at most ${maxWords} words`)
      const conditions = words.map((word) => {
        if (word.length > maxLetters) return () => sql`false`
        const place = [...lettersOf(word)].length < filterLimits.contains ? 'beginning a word' : 'anywhere'
        return (text: Sql) => sql`${text} LIKE ${patternOf(word, place)}`
      })
      const inRelated = (matches: (text: Sql) => Sql) =>
        related.map((select) => memberLeaf(place, select(place.ctx, matches)))
      if (document)
        return conditions.map((matches) => place.anyOf([columnLeaf(matches(document)), ...inRelated(matches)]))
      // All words are in the related row, which is found once.
      const matchesAll = (text: Sql) =>
        join(
          conditions.map((matches) => matches(text)),
          ' AND ',
        )
      return conditions.length === 0 ? [] : [place.anyOf(inRelated(matchesAll))]
    },
  }
}

/** A text column that is part of a searched document, whose index also finds the text. */
export function searchedText(document: Sql, column: Sql): Field<'text', TextFilter> {
  const hint = hintOf(document)
  const equals = (other: string) => sql`(lower(${column}) = lower(${other}::text) AND ${hint(other, true)})`
  return text(column, { equals, hint })
}

/** A column with an e-mail address that is part of a searched document, whose index also finds a part of it. */
export function searchedEmailAddress(document: Sql, column: Sql): Field<'text', TextFilter> {
  return emailAddress(column, { hint: hintOf(document) })
}

/** Returns the condition by which the index of a searched document finds a text that is part of it. */
export function hintOf(document: Sql) {
  return (part: string, isStart: boolean) =>
    sql`${document} LIKE ${patternOf(part, isStart ? 'beginning a word' : 'anywhere')}`
}

/** Returns the condition by which the index of a searched document finds an e-mail address that is its first word. */
export function addressHintOf(document: Sql) {
  return (part: string, isStart: boolean) =>
    sql`${document} LIKE ${patternOf(part, isStart ? 'beginning the document' : 'anywhere')}`
}

/**
 * The sort key of a search: rows in whose document more words of the search are whole words, or begin words, have a higher
 * rank. **Throws** VALIDATION_ERROR if the filter has no search.
 */
export function relevance(document: Sql): OrderKey {
  return {
    kind: 'number',
    by: ({ filter, path }) => {
      const { search: words } = filter as { readonly search?: Maybe<string> }
      const ranks = wordsOf(words ?? '').map((word) => {
        const start = patternOf(word, 'beginning a word')
        return sql`CASE WHEN k.key || ' ' LIKE ${patternOf(word, 'as a word')} THEN 2 WHEN k.key LIKE ${start} THEN 1 ELSE 0 END`
      })
      if (ranks.length === 0) throw invalid({ [path]: ['RELEVANCE requires filter.search'] })
      // OFFSET: the key of a row is made once.
      return sql`(SELECT ${join(ranks, ' + ')} FROM (SELECT ${document} AS key OFFSET 0) k)`
    },
  }
}

/** Returns the document of words in columns: what a search compares, and what its index contains. */
export function documentOf(...words: readonly Sql[]): Sql {
  return sql`search_key(' ' || ${join(words, " || ' ' || ")})`
}

const patterns = {
  anywhere: (key: Sql) => sql`'%' || ${key} || '%'`,
  'beginning a word': (key: Sql) => sql`'% ' || ${key} || '%'`,
  'beginning the document': (key: Sql) => sql`' ' || ${key} || '%'`,
  'as a word': (key: Sql) => sql`'% ' || ${key} || ' %'`,
}

/** Returns the pattern that finds words at a place of a document. */
function patternOf(words: string, place: keyof typeof patterns): Sql {
  return sql`(${patterns[place](sql`search_pattern(${words}::text)`)})`
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => lettersOf(word) !== '')
}

/** Returns a word without accents: a character with its accent counts as one. */
function lettersOf(word: string): string {
  return word.normalize('NFKD').replace(/\p{Script=Inherited}/gu, '')
}
