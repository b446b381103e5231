import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
} from '@prisma/driver-adapter-utils'
import type * as SchemaEngineModule from '@prisma/schema-engine-wasm/schema_engine_bg'

// The oldest PostgreSQL that is supported: SQL written for it runs on all the others.
const version = { text: 'PostgreSQL 15.0', number: 150000 }

/**
 * Gives the SQL that leads from one folder of Prisma schema files to another (from an empty database where `from` is
 * left out), or nothing where they are equal.
 *
 * It is written by Prisma's own schema engine in its WebAssembly form, because the native one has to be downloaded. No
 * database is asked: of the server the engine wants nothing but its version. Fails where a schema does not hold.
 */
export async function migrationSql({ from, to }: { from?: string; to: string }): Promise<string> {
  const target = { files: schemaFiles(to) }
  const datamodels = target.files.map((file): [string, string] => [file.path, file.content])
  const engine = await loadEngine().SchemaEngine.new({ datamodels }, () => undefined, anyServer())
  const result = await engine.diff({
    from: from === undefined ? { tag: 'empty' } : { tag: 'schemaDatamodel', files: schemaFiles(from) },
    to: { tag: 'schemaDatamodel', ...target },
    script: true,
    exitCode: true,
    filters: { externalTables: [], externalEnums: [] },
  })
  return result.exitCode === 0 ? '' : (result.stdout ?? '')
}

function schemaFiles(folder: string): { path: string; content: string }[] {
  const paths = globSync('**/*.prisma', { cwd: folder }).sort()
  return paths.map((path) => ({ path, content: readFileSync(join(folder, path), 'utf8') }))
}

type EngineModule = typeof SchemaEngineModule & { __wbg_set_wasm(exports: unknown): void }

// Node has it; its types leave it to the browser's.
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (compiled: object, imports: Record<string, unknown>) => { exports: Record<string, unknown> }
}

let loaded: EngineModule | undefined

/** The engine, of which a process can have one: the module that drives it keeps its memory. */
function loadEngine(): EngineModule {
  loaded ??= instantiate()
  return loaded
}

/** Does by hand what a bundler would do for the package: ties the WebAssembly file to the module that drives it. */
function instantiate(): EngineModule {
  const require = createRequire(import.meta.url)
  const path = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const glue: EngineModule = require(path)
  const compiled = new WebAssembly.Module(readFileSync(path.replace(/[.]js$/, '.wasm')))
  const { exports } = new WebAssembly.Instance(compiled, { './schema_engine_bg.js': glue })
  glue.__wbg_set_wasm(exports)
  const start = exports['__wbindgen_start']
  if (typeof start === 'function') start()
  return glue
}

/** A server that answers the engine's one question (has it the schema, and which version is it) and takes no order. */
function anyServer() {
  const refuse = () => Promise.reject(new Error('The difference of two schemas needs no database.'))
  const server: SqlDriverAdapter = {
    provider: 'postgres',
    adapterName: 'no-server',
    queryRaw: () =>
      Promise.resolve({
        columnNames: ['exists', 'version', 'numeric_version'],
        columnTypes: [ColumnTypeEnum.Boolean, ColumnTypeEnum.Text, ColumnTypeEnum.Int32],
        rows: [[true, version.text, version.number]],
      }),
    executeRaw: refuse,
    executeScript: refuse,
    startTransaction: refuse,
    getConnectionInfo: () => ({ schemaName: 'public', supportsRelationJoins: true }),
    dispose: () => Promise.resolve(),
  }
  return bindMigrationAwareSqlAdapterFactory({
    provider: 'postgres',
    adapterName: server.adapterName,
    connect: () => Promise.resolve(server),
    connectToShadowDb: refuse,
  })
}
