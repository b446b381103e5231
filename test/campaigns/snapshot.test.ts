import { describeSnapshots } from './snapshot.ts'

describeSnapshots({ people: 250, part: 100 })
