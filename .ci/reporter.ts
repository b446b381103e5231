import { appendFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestCase, TestModule, TestSpecification } from 'vitest/node'
import type { Failure } from './second-look.ts'

/** What a run of tests writes to the file `CI_REPORT` as it happens, so that a run that is stopped has said what it found. */
export type ReportLine =
  | { readonly kind: 'planned'; readonly files: readonly string[] }
  | { readonly kind: 'failure'; readonly file: string; readonly failure: Failure }
  | {
      readonly kind: 'ended'
      readonly file: string
      readonly seconds: number
      readonly passed: number
      readonly failed: number
    }
  | { readonly kind: 'unhandled'; readonly message: string }

/** Reports each failure when it happens and each file when it has ended. */
export default class CiReporter implements Reporter {
  onTestRunStart(specifications: readonly TestSpecification[]): void {
    write({ kind: 'planned', files: specifications.map(({ moduleId }) => pathOf(moduleId)) })
  }

  onTestCaseResult(test: TestCase): void {
    for (const error of test.result().errors ?? []) fail(test.module, test.fullName, error, test.tags)
  }

  onTestModuleEnd(module: TestModule): void {
    const tests = [...module.children.allTests()]
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const ofHooks = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors())
    const tags = [...new Set(tests.flatMap((test) => test.tags))]
    for (const error of ofHooks) fail(module, 'its hooks', error, tags)
    // A file that does not load, or whose hook fails, may have no failed test.
    const failed = Math.max(count('failed'), module.state() === 'failed' || ofHooks.length > 0 ? 1 : 0)
    const seconds = module.diagnostic().duration / 1000
    write({ kind: 'ended', file: pathOf(module.moduleId), seconds, passed: count('passed'), failed })
  }

  onTestRunEnd(_: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    for (const { name, message, stack } of unhandled)
      write({ kind: 'unhandled', message: `${name}: ${message}\n${stack}` })
  }
}

function fail({ moduleId }: TestModule, test: string, error: SerializedError, tags: readonly string[]): void {
  const { name = '', message, stack = '', actual, expected } = error
  const failure = { test, name, message, stack, actual: textOf(actual), expected: textOf(expected), tags }
  write({ kind: 'failure', file: pathOf(moduleId), failure })
}

function write(line: ReportLine): void {
  const path = process.env['CI_REPORT']
  if (path) appendFileSync(path, `${JSON.stringify(line)}\n`)
}

function pathOf(moduleId: string): string {
  return moduleId.slice(moduleId.lastIndexOf('/test/') + 1)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
