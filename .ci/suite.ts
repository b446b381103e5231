import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import type { ReportLine } from './reporter.ts'
import type { Failure } from './second-look.ts'

/** The tests that a run executes, and where. */
export interface Suite {
  readonly name: string
  /** Parts of the paths of its files. All files if it is empty. */
  readonly filters?: readonly string[]
  readonly exclude?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** How many files run at a time. By default, what the configuration says. */
  readonly workers?: number
}

export interface FileResult {
  readonly file: string
  readonly seconds: number
  readonly passed: number
  readonly failed: number
  /** False if the run was stopped before the file had ended. */
  readonly hasEnded: boolean
  readonly failures: readonly Failure[]
}

export interface SuiteResult {
  readonly suite: Suite
  readonly files: readonly FileResult[]
  /** Errors outside of tests, and a run that failed without a failure. */
  readonly faults: readonly string[]
  readonly isStopped: boolean
}

/**
 * Runs `npm test`. Stops it with all its processes as soon as `mustStop` is true for the files so far; it is asked each second.
 */
export async function runSuite(suite: Suite, mustStop: (files: FileResult[]) => boolean): Promise<SuiteResult> {
  const folder = mkdtempSync(join(temporaryFolder(), 'campanile-ci-'))
  // The user of the database server passes through it.
  chmodSync(folder, 0o711)
  const report = join(folder, 'report')
  const excluded = (suite.exclude ?? []).flatMap((path) => ['--exclude', `**/${path}*`])
  const reporters = ['--reporter=default', '--reporter=./.ci/reporter.ts']
  const workers = suite.workers === undefined ? [] : [`--maxWorkers=${suite.workers}`]
  const args = ['test', '--silent', '--', ...reporters, ...workers, ...excluded, ...(suite.filters ?? [])]
  const env = { ...process.env, TMPDIR: folder, ...suite.env, CI_REPORT: report }
  const child = spawn('npm', args, { env, detached: true, stdio: ['ignore', 'inherit', 'inherit'] })
  let isStopped = false
  const timer = setInterval(() => {
    if (!mustStop(read(report).files)) return
    isStopped = true
    killGroup(child.pid)
  }, 1_000)
  const [code] = await once(child, 'exit')
  clearInterval(timer)
  if (isStopped) killServers(folder)
  const { files, faults } = read(report)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  const isEmpty = files.every(({ passed, failed }) => passed + failed === 0)
  const isSilent = faults.length === 0 && files.every(({ failures }) => failures.length === 0)
  const silent = !isStopped && isSilent && (code !== 0 || isEmpty) ? [`It ended with ${code}, without a failure.`] : []
  return { suite, files, faults: [...faults, ...silent], isStopped }
}

function read(report: string): { files: FileResult[]; faults: string[] } {
  const text = existsSync(report) ? readFileSync(report, 'utf8') : ''
  // The last line may be incomplete.
  const written = text.split('\n').slice(0, -1)
  const lines = written.map((line): ReportLine => JSON.parse(line))
  const planned = lines.flatMap((line) => (line.kind === 'planned' ? line.files : []))
  const files = planned.map((file): FileResult => {
    const failures = lines.flatMap((line) => (line.kind === 'failure' && line.file === file ? [line.failure] : []))
    const end = lines.find((line) => line.kind === 'ended' && line.file === file)
    if (end?.kind === 'ended') return { ...end, hasEnded: true, failures }
    const failed = new Set(failures.map(({ test }) => test)).size
    return { file, seconds: 0, passed: 0, failed, hasEnded: false, failures }
  })
  return { files, faults: lines.flatMap((line) => (line.kind === 'unhandled' ? [line.message] : [])) }
}

/** Ends a process that leads a group, and the group. */
export function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}

/** Ends the database servers of a run that was stopped: they are in groups of their own. */
function killServers(folder: string): void {
  try {
    execFileSync('pkill', ['-9', '-f', folder])
  } catch {
    // There are none.
  }
}
