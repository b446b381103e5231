import type { Loader, Server } from './processes.ts'
import { page, placeOf } from './questions.ts'
import { type Measured, median, type Side } from './report.ts'

/** Number of rounds of a comparison. The report shows their median. */
const rounds = 5

const connections = 16
const milliseconds = 4_000

/**
 * Loads both servers in turns, so that other load on the machine affects both equally. A round loads each for 4 seconds, by
 * default; half of that before the first one warms them up, unless `warmMs` is given.
 */
export async function compare(
  request: string,
  load: Loader,
  ours: Server,
  theirs: Server,
  {
    otherRequest = request,
    roundMs = milliseconds,
    warmMs = roundMs / 2,
  }: { otherRequest?: string; roundMs?: number; warmMs?: number } = {},
): Promise<Measured[]> {
  const measure = async (server: Server, length: number): Promise<Side> => {
    const before = await server.cpuMilliseconds()
    const bytes = server === ours ? request : otherRequest
    const { perSecond, times } = await load.apply({
      ports: [server.port],
      request: bytes,
      connections,
      milliseconds: length,
    })
    const cpu = ((await server.cpuMilliseconds()) - before) / times.length
    return { perSecond, times, cpu }
  }
  await measure(ours, warmMs)
  await measure(theirs, warmMs)
  const measured: Measured[] = []
  for (let round = 0; round < rounds; round += 1) {
    measured.push({ ours: await measure(ours, roundMs), theirs: await measure(theirs, roundMs) })
  }
  return measured
}

/** Measures the milliseconds of single pages, behind a row of the list and at its start, in short turns. */
export async function comparePages(
  key: string,
  load: Loader,
  server: Server,
  row: number,
): Promise<{ deep: number; first: number }> {
  const response = await server.ask(placeOf(key, row))
  const { endCursor } = (response as { data: { contacts: { pageInfo: { endCursor: string } } } }).data.contacts.pageInfo
  const timesOf = async (after: string | null) => {
    const request = page(key, after)
    return (await load.apply({ ports: [server.port], request, connections: 1, milliseconds: 500 })).times
  }
  await timesOf(null)
  await timesOf(endCursor)
  const [deep, first]: [number[], number[]] = [[], []]
  for (let round = 0; round < 2 * rounds; round += 1) {
    first.push(...(await timesOf(null)))
    deep.push(...(await timesOf(endCursor)))
  }
  return { deep: median(deep), first: median(first) }
}
