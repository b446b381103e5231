import * as z from 'zod'
import type { SubmissionListQuery, SubmissionReadQuery } from '../generated/documents.ts'
import { isoMicroseconds } from '../time.ts'
import { bucket, formType, lower, questionType } from './form.ts'

const statuses = { completed: 'COMPLETED', in_progress: 'IN_PROGRESS' } as const

/** How far a submission has come, as REST calls it. */
export const submissionStatus = z.enum(Object.keys(statuses) as [keyof typeof statuses, ...(keyof typeof statuses)[]])

/** Gives a status as the graph calls it. */
export function toGraphSubmissionStatus(word: z.output<typeof submissionStatus>) {
  return statuses[word]
}

const time = z.iso.datetime({ precision: 6 })
const contactInShort = z.strictObject({
  id: z.int(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
})
const attribution = z.record(z.string(), z.string())

/** A submission as a row of a list; its attribution where that was asked for. */
export const submissionRow = z.strictObject({
  id: z.int(),
  form_id: z.int(),
  status: submissionStatus,
  score: z.number(),
  bucket,
  outcome_key: z.string(),
  contact: contactInShort.nullable(),
  started_at: time,
  completed_at: time.nullable(),
  created_at: time,
  updated_at: time,
  attribution: attribution.optional(),
})

/** A submission by itself. */
export const submission = submissionRow.extend({
  contact: contactInShort.extend({ phone: z.string(), company_name: z.string() }).nullable(),
  form: z.strictObject({ id: z.int(), name: z.string(), type: formType }),
  qualification: z.strictObject({ bucket, outcome_key: z.string(), title: z.string() }),
  ai_summary: z.string().nullable(),
  attribution,
  answers: z.array(
    z.strictObject({
      question_id: z.int(),
      label: z.string(),
      type: questionType,
      answer: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
      score: z.number(),
    }),
  ),
})

type Listed = SubmissionListQuery['submissions']['nodes'][number]
type Found = NonNullable<SubmissionReadQuery['submission']>

/** Gives a submission as a row of a list. */
export function toSubmissionRow(node: Listed) {
  return { ...inShort(node), ...(node.attribution && { attribution: toAttribution(node.attribution) }) }
}

/** Gives a submission by itself. */
export function toSubmission(node: Found) {
  const { contact, form, qualification } = node
  // Without its form a submission is gone as well.
  if (!form) return null
  return {
    ...inShort(node),
    contact: contact && { ...toContact(contact), phone: contact.phone, company_name: contact.companyName },
    form: { id: form.databaseId, name: form.name, type: lower(form.type) },
    qualification: {
      bucket: lower(qualification.bucket),
      outcome_key: qualification.outcomeKey ?? '',
      title: qualification.title ?? '',
    },
    ai_summary: node.aiSummary,
    attribution: toAttribution(node.attribution),
    answers: node.answers.map((answer) => ({
      question_id: answer.questionDatabaseId,
      label: answer.label,
      type: lower(answer.type),
      answer: toAnswer(answer),
      score: Number(answer.score),
    })),
  }
}

/** What of a submission the list and the submission by itself have in common. */
function inShort(node: Omit<Listed, 'attribution'>) {
  return {
    id: node.databaseId,
    form_id: node.formDatabaseId,
    status: lower(node.status),
    score: Number(node.score),
    bucket: lower(node.bucket),
    outcome_key: node.outcomeKey ?? '',
    contact: node.contact && toContact(node.contact),
    started_at: isoMicroseconds(node.startedAt),
    completed_at: node.completedAt === null ? null : isoMicroseconds(node.completedAt),
    created_at: isoMicroseconds(node.createdAt),
    updated_at: isoMicroseconds(node.updatedAt),
  }
}

function toContact(node: NonNullable<Listed['contact']>) {
  return { id: node.databaseId, email: node.email, first_name: node.firstName, last_name: node.lastName }
}

function toAttribution(pairs: Found['attribution']) {
  return Object.fromEntries(pairs.map(({ key, value }) => [lower(key), value]))
}

/**
 * An answer as JSON has it: a list for a multiple choice, a number for numbers and scales, true or false for a consent. An
 * answer of a deleted contact may have no value any more.
 */
function toAnswer({ type, values }: Found['answers'][number]) {
  const [value] = values
  if (value === undefined) return type === 'MULTIPLE_CHOICE' ? [] : ''
  switch (type) {
    case 'MULTIPLE_CHOICE':
      return [...values]
    case 'NUMBER':
    case 'RATING':
    case 'OPINION_SCALE':
      return Number(value)
    case 'CONSENT':
      return value === 'true'
    default:
      return value
  }
}
