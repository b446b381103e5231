import { setTimeout as sleep } from 'node:timers/promises'
import { campaigns, pausing, sending } from '../../../src/campaigns/index.ts'
import { bulkJobs, imports, tags } from '../../../src/contacts/index.ts'
import { newCtx } from '../../../src/db/context.ts'
import type { Process, World } from '../mail/world.ts'
import { ask } from './requests.ts'

/** The large account: tags that all contacts have, and a key. */
export interface Large {
  readonly key: string
  readonly tagId: number
  /** Tags that are deleted one after another. */
  readonly oldTagIds: number[]
}

/** What a work needs. It ends soon after `isOver` returns true. `running` resolves while the work is not paused. */
interface Bench {
  readonly world: World
  readonly large: Large
  readonly api: Process
  /** Share of the time that paced work takes. */
  readonly share: number
  readonly isOver: () => boolean
  readonly running: () => Promise<void>
}

/** How long the baseline computes before it rests, in milliseconds: as long as a part of a snapshot. */
const busyMs = 50

/** The works of the large account by name. Each is repeated until the measurement is over. */
export const works: Readonly<Record<string, (bench: Bench) => Promise<unknown>>> = {
  async nothing({ isOver }) {
    await until(async () => isOver())
  },
  async 'busy processor'({ share, isOver, running }) {
    while (!isOver()) {
      await running()
      for (const end = performance.now() + busyMs; performance.now() < end; );
      await sleep(busyMs * (1 / share - 1))
    }
  },
  async import({ world, isOver }) {
    const ctx = newCtx(world.system, world)
    const part = Math.random().toString(36).slice(2)
    const lines = Array.from({ length: 20_000 }, (_, n) => `${part}n${n}@import.example,Ada,a;b\n`)
    const file = (async function* () {
      yield Buffer.from(`email,first_name,tags\n${lines.join('')}`)
    })()
    const { id } = await imports.createFromStream(ctx, {}, file)
    await until(async () => isOver() || (await isZero(world, 'contact_import', `id = ${id} AND status = 'RUNNING'`)))
    await world.database.pool.query(`UPDATE contact_import SET status = 'FAILED' WHERE id = ${id}`)
  },
  async 'bulk job'({ world, large, isOver }) {
    const tagIds = large.oldTagIds.slice(0, 1)
    for (const action of [{ removeTagIds: tagIds }, { addTagIds: tagIds }]) {
      const { bulkJob } = await bulkJobs.create(newCtx(world.system, world), { contacts: { all: true }, action })
      const isDone = () => isZero(world, 'bulk_job', `id = ${bulkJob.id} AND status = 'RUNNING'`)
      await until(async () => isOver() || (await isDone()))
      if (isOver()) await bulkJobs.cancel(newCtx(world.system, world), { id: bulkJob.id }).catch(() => undefined)
    }
  },
  async snapshot({ world, large, isOver }) {
    const id = await send(world, large)
    await until(async () => isOver() || (await isZero(world, 'campaign', `id = ${id} AND snapshot_end IS NOT NULL`)))
    await cancel(world, id)
  },
  async sending({ world, large, isOver }) {
    const id = await send(world, large)
    await until(async () => isOver())
    await cancel(world, id)
  },
  async export({ large, api, isOver, running }) {
    const response = await ask(api.url, large.key, { query: '{ exportLink(list: CONTACTS) { url } }' })
    const { pathname } = new URL((response as { exportLink: { url: string } }).exportLink.url)
    const download = await fetch(new URL(pathname, api.url))
    for await (const _ of download.body ?? []) {
      if (isOver()) break
      await running()
    }
  },
  async 'deletion of a tag'({ world, large, isOver }) {
    const id = large.oldTagIds.pop()
    if (id === undefined) return until(async () => isOver())
    await tags.remove(newCtx(world.system, world), { id })
    await until(async () => isOver() || (await isZero(world, 'contact_tag', `tag_id = ${id}`)))
  },
}

async function send({ system, accountId }: World, { tagId }: Large): Promise<number> {
  const ctx = newCtx(system, { accountId })
  const details = { name: 'News', subject: 'Hello', fromName: 'Ada', fromEmail: 'ada@example.com' }
  const audience = { lists: { includeTagIds: [tagId] } }
  const { campaign } = await campaigns.create(ctx, { ...details, audience })
  await campaigns.setContent(ctx, { id: campaign.id, html: '<p>Hello</p>' })
  await sending.send(ctx, { id: campaign.id })
  return campaign.id
}

async function cancel(world: World, id: number): Promise<void> {
  await pausing.cancel(newCtx(world.system, world), { id }).catch(() => undefined)
}

async function isZero({ database, accountId }: World, table: string, where: string): Promise<boolean> {
  const { rows } = await database.pool.query(
    `SELECT FROM ${table} WHERE account_id = ${accountId} AND ${where} LIMIT 1`,
  )
  return rows.length === 0
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await sleep(100)
}
