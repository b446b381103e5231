import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const options = await extractDepcruiseOptions(join(process.cwd(), '.config/dependency-cruiser.mjs'))

/** The rules broken in a tree, by the file that breaks them. */
async function broken(root: string): Promise<Map<string, Set<string>>> {
  const tsConfig = extractTSConfig(join(process.cwd(), 'tsconfig.json'))
  const { output } = await cruise(['src', 'rest-bridge'], { ...options, baseDir: root }, undefined, { tsConfig })
  const rules = new Map<string, Set<string>>()
  for (const { from, rule } of (output as ICruiseResult).summary.violations) {
    rules.set(from, (rules.get(from) ?? new Set()).add(rule.name))
  }
  return rules
}

const rooms = ['events', 'account', 'contacts', 'mail', 'sequences', 'campaigns', 'finance', 'forms', 'funnels']

/** A small tree in which everything looks the right way. */
const sound: Record<string, string> = {
  'package.json': JSON.stringify({
    type: 'module',
    dependencies: { '@pothos/core': '1', graphql: '1', 'graphql-yoga': '1', koa: '1', pg: '1' },
    devDependencies: { vitest: '1' },
  }),
  ...Object.fromEntries(
    ['@pothos/core', '@prisma/client', 'graphql', 'graphql-yoga', 'koa', 'pg', 'vitest', 'undeclared'].flatMap(
      (name) => [
        [`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' })],
        [`node_modules/${name}/index.js`, 'module.exports = {}'],
      ],
    ),
  ),
  'prisma/generated/client/client.ts': 'export const prisma = 1',
  'test/support/world.ts': 'export const world = 1',
  'src/config.ts': 'export const config = 1',
  'src/schema.ts': rooms.map((room) => `import './${room}/thing.schema.ts'`).join('\n'),
  'src/app.ts': `import './config.ts'\nimport './schema.ts'\nimport 'koa'\nimport '../rest-bridge/index.ts'\nexport const app = 1`,
  'src/main.ts': `import './app.ts'`,
  'src/kernel/context.ts': `import type { Client } from '../db/client.ts'\nexport type Ctx = { db: Client }`,
  'src/db/client.ts': `import 'pg'\nimport '../../prisma/generated/client/client.ts'\nexport type Client = 1`,
  'src/graphql/builder.ts': `import '@pothos/core'\nimport type { Ctx } from '../kernel/context.ts'\nexport type Builder = Ctx`,
  ...Object.fromEntries(
    rooms.flatMap((room, place) => [
      [`src/${room}/thing.ts`, `import '../db/client.ts'\nexport const thing = 1`],
      [`src/${room}/ports.ts`, 'export type Port = 1'],
      [`src/${room}/thing.schema.ts`, `import '../graphql/builder.ts'\nimport './index.ts'`],
      [
        `src/${room}/index.ts`,
        `export * from './thing.ts'\nexport * from './ports.ts'\n${rooms
          .slice(0, place)
          .map((lower) => `import '../${lower}/index.ts'\nimport '../${lower}/ports.ts'`)
          .join('\n')}`,
      ],
    ]),
  ),
  'rest-bridge/index.ts': `import 'koa'\nimport type { DocumentNode } from 'graphql'\nexport type Bridge = DocumentNode`,
}

/** One file (or a few) each, in which one rule is broken, and the import that breaks it. */
const violations: { rule: string; file: string; text: string; beside?: Record<string, string> }[] = [
  {
    rule: 'no-cycles',
    file: 'src/mail/round.ts',
    text: `import './trip.ts'\nexport const round = 1`,
    beside: { 'src/mail/trip.ts': `import './round.ts'\nexport const trip = 1` },
  },
  { rule: 'bridge-stands-alone', file: 'rest-bridge/a.ts', text: `import '../src/kernel/context.ts'` },
  { rule: 'bridge-stands-alone', file: 'rest-bridge/b.ts', text: `import '../prisma/generated/client/client.ts'` },
  { rule: 'bridge-stands-alone', file: 'rest-bridge/c.ts', text: `import '@pothos/core'` },
  { rule: 'bridge-stands-alone', file: 'rest-bridge/d.ts', text: `import 'graphql-yoga'` },
  {
    rule: 'bridge-stands-alone',
    file: 'rest-bridge/e.ts',
    text: `import type { Ctx } from '../src/kernel/context.ts'`,
  },
  { rule: 'one-socket-for-the-bridge', file: 'src/commands.ts', text: `import '../rest-bridge/index.ts'` },
  { rule: 'one-socket-for-the-bridge', file: 'src/events/socket.ts', text: `import '../../rest-bridge/index.ts'` },
  { rule: 'composition-on-top', file: 'src/account/up.ts', text: `import '../app.ts'` },
  { rule: 'composition-on-top', file: 'src/kernel/up.ts', text: `import '../main.ts'` },
  { rule: 'one-reader-of-the-environment', file: 'src/events/config.ts', text: `import '../config.ts'` },
  { rule: 'one-reader-of-the-environment', file: 'src/graphql/config.ts', text: `import '../config.ts'` },
  ...['kernel', 'db', 'graphql'].map((floor) => ({
    rule: 'ground-floor',
    file: `src/${floor}/room.ts`,
    text: `import '../contacts/index.ts'`,
  })),
  { rule: 'kernel-at-the-bottom', file: 'src/kernel/rows.ts', text: `import '../db/client.ts'` },
  { rule: 'database-knows-no-graph', file: 'src/db/graph.ts', text: `import '../graphql/builder.ts'` },
  { rule: 'database-knows-no-graph', file: 'src/db/yoga.ts', text: `import 'graphql-yoga'` },
  { rule: 'client-stands-alone', file: 'src/client/server.ts', text: `import '../kernel/context.ts'` },
  { rule: 'client-stands-alone', file: 'src/client/types.ts', text: `import type { Ctx } from '../kernel/context.ts'` },
  { rule: 'client-stands-alone', file: 'src/client/node.ts', text: `import 'node:crypto'` },
  { rule: 'client-stands-alone', file: 'src/client/package.ts', text: `import 'pg'` },
  ...rooms.slice(0, -1).map((room, place) => ({
    rule: `${room}-looks-down`,
    file: `src/${room}/above.ts`,
    text: `import type { Port } from '../${rooms[place + 1]}/ports.ts'\nexport type Above = Port`,
  })),
  { rule: 'front-door-only', file: 'src/finance/window.ts', text: `import '../contacts/thing.ts'` },
  { rule: 'types-meet-types', file: 'src/finance/window.schema.ts', text: `import '../contacts/thing.ts'` },
  { rule: 'front-door-only', file: 'src/forms/window.ts', text: `import type {} from '../contacts/thing.ts'` },
  { rule: 'operations-know-no-transport', file: 'src/forms/a.ts', text: `import '../graphql/builder.ts'` },
  { rule: 'operations-know-no-transport', file: 'src/forms/b.ts', text: `import 'koa'` },
  { rule: 'operations-know-no-transport', file: 'src/forms/c.ts', text: `import { GraphQLError } from 'graphql'` },
  { rule: 'operations-know-no-transport', file: 'src/forms/d.ts', text: `import './thing.schema.ts'` },
  { rule: 'operations-know-no-transport', file: 'src/forms/jobs.ts', text: `import '@pothos/core'` },
  { rule: 'resolvers-hold-no-queries', file: 'src/forms/page.http.ts', text: `import '../db/client.ts'` },
  { rule: 'resolvers-hold-no-queries', file: 'src/forms/page.schema.ts', text: `import '../db/client.ts'` },
  { rule: 'product-knows-no-tests', file: 'src/forms/tested.ts', text: `import '../../test/support/world.ts'` },
  { rule: 'product-knows-no-tests', file: 'rest-bridge/tested.ts', text: `import '../test/support/world.ts'` },
  { rule: 'installed-in-production', file: 'src/forms/development.ts', text: `import 'vitest'` },
  { rule: 'installed-in-production', file: 'rest-bridge/luck.ts', text: `import 'undeclared'` },
  { rule: 'resolvable', file: 'src/forms/lost.ts', text: `import './nowhere.ts'` },
  { rule: 'no-orphans', file: 'src/forms/left-over.ts', text: 'export const leftOver = 1' },
]

function plant(root: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

describe('the directions of imports', () => {
  it('hold in this repository', async () => {
    expect(Object.fromEntries(await broken(process.cwd()))).toEqual({})
  })

  describe('in a small tree', () => {
    const root = mkdtempSync(join(tmpdir(), 'campanile-directions-'))
    afterAll(() => rmSync(root, { recursive: true }))

    let found: Map<string, Set<string>>
    beforeAll(async () => {
      plant(root, sound)
      expect(Object.fromEntries(await broken(root)), 'the tree before anything is planted').toEqual({})
      for (const { file, text, beside } of violations) plant(root, { [file]: text, ...beside })
      found = await broken(root)
    })

    it.each(violations)('$rule is broken by $file', ({ rule, file }) => {
      expect([...(found.get(file) ?? [])]).toEqual([rule])
    })

    it('has a violation for every rule', () => {
      const rules = options.ruleSet?.forbidden?.map(({ name }) => name)
      expect(new Set(violations.map(({ rule }) => rule))).toEqual(new Set(rules))
    })
  })
})
