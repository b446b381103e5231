import { linkedField, timelineEntry } from '../contacts/timeline.schema.ts'
import { SubmissionType } from './submission.schema.ts'

timelineEntry<{ submissionId: number }>('SubmissionEntry', 'A submission of a form.', (t) =>
  linkedField(t, 'submission', SubmissionType),
)
