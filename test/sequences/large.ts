import { sequenceJobs } from '../../src/sequences/index.ts'
import { newServer, type Server } from '../support/server.ts'
import { type Named, newWorld, type World, type WorldOptions } from '../support/world.ts'

/** Number of enrolments of a sequence, which a job plans in several batches. */
export interface Scale {
  readonly people: number
  readonly batch: number
}

export const small: Scale = { people: 106, batch: 50 }

/** The batches of a server that does not change their size. */
export const full: Scale = { people: 10_600, batch: 5_000 }

/** Returns a function that creates accounts on one server, whose jobs plan a batch of enrolments at a time. */
export function newWorlds({ batch }: Scale): (options?: WorldOptions) => Promise<World> {
  let opened: Promise<Server> | undefined
  const open = async (): Promise<Server> => {
    const server = await newServer({}, { maxRowsAtOnce: batch })
    return { ...server, system: { ...server.system, maxRowsAtOnce: batch } }
  }
  return async (options) => {
    opened ??= open()
    return newWorld({ server: await opened, ...options })
  }
}

/** Creates contacts without consent, and returns their ids in ascending order. */
export async function newContacts(world: World, n: number): Promise<number[]> {
  const rows = await world.rows<{ id: number }>(
    `INSERT INTO contact (account_id, email, created_at, updated_at)
     SELECT $1, gen_random_uuid() || '@example.com', now(), now() FROM generate_series(1, $2::int) RETURNING id`,
    [world.accountId, n],
  )
  return rows.map(({ id }) => id).toSorted((a, b) => a - b)
}

/** An enrolment whose progress is stored without its plan: SQL expressions by column. */
export type Variant = Readonly<Record<string, string>>

/** Enrols contacts in a sequence, one of the variants after the other. */
export async function enrolVariants(
  world: World,
  sequence: Named,
  contactIds: readonly number[],
  variants: readonly Variant[],
): Promise<void> {
  for (const [index, variant] of variants.entries()) {
    const ids = contactIds.filter((_, place) => place % variants.length === index)
    const columns = Object.keys(variant)
    await world.rows(
      `INSERT INTO enrolment (account_id, contact_id, sequence_id, ${columns.join(', ')})
       SELECT $1::int, id, $2::int, ${columns.map((column) => variant[column]).join(', ')} FROM unnest($3::int[]) AS given(id)`,
      [world.accountId, sequence.databaseId, ids],
    )
  }
  await world.rows('ANALYZE enrolment')
}

/** Runs the job that plans or deletes the enrolments of a sequence, more often than it enqueues itself on a busy machine. */
export async function runJob(world: World, { databaseId }: Named): Promise<void> {
  const payload = { accountId: world.accountId, sequenceId: databaseId }
  for (let run = 0; run < 10; run += 1) await sequenceJobs['sequences:enrolments'](world.server.system, payload)
}

/** Returns the ids of the contacts of the events of a type that are about a sequence. */
export async function contactsOfEvents(world: World, type: string, { databaseId }: Named): Promise<number[]> {
  const events = await world.announced(type)
  return events
    .filter(({ data }) => data['sequenceId'] === databaseId)
    .map(({ data }) => data['contactId'] as number)
    .toSorted((a, b) => a - b)
}

/** Creates a sequence with stages of a type, all active, with delays of 1, 2, 3 … days. */
export async function newStages(
  world: World,
  n: number,
  input: object = {},
): Promise<{ sequence: Named; stages: Named[] }> {
  const sequence = await world.sequence()
  const stages: Named[] = []
  for (let day = 1; day <= n; day += 1)
    stages.push(await world.stage(sequence, { timeValue: day, active: true, ...input }))
  return { sequence, stages }
}
