import { linkedField, timelineEntry } from '../contacts/timeline/timeline.schema.ts'
import { SubmissionType } from './submissions/submission.schema.ts'

timelineEntry<{ submissionId: number }>('SubmissionEntry', 'A submission of a form.', (t) =>
  linkedField(t, 'submission', SubmissionType),
)
