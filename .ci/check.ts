// node .ci/check.ts SECONDS    runs all checks after `npm ci`, which took these seconds, and says what failed. `.ci/run` starts it.
//
// Where a PostgreSQL and a Redis answer on this machine, some files run on them, and where PgBouncer is installed, some run through
// it. Where the programs of another PostgreSQL are installed, all other files run a second time, on it. All as far as there is time.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { startCluster } from './cluster.ts'
import { hasSecondLook } from './second-look.ts'
import { type FileResult, killGroup, runSuite, type Suite, type SuiteResult } from './suite.ts'

/** Seconds after which no work begins; what runs then is stopped. */
const deadline = 5_100
/** Files that pass only in their second run, from which on the run fails. */
const mostUnsteady = 5
/** The files that depend most on the database server and on Redis. */
const ofServers = [
  'test/account/keys',
  'test/account/redis',
  'test/events/processes',
  'test/finance',
  'test/runtime/dump',
]
/**
 * Files that need the PostgreSQL or the Redis of the run: for the plans and letters of its version, or because accounts of other
 * files would count in the same Redis.
 */
const ofOwnServers = [
  ...['test/contacts/address-key', 'test/contacts/filter-plans', 'test/graphql/small-account-plans'],
  'test/outage/redis',
]
const throughPooler = ['test/contacts/imports', 'test/campaigns/sending', 'test/events/log', 'test/mail/first-campaign']

const secondsBefore = Number(process.argv[2] ?? 0)
const began = performance.now()
const times: [step: string, seconds: number][] = [['npm ci', secondsBefore]]
const failed: string[] = []
const unsteady: string[] = []
const notRun: string[] = []
const files: (FileResult & { readonly suite: Suite })[] = []
/** `npm ci` is the first check. */
let passed = 1

function elapsed(): number {
  return secondsBefore + (performance.now() - began) / 1000
}

function left(): number {
  return Math.max(1, deadline - elapsed())
}

/** Runs a step and notes its seconds. */
async function time<Result>(step: string, run: () => Promise<Result>): Promise<Result> {
  const start = elapsed()
  const result = await run()
  times.push([step, elapsed() - start])
  console.log(`(${step}: ${Math.round(elapsed() - start)} s)`)
  return result
}

interface Verdict {
  readonly name: string
  readonly isPassed: boolean
}

/** Runs a command that is a check, and prints its output when it has ended. It fails if there is no time for it. */
async function command(name: string, words: readonly string[]): Promise<Verdict> {
  return await time(name, async () => {
    const [program = '', ...args] = words
    const child = spawn(program, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const output: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
    const timer = setTimeout(() => killGroup(child.pid), left() * 1_000)
    const [code] = await once(child, 'close')
    clearTimeout(timer)
    console.log(`\n== ${name}\n${Buffer.concat(output)}`)
    return { name, isPassed: code === 0 }
  })
}

function record({ name, isPassed }: Verdict): void {
  if (isPassed) passed += 1
  else {
    failed.push(name)
    console.log(`FAILED: ${name}`)
  }
}

/** Seconds that the second runs of the failed files so far need. */
function secondRuns(more: readonly FileResult[] = []): number {
  const again = [...files, ...more].filter(isAgain)
  return again.length === 0 ? 0 : 60 + again.reduce((sum, { seconds }) => sum + 20 + seconds * 1.5, 0)
}

function isAgain({ file, failures, failed }: FileResult): boolean {
  return failed > 0 && failures.length > 0 && failures.every((failure) => hasSecondLook(file, failure))
}

/** Runs tests. Files that the time does not reach fail if they are required, and are listed otherwise. */
async function tests(suite: Suite, isRequired: boolean): Promise<void> {
  console.log(`\n== ${suite.name}`)
  const reserve = (so: readonly FileResult[]) => (isRequired ? 0 : secondRuns(so))
  if (!isRequired && left() - reserve([]) < 120) return void notRun.push(`${suite.name}: all files`)
  const result = await time(suite.name, () => runSuite(suite, (so) => left() - reserve(so) <= 1))
  files.push(...result.files.map((file) => ({ ...file, suite })))
  failed.push(...result.faults.map((fault) => `${suite.name}: ${fault}`))
  for (const { file, hasEnded, failures } of result.files)
    if (!hasEnded && failures.length === 0)
      (isRequired ? failed : notRun).push(`${suite.name}: ${file}${isRequired ? ' did not end in time' : ''}`)
  if (isRequired && result.files.length === 0) failed.push(`${suite.name}: it did not begin`)
}

/**
 * Runs each file with a failure once more, alone and in the same setting. If it passes then, each of its tests counts as passed.
 * After more unsteady files than a run may have, it has failed, and no other file runs.
 */
async function runFailedAgain(): Promise<void> {
  for (const result of files) {
    const { file, suite, failures, seconds } = result
    if (result.failed === 0) {
      passed += result.passed
      continue
    }
    const first = failures[0]
    const found = first?.actual.includes('\n') ? `\nfound: ${first.actual.slice(0, 1_500)}` : ''
    const said = `${file}: ${first?.test}\n${(first?.stack || first?.message)?.slice(0, 1_500)}${found}`
    const hasTime = left() > 20 + seconds && unsteady.length <= mostUnsteady
    const again = isAgain(result) && hasTime ? await runAgain(suite, file) : undefined
    const isPassed = again?.files.every((each) => each.hasEnded && each.failed === 0) && again.faults.length === 0
    if (again && isPassed) {
      passed += again.files.reduce((sum, each) => sum + each.passed, 0)
      unsteady.push(said)
    } else {
      passed += result.passed
      const others = failures.slice(1).map(({ test, message }) => `${file}: ${test}\n${message}`.slice(0, 500))
      failed.push(said, ...others.slice(0, Math.max(0, result.failed - 1)))
    }
  }
  if (unsteady.length > mostUnsteady) failed.push(`${unsteady.length} files are unsteady`)
}

async function runAgain(suite: Suite, file: string): Promise<SuiteResult> {
  console.log(`\n== once more: ${file} (${suite.name})`)
  const once: Suite = { ...suite, filters: [file], exclude: [] }
  return await time(`once more: ${file}`, () => runSuite(once, () => left() <= 1))
}

async function doesAnswer(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

const npmRun = (script: string, ...args: string[]) => ['npm', 'run', '--silent', script, ...args]

// What only reads the sources runs beside the tests, with a lower priority: many tests wait, and use no processor meanwhile.
const beside = (async () => {
  const verdicts: Verdict[] = []
  for (const step of ['format:check', 'lint', 'spelling', 'types', 'directions'])
    verdicts.push(await command(step, ['nice', ...npmRun(step)]))
  return verdicts
})()
await tests({ name: 'tests' }, true)
for (const verdict of await beside) record(verdict)

// It waits for installations most of the time.
const production = command('production', [process.execPath, '.ci/production.ts'])
const coverage = await command('coverage:spec', npmRun('coverage:spec', '--', '--check'))
record(await command('fresh', npmRun('fresh')))
record(await production)
record(await command('speed', [process.execPath, 'test/bench/short.ts']))

const commit = execFileSync('git', ['rev-parse', 'HEAD']).toString().trim()
await tests({ name: 'long tests', filters: ['.long.test'], env: { TESTS: 'all', TEST_ORDER: commit } }, false)

const hasDatabase = await doesAnswer(5432)
const servers = {
  TEST_DATABASE_URL: 'postgresql://postgres@127.0.0.1:5432/postgres',
  ...((await doesAnswer(6379)) && { TEST_REDIS_URL: 'redis://127.0.0.1:6379' }),
}
if (hasDatabase) await tests({ name: 'tests on servers', filters: ofServers, env: servers }, false)
if (existsSync('/usr/sbin/pgbouncer'))
  await tests({ name: 'tests through a pooler', filters: throughPooler, env: { TEST_POOLER: '1' } }, false)
const cluster = await startCluster()
if (cluster) {
  const env = { TEST_DATABASE_URL: cluster.url }
  await tests({ name: 'other tests on a server', exclude: [...ofServers, ...ofOwnServers], env, workers: 3 }, false)
}

await runFailedAgain()
cluster?.stop()
// A check that a test of the REST bridge makes may have been missing for time alone.
const isAgainCovered = !coverage.isPassed && unsteady.some((said) => said.startsWith('test/rest/'))
record(isAgainCovered ? await command('coverage:spec', npmRun('coverage:spec', '--', '--check')) : coverage)

const print = (title: string, lines: readonly string[]) => {
  if (lines.length > 0) console.log(`\n== ${title}\n${lines.join('\n')}`)
}
const row = (name: string, seconds: number) => `${seconds.toFixed(0).padStart(6)} s  ${name}`
const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10)
print('times', [...times.map(([name, seconds]) => row(name, seconds)), row('all', elapsed())])
print(
  'slowest files',
  slowest.map(({ file, suite, seconds }) => row(`${file} (${suite.name})`, seconds)),
)
print('not run, because the time did not reach them', notRun)
print('unsteady: passed when run again, alone', unsteady)
print('failed', failed)
console.log(`\n${passed} passed, ${failed.length} failed`)
process.exit(failed.length === 0 ? 0 : 1)
