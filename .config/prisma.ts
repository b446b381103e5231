// Prisma looks for a schema engine, and downloads it, even for `generate`, which never runs it: any existing file ends
// the search.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath

import { defineConfig } from 'prisma/config'

export default defineConfig({
  schema: '../prisma',
  migrations: { path: '../prisma/migrations' },
})
