import { expect } from 'vitest'
import { until } from '../runtime/process.ts'
import { ageHeartbeats } from '../support/dead-worker.ts'
import { newServer } from '../support/server.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { worker } from './crash.ts'
import { countStates, createSubscribers, sendCampaign, waitForStatus } from './sending.ts'
import { newSink } from './sink.ts'

export const Delete = 'mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }'

export async function remove(world: World, id: string | number): Promise<void> {
  expect((await world.run(Delete, { id })).contactDelete).toEqual({ deleted: true })
}

export interface Row {
  state: string
  answer: string | null
  attempts: number
  redacted: boolean
}

export const rowsOf = (world: World, { databaseId }: Pick<Named, 'databaseId'>) =>
  world.rows<Row>(
    `SELECT state, answer, attempts, is_redacted AS redacted FROM mail_recipient
     WHERE account_id = $1 AND contact_id = $2 ORDER BY id`,
    [world.accountId, databaseId],
  )

/** Deletes a contact as a client does: what the server has no room for at the moment is asked for again. */
export async function removeAtLast(world: World, id: number): Promise<void> {
  for (;;) {
    const { body } = await world.ask(Delete, { id })
    const code = body.errors?.[0].extensions.code
    if (code !== 'UNAVAILABLE') {
      expect(body).toEqual({ data: { contactDelete: { deleted: true } }, extensions: expect.anything() })
      return
    }
  }
}

/** Requests that failed for a fault of the server, not for want of room. */
export const faultsOf = ({ server }: World) => server.errors.filter(({ msg }) => msg !== 'the database gave no answer')

/** Deletes `gone` of `all` contacts while their campaign is sent by a worker that is killed several times. */
export async function deleteWhileSending({
  all,
  gone,
  kills,
}: {
  all: number
  gone: number
  kills: number
}): Promise<void> {
  const [atOnce, connections] = [50, 5]
  const sink = await newSink({ delay: 40, keepRaw: false })
  const world = await newWorld({ server: await newServer({ DATABASE_POOL_SIZE: '10' }) })
  await createSubscribers(world, all)
  const people = await world.rows<{ id: number; email: string }>(
    "SELECT id, email FROM contact WHERE account_id = $1 ORDER BY md5(id::text || 'shuffled')",
    [world.accountId],
  )
  const { id, databaseId } = await sendCampaign(world)
  const leaving = people.slice(0, gone)
  /** Those of whom nothing was with the mail server when their deletion was answered. */
  const unsent = new Set<string>()
  const left: string[] = []
  const leave = async () => {
    await until(() => sink.taken.length >= 20)
    for (let each = leaving.shift(); each; each = leaving.shift()) {
      await removeAtLast(world, each.id)
      const rows = await rowsOf(world, { databaseId: each.id })
      expect(rows).toHaveLength(1)
      left.push(rows[0]?.state ?? '')
      if (['SKIPPED', 'CLAIMED'].includes(rows[0]?.state ?? '')) unsent.add(each.email)
    }
  }
  const kill = async () => {
    for (let turn = 1; turn <= kills; turn += 1) {
      const running = await worker(world, sink)
      const before = sink.taken.length
      await until(() => sink.taken.length >= before + 60)
      running.signal('SIGKILL')
      await running.end
      await ageHeartbeats(world)
    }
    return worker(world, sink)
  }
  const [last] = await Promise.all([kill(), ...Array.from({ length: atOnce }, leave)])
  const ended = await waitForStatus(world, id, 'SENT')
  last.signal('SIGTERM')
  expect((await last.end).code).toBe(0)

  expect(faultsOf(world)).toEqual([])
  expect(left).toHaveLength(gone)
  expect(left.filter((state) => !['SENT', 'SKIPPED', 'CLAIMED', 'SENDING', 'UNKNOWN'].includes(state))).toEqual([])
  const { SENT = 0, SKIPPED = 0, UNKNOWN = 0, ...others } = await countStates(world, databaseId)
  expect(others).toEqual({})
  expect(SENT + SKIPPED + UNKNOWN).toBe(all)
  expect(ended).toMatchObject({ recipientsCount: all, sentTo: SENT, stats: { sent: SENT } })
  expect(SKIPPED).toBeGreaterThan(gone / 10)
  expect(SKIPPED).toBe(unsent.size)
  expect(UNKNOWN).toBeLessThanOrEqual(kills * connections)

  const taken = sink.taken.map(({ to }) => to)
  expect(new Set(taken).size).toBe(taken.length)
  expect(taken.length).toBeGreaterThanOrEqual(SENT)
  expect(taken.length).toBeLessThanOrEqual(SENT + UNKNOWN)
  expect(taken.filter((to) => unsent.has(to))).toEqual([])
  const stayed = await world.rows(
    `SELECT 1 FROM contact c JOIN mail_recipient r ON r.account_id = c.account_id AND r.contact_id = c.id
     WHERE c.account_id = $1 AND r.state IN ('SENT', 'UNKNOWN')`,
    [world.accountId],
  )
  expect(stayed).toHaveLength(all - gone)
  // A worker that is killed no longer returns what it counted for messages that were skipped in its last seconds.
  const [quota] = await world.rows<{ used: number }>(
    "SELECT used FROM quota_usage WHERE account_id = $1 AND slot = 'emails'",
    [world.accountId],
  )
  expect(quota?.used).toBeGreaterThanOrEqual(SENT + UNKNOWN)
  expect(quota?.used).toBeLessThanOrEqual(all)
  expect((await world.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(all - gone)
}
