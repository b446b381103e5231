// node test/bench/short.ts [--write]   compares with the server of bare SQL in a minute, and fails if a ratio is a quarter below
//                                      that of results/short.json; with --write, writes that file
//
// The ratios are by processor time. The committed ones are from a busy machine, where they are up to a quarter lower than on a
// quiet one.
import { readFile, writeFile } from 'node:fs/promises'

const file = new URL('results/short.json', import.meta.url)
/** The lowest ratio that passes, relative to the committed one. */
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

const filled = await fillDatabase()
const load = startLoader()
try {
  const args = [filled.url, filled.key, String(filled.accountId)]
  const [ours, theirs] = [await startServer('campanile.ts', args), await startServer('baseline/server.ts', args)]
  const committed = JSON.parse(await readFile(file, 'utf8')) as Record<string, number>
  const written: Record<string, number> = {}
  for (const { name, request } of questions(filled.key)) {
    const aim = (committed[name] ?? 0) * least
    let ratio = 0
    for (let attempt = 0; attempt < attempts && !(ratio > aim); attempt += 1) {
      const rounds = await compare(request, load, ours, theirs, { roundMs, warmMs })
      ratio = median(rounds.map((round) => round.theirs.cpu / round.ours.cpu))
    }
    if (!(ratio > aim)) process.exitCode = 1
    written[name] = Number(ratio.toFixed(2))
    console.log(`${name}: ${ratio.toFixed(2)} by CPU, aim ${aim.toFixed(2)}: ${ratio > aim ? 'met' : 'MISSED'}`)
  }
  if (process.argv.includes('--write')) await writeFile(file, `${JSON.stringify(written, undefined, 2)}\n`)
  ours.stop()
  theirs.stop()
} finally {
  load.stop()
  await filled.drop()
}
