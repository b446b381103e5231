// Runs in a thread (kernel/thread-pool.ts): it may depend on pure modules only.
export { dsnReports } from './dsn.ts'
export { bodyOf } from './email-body.ts'
export { encode } from './parcel-encoding.ts'
export { readMessage } from './written-message.ts'
