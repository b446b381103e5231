import { testKills } from './crash.ts'

testKills(1)
