import * as z from 'zod'
import type { FormDetailFragment, FormRowFragment } from '../generated/documents.ts'
import { toRestEnum } from '../values/enums.ts'
import { isoMicroseconds, isoTime } from '../values/time.ts'

export const formStatus = z.enum(['draft', 'published', 'archived'])

export const formType = z.enum(['optin', 'quiz', 'survey', 'checkout'])

export const questionType = z.enum([
  'yes_no',
  'single_choice',
  'multiple_choice',
  'dropdown',
  'short_text',
  'long_text',
  'email',
  'phone',
  'number',
  'date',
  'rating',
  'opinion_scale',
  'url',
  'consent',
  'terms',
  'statement',
  'hidden',
])

/** Rating of a score by the thresholds of the form. */
export const bucket = z.enum(['hot', 'warm', 'cold'])

/** A form in a list. */
export const formRow = z.strictObject({
  id: z.int(),
  type: formType,
  name: z.string(),
  status: formStatus,
  submissions_count: z.int(),
  created_at: isoTime,
})

/** A single form. */
export const form = formRow.extend({
  questions: z.array(
    z.strictObject({ id: z.int(), label: z.string(), type: questionType, options: z.array(z.string()).nullable() }),
  ),
  outcomes: z.array(z.strictObject({ key: z.string(), title: z.string(), bucket })),
})

export function toFormRow(node: FormRowFragment) {
  return {
    id: node.databaseId,
    type: toRestEnum(node.type),
    name: node.name,
    status: toRestEnum(node.status),
    submissions_count: node.submissionsCount,
    created_at: isoMicroseconds(node.createdAt),
  }
}

export function toForm(node: FormDetailFragment) {
  return {
    ...toFormRow(node),
    questions: node.questions.map(({ databaseId, label, type, options }) => ({
      id: databaseId,
      label,
      type: toRestEnum(type),
      options: options && [...options],
    })),
    outcomes: node.outcomes.map((outcome) => ({
      key: outcome.key,
      title: outcome.title,
      bucket: toRestEnum(outcome.bucket),
    })),
  }
}
