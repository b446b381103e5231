import { columnLeaf, existence, type Leaf, memberLeaf, relatedLeaves } from '../../db/filters/conditions.ts'
import { type Field, filterLimits, type Id, type Maybe, type Place, problem } from '../../db/filters/filter.ts'
import { type NumberFilter, numberLeaves } from '../../db/filters/value-conditions.ts'
import { containing, type Sql, sql } from '../../db/sql.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { valueSeparator } from '../form/answer-values.ts'

/** Condition on the answer to one question. */
export interface AnswerFilter {
  readonly questionId: Id
  readonly eq?: Maybe<string>
  readonly in?: Maybe<readonly string[]>
  readonly contains?: Maybe<string>
  readonly score?: Maybe<NumberFilter>
  readonly exists?: Maybe<boolean>
}

/** Maximum number of values in a list. */
export const maxValues = filterLimits.values
const maxLength = 10_000

/** Conditions on the answers of a submission, all of which must match. */
export const answerValues: Field<'answers', readonly AnswerFilter[]> = {
  kind: 'answers',
  leaves: (filters, place) =>
    filters.flatMap((filter, index) => leavesOf(filter, { ...place, path: `${place.path}.${index}` })),
}

function leavesOf(filter: AnswerFilter, place: Place): Leaf[] {
  const { ctx, path } = place
  const answers = sql`SELECT a.submission_id FROM answer a
    WHERE a.account_id = ${ctx.sql.account} AND a.question_id = ${idOf('Question', filter.questionId, `${path}.questionId`)}::int`
  return [
    ...relatedLeaves((test) => memberLeaf(place, sql`${answers} AND ${test}`), valueLeaves(filter, path)),
    ...existence(filter.exists, () => memberLeaf(place, answers)),
  ]
}

/** Returns the conditions on an answer. Values are compared exactly, because those of choices are. */
function valueLeaves({ eq, in: values, contains, score }: AnswerFilter, path: string): Leaf[] {
  if (values && values.length > maxValues) throw problem(`${path}.in`, `must have at most ${maxValues} values`)
  for (const [name, text] of Object.entries({ eq, contains })) {
    if (text && text.length > maxLength) throw problem(`${path}.${name}`, `must have at most ${maxLength} characters`)
  }
  return [
    ...(eq == null ? [] : [columnLeaf(sql`a.values @> ARRAY[${eq}]::text[]`)]),
    ...(values == null ? [] : [columnLeaf(sql`a.values && ${[...values]}::text[]`)]),
    ...(contains == null ? [] : [columnLeaf(containsText(contains))]),
    ...(score == null ? [] : numberLeaves(sql`a.score`, score)),
  ]
}

/** A text with the separator would match across two values. */
function containsText(part: string): Sql {
  return part.includes(valueSeparator) ? sql`false` : sql`a.search LIKE lower(${containing(part)})`
}
