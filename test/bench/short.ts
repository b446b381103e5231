// node test/bench/short.ts [--write]   compares with the server of bare SQL in a minute, and fails if a request is a quarter more
//                                      costly than in results/short.json; with --write, writes that file
//
// The costs are processor time. The ratio to the other server depends on the machine: that one spends most of its time in the
// system, ours in JavaScript, so the same code has 0.77 on one machine and 0.57 on another. So it is enough that the time that
// ours needs beyond that of the other server is low in units of work in JavaScript, which are measured in the same run.
import { readFile, writeFile } from 'node:fs/promises'

const file = new URL('results/short.json', import.meta.url)
/** The lowest ratio that passes, relative to the committed one; and the lowest relation of the committed excess to that found. */
const least = 0.75
/** A ratio that is too low is measured again, because other work may have begun in the middle. */
const attempts = 3
const roundMs = 2_000
/** Long enough for a slow machine to compile what it runs often. */
const warmMs = 4_000

process.env['BENCH_CONTACTS'] ??= '10000'
const { compare } = await import('./compare.ts')
const { fillDatabase } = await import('./database.ts')
const { startLoader, startServer } = await import('./processes.ts')
const { questions } = await import('./questions.ts')
const { median } = await import('./report.ts')
const { measureUnit } = await import('./unit.ts')

/** The cost of a request: its time of the other server by that of ours, and what ours needs beyond it, in units. */
interface Cost {
  readonly ratio: number
  readonly excess: number
}

const filled = await fillDatabase()
const load = startLoader()
try {
  const args = [filled.url, filled.key, String(filled.accountId)]
  const [ours, theirs] = [await startServer('campanile.ts', args), await startServer('baseline/server.ts', args)]
  const committed = JSON.parse(await readFile(file, 'utf8')) as Record<string, Cost>
  const written: Record<string, Cost> = {}
  for (const { name, request } of questions(filled.key)) {
    const known = committed[name] ?? { ratio: Number.POSITIVE_INFINITY, excess: 0 }
    const [aim, limit] = [known.ratio * least, known.excess / least]
    let [ratio, excess] = [0, Number.POSITIVE_INFINITY]
    const isMet = () => ratio > aim || excess < limit
    for (let attempt = 0; attempt < attempts && !isMet(); attempt += 1) {
      const unit = measureUnit()
      const rounds = await compare(request, load, ours, theirs, { roundMs, warmMs })
      ratio = median(rounds.map((round) => round.theirs.cpu / round.ours.cpu))
      excess = median(rounds.map((round) => (round.ours.cpu - round.theirs.cpu) / unit))
    }
    if (!isMet()) process.exitCode = 1
    written[name] = { ratio: Number(ratio.toFixed(2)), excess: Number(excess.toFixed(2)) }
    const found = `${ratio.toFixed(2)} by CPU, aim ${aim.toFixed(2)}; excess ${excess.toFixed(2)}, limit ${limit.toFixed(2)}`
    console.log(`${name}: ${found}: ${isMet() ? 'met' : 'MISSED'}`)
  }
  if (process.argv.includes('--write')) await writeFile(file, `${JSON.stringify(written, undefined, 2)}\n`)
  ours.stop()
  theirs.stop()
} finally {
  load.stop()
  await filled.drop()
}
