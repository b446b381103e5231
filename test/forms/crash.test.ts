// @module-tag rows
import { testKills } from './crash.ts'

testKills(1)
