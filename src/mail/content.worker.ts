// Runs in a thread (kernel/work/thread-pool.ts), so it may import only modules without database and configuration.

export { checkContent } from './bodies/content-check.ts'
export { parseEmailBody } from './bodies/email-body.ts'
export { libraryPicturesOf } from './bodies/html-faults.ts'
export { parseDsn } from './bounces/dsn.ts'
export { parseMessage } from './delivery/mime/message-parser.ts'
export { encodeMime } from './delivery/mime/mime-encoder.ts'
