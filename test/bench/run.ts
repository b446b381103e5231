import { deepStrictEqual } from 'node:assert/strict'
import { compare, comparePages } from './compare.ts'
import { type FilledDatabase, fillDatabase } from './database.ts'
import { explainBaseline } from './explain.ts'
import { type Loader, type Server, startLoader, startServer } from './processes.ts'
import { type Question, questions } from './questions.ts'
import { newReport } from './report.ts'

/** Position of the deep page. */
const deepRow = 90_000

const filled = await fillDatabase()
const started: { stop(): void }[] = []
const stop = async () => {
  for (const each of started.splice(0)) each.stop()
  await filled.drop()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop().finally(() => process.exit(1)))
try {
  if (process.argv.includes('--explain')) await explainBaseline(filled)
  else process.exitCode = (await measureAll(filled)) ? 0 : 1
} finally {
  await stop()
}

/** Runs and prints all measurements. Returns whether every target is met. */
async function measureAll({ url, key, accountId }: FilledDatabase): Promise<boolean> {
  const args = [url, key, String(accountId)]
  const load = started[started.push(startLoader()) - 1] as Loader
  const ours = await startServer('campanile.ts', args)
  started.push(ours)
  const theirs = await startServer('baseline/server.ts', args)
  started.push(theirs)

  const report = newReport()
  for (const question of questions(key)) {
    await assertEqualResponses(question, ours, theirs)
    report.throughput(question.name, await compare(question.request, load, ours, theirs))
  }
  report.latency(
    `GraphQL, page behind row ${deepRow.toLocaleString('en')}`,
    await comparePages(key, load, ours, deepRow),
  )
  return report.print()
}

/** Throws unless both servers respond alike, because only then can their speed be compared. */
async function assertEqualResponses({ name, request }: Question, ours: Server, theirs: Server): Promise<void> {
  const [mine, other] = await Promise.all([ours, theirs].map((server) => server.ask(request)))
  deepStrictEqual(withoutExtensions(mine), withoutExtensions(other), `${name}: the servers answer differently`)
}

/** The `extensions` of GraphQL contain the rate limit, which the baseline does not have. */
function withoutExtensions(answer: unknown): unknown {
  const { extensions: _left, ...rest } = answer as { extensions?: unknown }
  return rest
}
