import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { TestOrder } from './test-order.ts'

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    // Long tests repeat a promise at scale, in number, through another gateway or in a browser. `npm run test:all` runs them too.
    exclude: process.env['TESTS'] === 'all' ? [] : ['**/*.long.test.ts'],
    globalSetup: ['test/support/global.ts'],
    setupFiles: ['test/support/setup.ts'],
    // Node runs our files as they are, in tests as it does when serving.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: TestOrder },
    // `// @module-tag rows` in a file: what it finds is never taken for noise of a busy machine.
    tags: [{ name: 'rows', description: 'Finds rows that are lost, doubled or of another account, also in races.' }],
    pool: 'forks',
    // Files share what they import: loading the whole server takes longer than most of them.
    isolate: false,
    // What a file leaves behind is collected late, and there are many files.
    execArgv: ['--max-old-space-size=6144'],
    // More than the processors of a small machine, because many tests wait: for a time limit, a lock, or a process that starts.
    // One on a PostgreSQL that the run did not start, which usually allows 100 connections: files with several processes use
    // sixty of them. More for the long tests, which wait longer.
    maxWorkers: process.env['TEST_DATABASE_URL'] ? 1 : process.env['TESTS'] === 'all' ? 4 : 3,
    // Generous, because the machine may be busy with other work: a figure that is claimed has a limit of its own.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 100_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'rest-bridge/**/*.ts'],
      exclude: ['**/generated/**'],
      reporter: ['text-summary', 'html'],
    },
  },
})
