import type { Bucket } from '../../prisma/generated/client/client.ts'
import { type Decimal, decimal, sum } from '../kernel/money.ts'

/** What one answer of a question is worth: exact, as text. */
export interface AnswerPoints {
  readonly answer: string
  readonly points: string
}

/** From which score on a submission is warm, and from which it is hot. */
export interface Thresholds {
  readonly warmFrom: string
  readonly hotFrom: string
}

/** What the values of an answer are worth together; a value that the question says nothing of is worth nothing. */
export function pointsOf(points: readonly AnswerPoints[], values: readonly string[]): Decimal {
  return sum(points.filter(({ answer }) => values.includes(answer)).map((each) => each.points))
}

/** Where a score stands: hot from `hotFrom` on, warm from `warmFrom` on, else cold. */
export function bucketOf(score: Decimal, { warmFrom, hotFrom }: Thresholds): Bucket {
  if (score.gte(decimal(hotFrom))) return 'HOT'
  return score.gte(decimal(warmFrom)) ? 'WARM' : 'COLD'
}

/** What a completed submission ends with: the first outcome, in the order of the form, of its bucket. */
export function outcomeOf<Outcome extends { readonly bucket: Bucket }>(
  outcomes: readonly Outcome[],
  bucket: Bucket,
): Outcome | undefined {
  return outcomes.find((outcome) => outcome.bucket === bucket)
}
