// @module-tag rows
import { full } from './large.ts'
import { describeRuns } from './large-runs.ts'

describeRuns(full)
