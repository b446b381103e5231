// What the driver offers. Nothing outside imports its other files.
export { Connection, connectMilliseconds } from './connection.ts'
export type { Copied, CopyFormat } from './copy.ts'
export { openPool } from './open-pool.ts'
export { DatabaseUnavailable, errorsIn, type Outage, outageOf } from './outages.ts'
export { isInTransactionMode } from './pooler-probe.ts'
export type { Send, SendCopy, Senders, SendLater, SendLimited } from './statements.ts'
export type { StatementResult } from './transaction-batch.ts'
export { type DatabaseWatch, statementMilliseconds, watchDatabase } from './watch.ts'
