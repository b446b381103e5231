import { fillContactPorts } from './contacts/index.ts'
import { enrolments } from './sequences/index.ts'

// What rooms add to the operations of the rooms below them. Whoever runs operations imports this first.
fillContactPorts({ enrol: enrolments.enrol, leaveAll: enrolments.leaveAll })
