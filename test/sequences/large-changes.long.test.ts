import { full } from './large.ts'
import { describeChanges } from './large-changes.ts'

describeChanges(full)
