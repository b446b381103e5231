import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { type Prisma, PrismaClient } from '../../prisma/generated/client/client.ts'
import { getDatamodel } from '../../prisma/generated/pothos.ts'
import type { Log } from '../kernel/log.ts'
import { readMoment } from './moment.ts'
import { openPool } from './pool.ts'
import { type Send, type Statement, statementOf } from './sql.ts'
import { type DatabaseWatch, statementMilliseconds } from './watch.ts'

/** The models that belong to an account, and the field that says to which. */
const tenantField = new Map(
  Object.entries(getDatamodel().datamodel.models).flatMap(([name, model]): [string, string][] => {
    if (name === 'Account') return [[name, 'id']]
    return model.fields.some((field) => field.name === 'accountId') ? [[name, 'accountId']] : []
  }),
)

/** Prisma's client, which refuses to touch what belongs to an account without naming the account. */
export type Client = ReturnType<typeof guarded>

export interface Database {
  readonly db: Client
  readonly pool: pg.Pool
  /** The same database without a pooler in between: for LISTEN, locks that outlive a transaction, and job workers. */
  readonly directUrl: string
  readonly watch: DatabaseWatch | undefined
  /** How many statements were sent so far. */
  statements(): number
  close(): Promise<void>
}

/**
 * Opens the database: one pool that Prisma and our own statements share. Connections are made when first needed.
 * Times come back as Date, bigint as BigInt, numeric as text.
 */
export function openDatabase(options: {
  url: string
  directUrl: string
  poolSize: number
  log: Log
  /** Knows whether the database answers; absent where a command may wait. */
  watch?: DatabaseWatch | undefined
  /** Looks rows up by their keys only: for statements that are planned once and then run on tables of any size. */
  isByKey?: boolean
}): Database {
  let statements = 0
  const { pool, close } = openPool(
    {
      connectionString: options.url,
      max: options.poolSize,
      application_name: 'campanile',
      // A pooler in between refuses connections that ask for settings; there, they belong to the database's role.
      ...(options.url === options.directUrl && {
        // Costs of partitioned tables are guessed high, and compiling a statement then takes longer than running it.
        options: `-c jit=off${options.isByKey ? byKey : ''}`,
        idle_in_transaction_session_timeout: 60_000,
        statement_timeout: statementMilliseconds,
      }),
    },
    options,
  )
  pool.on('connect', (client) => {
    const query = client.query
    client.query = ((...args: Parameters<typeof query>) => {
      statements += 1
      return query.apply(client, args)
    }) as typeof query
  })
  // A pooler in between hands each transaction another connection, where a prepared statement may not be.
  const nameOf = options.url === options.directUrl ? newNames() : () => undefined
  const send: Send = async (text, values) =>
    (await pool.query({ name: nameOf(text), text, values, types: ourTypes } as pg.QueryConfig)).rows
  const db = guarded(new PrismaClient({ adapter: new PrismaPg(pool) }), send)
  return {
    db,
    pool,
    directUrl: options.directUrl,
    watch: options.watch,
    statements: () => statements,
    close: async () => {
      await db.$disconnect()
      await close()
    },
  }
}

/** A plan that was made while a table was small, or not yet looked at, would read all of it when it has grown. */
const byKey = ' -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off'

/** How many statements are prepared at most: each takes memory on every connection. */
const mostPrepared = 500

/** Names statements by their text, so that PostgreSQL parses each once on a connection; what comes after the most goes without. */
function newNames(): (text: string) => string | undefined {
  const names = new Map<string, string>()
  return (text) => {
    const name = names.get(text)
    if (name !== undefined || names.size >= mostPrepared) return name
    names.set(text, `campanile_${names.size}`)
    return names.get(text)
  }
}

const bigintOid = 20
const timestamptzOid = 1184
const ourTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === bigintOid) return BigInt
    if (oid === timestamptzOid) return readMoment
    return pg.types.getTypeParser(oid, format as 'text')
  }) as typeof pg.types.getTypeParser,
}

function guarded(client: PrismaClient, send: Send) {
  return client.$extends({
    name: 'tenant guard',
    client: {
      /** A statement runner for one account, outside of any transaction. */
      $statement: (accountId: number): Statement => statementOf(accountId, send),
      /** Runs a statement across accounts; `reason` says why that is right. For authentication, events and jobs only. */
      $unscoped: async <Row>(_reason: string, statement: Prisma.Sql): Promise<Row[]> =>
        send<Row>(statement.text, statement.values as unknown[]),
    },
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
      return holds(field, data)
    case 'createMany':
    case 'createManyAndReturn':
      return Array.isArray(data) ? data.every((row) => holds(field, row)) : holds(field, data)
    case 'upsert':
      return holds(field, where) && holds(field, create)
    default:
      return holds(field, where)
  }
}

/** Whether the field is there with a plain value, at the top or inside a compound key such as `accountId_id`. */
function holds(field: string, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false
  const record = part as Record<string, unknown>
  if (typeof record[field] === 'number') return true
  return Object.entries(record).some(([key, value]) => key.startsWith(`${field}_`) && holds(field, value))
}
