import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  // Vite would take graphql's other build for our own files: two copies, whose errors do not know each other.
  resolve: {
    alias: [
      { find: /^graphql$/, replacement: fileURLToPath(new URL('../node_modules/graphql/index.js', import.meta.url)) },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
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
