import { testKill } from './snapshot-kill.ts'

testKill(12_000, 1)
