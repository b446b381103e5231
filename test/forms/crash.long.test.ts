// @module-tag rows
import { testKills } from './crash.ts'

// KILLS=20 takes a minute.
testKills(Number(process.env['KILLS'] ?? 5))
