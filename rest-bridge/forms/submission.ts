import * as z from 'zod'
import { contactIdentity, toContactIdentity } from '../contacts/contact.ts'
import type {
  SubmissionDetailFragment,
  SubmissionListRowFragment,
  SubmissionRowFragment,
} from '../generated/documents.ts'
import { toRestEnum } from '../values/enums.ts'
import { isoMicroseconds, isoMicrosecondsOrNull, isoTime } from '../values/time.ts'
import { bucket, formType, questionType } from './form.ts'

export const submissionStatus = z.enum(['completed', 'in_progress'])

const attribution = z.record(z.string(), z.string())

/** A submission in a list, with its attribution if `include_attribution` is true. */
export const submissionRow = z.strictObject({
  id: z.int(),
  form_id: z.int(),
  status: submissionStatus,
  score: z.number(),
  bucket,
  outcome_key: z.string(),
  contact: contactIdentity.nullable(),
  started_at: isoTime,
  completed_at: isoTime.nullable(),
  created_at: isoTime,
  updated_at: isoTime,
  attribution: attribution.optional(),
})

/** A single submission. */
export const submission = submissionRow.extend({
  contact: contactIdentity.extend({ phone: z.string(), company_name: z.string() }).nullable(),
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

export function toSubmissionRow(node: SubmissionListRowFragment) {
  return { ...toSubmissionSummary(node), ...(node.attribution && { attribution: toAttribution(node.attribution) }) }
}

export function toSubmission(node: SubmissionDetailFragment) {
  const { contact, form, qualification } = node
  // The form was deleted, and the submission with it.
  if (!form) return null
  return {
    ...toSubmissionSummary(node),
    contact: contact && { ...toContactIdentity(contact), phone: contact.phone, company_name: contact.companyName },
    form: { id: form.databaseId, name: form.name, type: toRestEnum(form.type) },
    qualification: {
      bucket: toRestEnum(qualification.bucket),
      outcome_key: qualification.outcomeKey ?? '',
      title: qualification.title ?? '',
    },
    ai_summary: node.aiSummary,
    attribution: toAttribution(node.attribution),
    answers: node.answers.map((answer) => ({
      question_id: answer.questionDatabaseId,
      label: answer.label,
      type: toRestEnum(answer.type),
      answer: toAnswer(answer),
      score: Number(answer.score),
    })),
  }
}

/** Returns the fields that a submission has in a list and alone. */
export function toSubmissionSummary(node: SubmissionRowFragment) {
  return {
    id: node.databaseId,
    form_id: node.formDatabaseId,
    status: toRestEnum(node.status),
    score: Number(node.score),
    bucket: toRestEnum(node.bucket),
    outcome_key: node.outcomeKey ?? '',
    contact: node.contact && toContactIdentity(node.contact),
    started_at: isoMicroseconds(node.startedAt),
    completed_at: isoMicrosecondsOrNull(node.completedAt),
    created_at: isoMicroseconds(node.createdAt),
    updated_at: isoMicroseconds(node.updatedAt),
  }
}

function toAttribution(pairs: SubmissionDetailFragment['attribution']) {
  return Object.fromEntries(pairs.map(({ key, value }) => [toRestEnum(key), value]))
}

/**
 * Converts an answer to JSON: an array for a multiple choice, a number for numbers and scales, a boolean for a consent and for
 * terms. An
 * answer of a deleted contact may have no value.
 */
function toAnswer({ type, values }: SubmissionDetailFragment['answers'][number]) {
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
    case 'TERMS':
      return value === 'true'
    default:
      return value
  }
}
