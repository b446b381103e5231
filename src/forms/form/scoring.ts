import type { Bucket } from '../../../prisma/generated/client/client.ts'
import { type Decimal, decimal, sum } from '../../kernel/values/money.ts'

/** Points of one answer. The points are an exact decimal, as text. */
export interface AnswerPoints {
  readonly answer: string
  readonly points: string
}

/** Lowest scores of warm and hot submissions. */
export interface Thresholds {
  readonly warmFrom: string
  readonly hotFrom: string
}

/** Returns the sum of the points of the values. Values without points add nothing. */
export function sumPoints(points: readonly AnswerPoints[], values: readonly string[]): Decimal {
  return sum(points.filter(({ answer }) => values.includes(answer)).map((each) => each.points))
}

/** Returns the bucket of a score: HOT from `hotFrom`, WARM from `warmFrom`, or else COLD. */
export function bucketOf(score: Decimal, { warmFrom, hotFrom }: Thresholds): Bucket {
  if (score.gte(decimal(hotFrom))) return 'HOT'
  return score.gte(decimal(warmFrom)) ? 'WARM' : 'COLD'
}

/** Returns the first outcome of the bucket; undefined if the form has none. */
export function outcomeOf<Outcome extends { readonly bucket: Bucket }>(
  outcomes: readonly Outcome[],
  bucket: Bucket,
): Outcome | undefined {
  return outcomes.find((outcome) => outcome.bucket === bucket)
}
