import { testKill } from './snapshot-kill.ts'

testKill(42_000, 2)
