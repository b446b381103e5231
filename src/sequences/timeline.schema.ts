import { linkedField, timelineEntry } from '../contacts/timeline/timeline.schema.ts'
import { EnrolmentObject } from './enrolments/enrolment.schema.ts'

timelineEntry<{ enrolmentId: number }>('EnrolmentEntry', 'The start or the end of an enrolment.', (t) =>
  linkedField(t, 'enrolment', EnrolmentObject),
)
