// @module-tag rows
import { small } from './large.ts'
import { describeRuns } from './large-runs.ts'

describeRuns(small)
