import { reaction } from '../events/index.ts'
import { request } from './summaries.ts'

/** What this room does about events where a provider of summaries is configured. */
export const summaryReactions = [
  reaction({
    name: 'forms: summaries',
    types: ['form_submission.completed'],
    run: (tx, { data }) => request(tx, data.submissionId),
  }),
]
