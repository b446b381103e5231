import * as z from 'zod'
import type { FormOfListFragment, FormReadQuery } from '../generated/documents.ts'
import { isoMicroseconds } from '../time.ts'

const statuses = { draft: 'DRAFT', published: 'PUBLISHED', archived: 'ARCHIVED' } as const

/** Whether a form takes submissions, as REST calls it. */
export const formStatus = z.enum(Object.keys(statuses) as [keyof typeof statuses, ...(keyof typeof statuses)[]])

/** Gives a status as the graph calls it. */
export function toGraphFormStatus(word: z.output<typeof formStatus>) {
  return statuses[word]
}

/** What a form is for, as REST calls it. */
export const formType = z.enum(['optin', 'quiz', 'survey', 'checkout'])

/** How a question is answered, as REST calls it. */
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
  'statement',
  'hidden',
])

/** Where a score stands, as REST calls it. */
export const bucket = z.enum(['hot', 'warm', 'cold'])

/** Gives a word of the graph as REST writes it. */
export function lower<Word extends string>(word: Word) {
  return word.toLowerCase() as Lowercase<Word>
}

/** A form as a row of a list. */
export const formRow = z.strictObject({
  id: z.int(),
  type: formType,
  name: z.string(),
  status: formStatus,
  submissions_count: z.int(),
  created_at: z.iso.datetime({ precision: 6 }),
})

/** A form by itself. */
export const form = formRow.extend({
  questions: z.array(
    z.strictObject({ id: z.int(), label: z.string(), type: questionType, options: z.array(z.string()).nullable() }),
  ),
  outcomes: z.array(z.strictObject({ key: z.string(), title: z.string(), bucket })),
})

/** Gives a form as a row of a list. */
export function toFormRow(node: Omit<FormOfListFragment, '__typename' | ' $fragmentName'>) {
  return {
    id: node.databaseId,
    type: lower(node.type),
    name: node.name,
    status: lower(node.status),
    submissions_count: node.submissionsCount,
    created_at: isoMicroseconds(node.createdAt),
  }
}

/** Gives a form by itself. */
export function toForm(node: NonNullable<FormReadQuery['form']>) {
  return {
    ...toFormRow(node),
    questions: node.questions.map(({ databaseId, label, type, options }) => ({
      id: databaseId,
      label,
      type: lower(type),
      options: options && [...options],
    })),
    outcomes: node.outcomes.map((outcome) => ({
      key: outcome.key,
      title: outcome.title,
      bucket: lower(outcome.bucket),
    })),
  }
}
