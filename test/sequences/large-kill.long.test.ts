// @module-tag rows
import { testKill } from './large-kill.ts'

testKill(21_000)
