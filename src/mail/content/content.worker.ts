// Runs in a thread (kernel/thread-pool.ts): it may depend on pure modules only.
export { dsnReports } from '../bounces/dsn.ts'
export { encode } from '../delivery/parcel-encoding.ts'
export { readMessage } from '../delivery/written-message.ts'
export { bodyOf } from './email-body.ts'
