// @module-tag rows
import { testKill } from './large-kill.ts'

// More than one batch of 5,000.
testKill(5_200)
