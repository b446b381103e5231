// Runs in a thread (kernel/thread-pool.ts), so it may import only modules without database and configuration.
export { parseDsn } from '../bounces/dsn.ts'
export { parseMessage } from '../delivery/message-parser.ts'
export { encodeMime } from '../delivery/mime-encoder.ts'
export { checkContent } from './content-check.ts'
export { parseEmailBody } from './email-body.ts'
