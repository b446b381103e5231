import { reaction } from '../events/index.ts'
import { requestSummary } from './summaries/summaries.ts'

/** Requests a summary for each completed submission. Only used if an AI provider is configured. */
export const summaryReactions = [
  reaction({
    name: 'forms: summaries',
    types: ['form_submission.completed'],
    run: (tx, { data }) => requestSummary(tx, data.submissionId),
  }),
]
