import { describeSnapshots } from './snapshot.ts'

// The parts of a server that does not change their size.
describeSnapshots({ people: 25_000, part: 10_000 })
