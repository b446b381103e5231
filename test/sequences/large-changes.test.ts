// @module-tag rows
import { small } from './large.ts'
import { describeChanges } from './large-changes.ts'

describeChanges(small)
