// node test/bench/model.ts [--contacts 1000000 --messages 10000000] [--run]
// prints what an installation needs for messages of a month, or what costs.ts should measure for so many
import { parseArgs } from 'node:util'

/** What one unit of work takes: processor time in ms, bytes of the write-ahead log, events. `costs.ts` measured it. */
export const costs = {
  imported: { node: 0.039, postgres: 0.093, wal: 4_820, events: 1 },
  read: { node: 0.61, postgres: 0.12, wal: 0, events: 0 },
  update: { node: 0.66, postgres: 0.84, wal: 4_800, events: 1 },
  message: { node: 0.49, postgres: 0.3, wal: 5_020, events: 1 },
  visit: { node: 0.23, postgres: 0.09, wal: 980, events: 0 },
  delivery: { node: 1.07, postgres: 1.44, wal: 2_930, events: 0 },
}
type Work = keyof typeof costs

/**
 * Bytes of a row with its indexes, and of its indexes. `growth.ts` measured them. A message and an event are updated after they
 * are stored, so those are of `costs.ts`: the space of old versions is used again, but not returned.
 */
const bytes = {
  contact: { all: 966, indexes: 786 },
  tag: { all: 196, indexes: 136 },
  change: { all: 183, indexes: 81 },
  consent: { all: 158, indexes: 80 },
  message: { all: 557, indexes: 296 },
  figures: { all: 60, indexes: 30 },
  open: { all: 198, indexes: 121 },
  click: { all: 231, indexes: 121 },
  visit: { all: 278, indexes: 73 },
  event: { all: 549, indexes: 340 },
  delivery: { all: 707, indexes: 160 },
}

/** Assumptions on the use. Those of messages are per message, those of contacts per contact. */
const use = {
  tags: 5,
  changes: 3,
  opens: 0.33,
  clicks: 0.05,
  visits: 0.1,
  deliveries: 0.1,
  /** Requests of the API, of which a fifth changes a contact, and new contacts, per contact and month. */
  requests: 2,
  imported: 0.05,
  /** Part of a month's work in its busiest hour: 22 times the mean. */
  peak: 0.03,
}

/** Days that rows are kept, by default. */
const kept = { tracking: 400, events: 7, deliveries: 30 }

/** Part of a processor that is used at most, so that requests do not wait. */
const busy = 0.6

/**
 * What one PostgreSQL on a large machine can do. The order of events was measured beside other work; the others are usual sizes.
 */
const limits = {
  'processors of PostgreSQL': 64,
  'memory for indexes': 512e9,
  disk: 16e12,
  'write-ahead log a second': 200e6,
  'connections, with a pooler': 500,
  'order of events a second': 17_000,
}

export interface Size {
  readonly contacts: number
  /** Messages of a month. */
  readonly messages: number
}

/** Returns the number of units of each work in a month. An open and a click are requests like a visit. */
function workOf({ contacts, messages }: Size): Record<Work, number> {
  const requests = contacts * use.requests
  return {
    imported: contacts * use.imported,
    read: requests * 0.8,
    update: requests * 0.2,
    message: messages,
    visit: messages * (use.opens + use.clicks + use.visits),
    delivery: messages * use.deliveries,
  }
}

/** Returns the sum of a cost over all work. */
export function sumOf(work: Partial<Record<Work, number>>, part: keyof (typeof costs)[Work]): number {
  return Object.entries(work).reduce((sum, [name, units]) => sum + units * costs[name as Work][part], 0)
}

/** Returns the bytes on disk of contacts, of messages that were sent in so many months, and of what is kept for a time. */
export function diskOf({ contacts, messages }: Size, months: number): number {
  const upTo = (days: number) => Math.min(months, days / 30) * messages
  const perContact = bytes.contact.all + use.tags * bytes.tag.all + use.changes * bytes.change.all + bytes.consent.all
  const tracked = use.opens * bytes.open.all + use.clicks * bytes.click.all + use.visits * bytes.visit.all
  const events = 1 + use.opens + use.clicks
  return (
    contacts * perContact +
    messages * months * (bytes.message.all + bytes.figures.all) +
    upTo(kept.tracking) * tracked +
    upTo(kept.events) * events * bytes.event.all +
    upTo(kept.deliveries) * use.deliveries * bytes.delivery.all
  )
}

/** Returns what an installation of a size needs. */
export function needsOf(size: Size) {
  const work = workOf(size)
  const perSecond = use.peak / 3_600
  const { message, delivery, imported, ...requests } = work
  const api = Math.ceil(((sumOf(requests, 'node') / 1_000) * perSecond) / busy) || 1
  const worker = Math.ceil(((sumOf({ message, delivery, imported }, 'node') / 1_000) * perSecond) / busy) || 1
  const processors = ((sumOf(work, 'postgres') / 1_000) * perSecond) / busy
  const month = size.messages
  const memory =
    size.contacts * (bytes.contact.indexes + use.tags * bytes.tag.indexes) +
    month * (bytes.message.indexes + use.opens * bytes.open.indexes) +
    (month * kept.events * (1 + use.opens + use.clicks) * bytes.event.indexes) / 30
  const wal = sumOf(work, 'wal') * perSecond
  const events = (sumOf(work, 'events') + size.messages * (use.opens + use.clicks)) * perSecond
  const needs: Record<keyof typeof limits, number> = {
    'processors of PostgreSQL': processors,
    'memory for indexes': memory,
    disk: diskOf(size, 36),
    'write-ahead log a second': wal,
    // The pooler has 25, an API process three and a worker eight.
    'connections, with a pooler': 25 + 3 * api + 8 * worker,
    'order of events a second': events,
  }
  const shares = Object.entries(needs).map(([name, need]) => ({
    name,
    share: need / limits[name as keyof typeof limits],
  }))
  const [first] = shares.toSorted((one, other) => other.share - one.share)
  return {
    api,
    worker,
    processors,
    memory,
    wal,
    month: sumOf(work, 'wal'),
    disk: diskOf(size, 12),
    later: needs.disk,
    first,
  }
}

/** Returns what `costs.ts` should measure for the import of contacts and so many messages: processor time in ms, bytes. */
export function runOf({ contacts, messages }: Size) {
  const work = { imported: contacts, message: messages }
  const { contact, change, consent, event, message, figures } = bytes
  return {
    node: sumOf(work, 'node'),
    postgres: sumOf(work, 'postgres'),
    wal: sumOf(work, 'wal'),
    disk:
      contacts * (contact.all + change.all + consent.all + event.all) +
      messages * (message.all + event.all + figures.all),
  }
}

function amount(size: number): string {
  const [unit, name] = size >= 1e12 ? [1e12, 'TB'] : size >= 1e9 ? [1e9, 'GB'] : [1e6, 'MB']
  return `${Number((size / unit).toPrecision(2))} ${name}`
}

/** Returns the rows of the table, in Markdown. */
export function tableOf(sizes: readonly Size[]): string {
  const header =
    'contacts | messages a month | API processes | workers | processors of PostgreSQL | disk after 1 year | 3 years | log a month | at peak | memory for indexes | first limit of one PostgreSQL'
  const lines = sizes.map((size) => {
    const { api, worker, processors, memory, wal, month, disk, later, first } = needsOf(size)
    const full = `${first?.name}: ${Math.round((first?.share ?? 0) * 100)} %`
    const names = [size.contacts, size.messages].map((n) => n.toLocaleString('en'))
    return [
      ...names,
      api,
      worker,
      processors.toFixed(1),
      amount(disk),
      amount(later),
      amount(month),
      `${amount(wal)}/s`,
      amount(memory),
      full,
    ].join(' | ')
  })
  return [header, header.replace(/[^|]+/g, '---'), ...lines]
    .map((line) => `| ${line} |`.replaceAll(' ---', '---').replaceAll('--- ', '---'))
    .join('\n')
}

/** The sizes of the table in growth.md. */
export const usual: readonly Size[] = [1e5, 1e6, 1e7, 1e8].map((contacts) => ({ contacts, messages: contacts * 10 }))

if (import.meta.main) {
  const { values } = parseArgs({
    options: { contacts: { type: 'string' }, messages: { type: 'string' }, run: { type: 'boolean' } },
  })
  const contacts = Number(values.contacts ?? 0)
  const size = { contacts, messages: Number(values.messages ?? contacts * 10) }
  console.log(values.run ? runOf(size) : tableOf(contacts > 0 ? [size] : usual))
}
