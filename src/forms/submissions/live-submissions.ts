import type { Filter } from '../../db/filters/filter.ts'
import type { LiveDefinition } from '../../events/index.ts'
import { type submissionFilter, submissions } from './submission-list.ts'

/** The live list of submissions. Their contacts change without an event of the submission. */
export const liveSubmissions: LiveDefinition<Filter<(typeof submissionFilter)['fields']>> = {
  list: submissions,
  needs: 'forms:read',
  subject: 'submissionId',
  changes: ['form_submission.started', 'form_submission.updated', 'form_submission.completed'],
  fields: {
    id: 'row',
    status: 'row',
    bucket: 'row',
    score: 'row',
    outcomeKey: 'row',
    startedAt: 'row',
    completedAt: 'row',
    createdAt: 'row',
    updatedAt: 'row',
    forms: 'row',
    contacts: { resets: ['contact.deleted'] },
    contact: null,
    email: null,
    search: null,
    answers: 'row',
    attribution: 'row',
    firstAttribution: 'row',
  },
}
