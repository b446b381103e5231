import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { type Prisma, PrismaClient } from '../../prisma/generated/client/client.ts'
import type { Log } from '../kernel/telemetry/log.ts'
import { type AccountLimit, newAccountLimit } from '../kernel/work/account-limit.ts'
import { columnsOf, tableOf } from './datamodel.ts'
import type { Send } from './driver/index.ts'
import { type DatabaseWatch, openPool, type Senders, statementMilliseconds } from './driver/index.ts'
import { type Statement, statementOf } from './sql.ts'
import { newTransact, sharingPool, type Transact } from './transact.ts'

/** Models that belong to an account, with the field that contains the account's ID. */
const tenantField = new Map(
  [...tableOf.keys()].flatMap((model): [string, string][] => {
    if (model === 'Account') return [[model, 'id']]
    return columnsOf(model).has('accountId') ? [[model, 'accountId']] : []
  }),
)

/** What the client does without Prisma. */
interface Own {
  /** Creates a statement runner for one account, outside of transactions. */
  readonly $statement: (accountId: number) => Statement
  readonly $unscoped: RunUnscoped
  /** Runs work in a transaction on one connection, without Prisma's client unless the work uses it. */
  readonly $transact: Transact<never>
  /** Runs a transaction of an account when fewer than three quarters of the connections are used by others of the account. */
  readonly $inTurn: AccountLimit
  readonly $disconnect: () => Promise<void>
}

/** Prisma's client, which throws if an operation on data of accounts does not name the account. */
export type Client = Omit<ReturnType<typeof guarded>, keyof Own> & Own

/** Runs a statement across accounts. `reason` documents why. For authentication, events and jobs only. */
type RunUnscoped = <Row>(reason: string, statement: Prisma.Sql) => Promise<Row[]>

/** Connections for our own statements, without Prisma's client. */
export interface Connections {
  readonly $unscoped: RunUnscoped
  readonly pool: pg.Pool
  readonly senders: Senders
  /** URL of the same database without a pooler: for LISTEN, session locks and job workers. */
  readonly directUrl: string
  readonly watch: DatabaseWatch | undefined
  /** Returns the number of statements sent so far. A statement with its time limit counts as one. */
  statements(): number
  close(): Promise<void>
}

export interface Database extends Connections {
  readonly db: Client
}

interface ConnectionOptions {
  url: string
  directUrl: string
  poolSize: number
  log: Log
  /** Detects an unavailable database. Absent if the process may wait for the database. */
  watch?: DatabaseWatch | undefined
  /** Plans statements with index lookups only: for statements that are planned once and run on tables of any size. */
  isByKey?: boolean
  /**
   * Plans the statements of transactions once: for requests, which change few rows. Those of jobs change many, for which the best
   * plan depends on the size of the tables.
   */
  isForRequests?: boolean
}

/** Opens the database with one pool for Prisma and our own statements. Prisma's client takes 7 MB of memory once it is used. */
export function openDatabase(options: ConnectionOptions): Database {
  const connections = openConnections(options)
  const db = newClient(connections.pool, connections.senders)
  return {
    ...connections,
    db,
    close: async () => {
      await db.$disconnect()
      await connections.close()
    },
  }
}

/**
 * Opens a pool for our own statements. Connections are opened on demand. Returns timestamptz as Date, bigint as BigInt, numeric
 * as text.
 */
export function openConnections(options: ConnectionOptions): Connections {
  let statements = 0
  const { pool, senders, close } = openPool(
    {
      connectionString: options.url,
      max: options.poolSize,
      application_name: 'campanile',
      // A pooler refuses connections with settings. With a pooler, they must be set on the database role.
      ...(options.url === options.directUrl && {
        // The planner overestimates costs of partitioned tables, and compiling a statement then takes longer than
        // running it.
        options: `-c jit=off${options.isByKey ? indexOnlyOptions : ''}`,
        idle_in_transaction_session_timeout: 60_000,
        statement_timeout: statementMilliseconds,
      }),
      // A statement of a transaction may be sent before the one before it ends.
      pipeline: true,
    },
    {
      ...{ watch: options.watch, log: options.log },
      onStatement: (count) => {
        statements += count
      },
      preparesTransactions: options.isForRequests,
      onLimited: () => {
        statements -= 2
      },
    },
  )
  return {
    $unscoped: unscoped(senders.send),
    pool,
    senders,
    directUrl: options.directUrl,
    watch: options.watch,
    statements: () => statements,
    close,
  }
}

/**
 * Creates the client on a pool. Prisma's own part is made when it is first used, because that takes longer than opening the pool,
 * and work in the background hardly needs it.
 */
export function newClient(pool: pg.Pool, senders: Senders): Client {
  const { send, sendLimited, sendCopy, newGroup } = senders
  let opened: ReturnType<typeof guarded> | undefined
  const open = () => {
    opened ??= guarded(new PrismaClient({ adapter: new PrismaPg(sharingPool(pool)) }))
    return opened
  }
  const { max = 1 } = pool.options
  const own: Own = {
    $statement: (accountId) => statementOf(accountId, { send, sendLimited, sendCopy, newGroup }),
    $unscoped: unscoped(send),
    $transact: newTransact(pool, () => open() as never, senders),
    // Transactions of one account wait for each other, such as those that take the next number of an invoice. They leave
    // connections to others.
    $inTurn: newAccountLimit(Math.ceil(max * 0.75)),
    $disconnect: async () => opened?.$disconnect(),
  }
  return new Proxy(own as Client, {
    get: (target, key) => {
      if (key in own) return Reflect.get(target, key)
      return key === 'then' ? undefined : Reflect.get(open(), key)
    },
    has: (_, key) => key in own || (key !== 'then' && key in open()),
  })
}

/** A plan that was made while a table was small or not analysed would scan the whole table after it has grown. */
const indexOnlyOptions = ' -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off'

function unscoped(send: Send): RunUnscoped {
  return async <Row>(_reason: string, statement: Prisma.Sql) => send<Row>(statement.text, statement.values as unknown[])
}

function guarded(client: PrismaClient) {
  return client.$extends({
    name: 'tenant guard',
    query: {
      $allModels: {
        $allOperations({ model, operation, args, query }) {
          const field = tenantField.get(model)
          if (
            field &&
            !(model === 'Account' && operation === 'create') &&
            !namesAccount(field, operation as string, args)
          ) {
            throw new Error(`${model}.${operation} does not name its account.`)
          }
          return query(args)
        },
      },
    },
  })
}

function namesAccount(field: string, operation: string, args: unknown): boolean {
  const { where, data, create } = (args ?? {}) as Record<'where' | 'data' | 'create', unknown>
  switch (operation) {
    case 'create':
      return hasValue(field, data)
    case 'createMany':
    case 'createManyAndReturn':
      return Array.isArray(data) ? data.every((row) => hasValue(field, row)) : hasValue(field, data)
    case 'upsert':
      return hasValue(field, where) && hasValue(field, create)
    default:
      return hasValue(field, where)
  }
}

/** Returns whether the field has a plain value, at the top or inside a compound key such as `accountId_id`. */
function hasValue(field: string, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false
  const record = part as Record<string, unknown>
  if (typeof record[field] === 'number') return true
  return Object.entries(record).some(([key, value]) => key.startsWith(`${field}_`) && hasValue(field, value))
}
