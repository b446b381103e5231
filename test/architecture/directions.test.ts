import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const options = await extractDepcruiseOptions(join(process.cwd(), '.config/dependency-cruiser.mjs'))

/** Returns the broken rules of a tree, by file. */
async function broken(root: string): Promise<Map<string, Set<string>>> {
  const tsConfig = extractTSConfig(join(process.cwd(), 'tsconfig.json'))
  const { output } = await cruise(['src', 'rest-bridge'], { ...options, baseDir: root }, undefined, { tsConfig })
  const rules = new Map<string, Set<string>>()
  for (const { from, rule } of (output as ICruiseResult).summary.violations) {
    rules.set(from, (rules.get(from) ?? new Set()).add(rule.name))
  }
  return rules
}

const modules = ['events', 'account', 'contacts', 'mail', 'sequences', 'campaigns', 'finance', 'forms', 'funnels']

/** A small tree that breaks no rule. */
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
  'src/server/schema.ts': modules.map((name) => `import '../${name}/thing.schema.ts'`).join('\n'),
  'src/app.ts': `import './config.ts'\nimport './server/schema.ts'\nimport 'koa'\nimport '../rest-bridge/index.ts'\nexport const app = 1`,
  'src/main.ts': `import './app.ts'`,
  'src/kernel/clock.ts': `import 'koa'\nexport type Clock = 1`,
  'src/db/client.ts': `import 'pg'\nimport '../../prisma/generated/client/client.ts'\nexport type Client = 1`,
  'src/db/context.ts': `import type { Client } from './client.ts'\nimport type { Clock } from '../kernel/clock.ts'\nexport type Ctx = { db: Client; clock: Clock }`,
  'src/graphql/schema/builder.ts': `import '@pothos/core'\nimport type { Ctx } from '../../db/context.ts'\nexport type Builder = Ctx`,
  ...Object.fromEntries(
    modules.flatMap((name, position) => [
      [`src/${name}/thing.ts`, `import '../db/client.ts'\nexport const thing = 1`],
      [`src/${name}/ports.ts`, 'export type Port = 1'],
      [`src/${name}/thing.schema.ts`, `import '../graphql/schema/builder.ts'\nimport './index.ts'`],
      [
        `src/${name}/index.ts`,
        `export * from './thing.ts'\nexport * from './ports.ts'\n${modules
          .slice(0, position)
          .map((lower) => `import '../${lower}/index.ts'\nimport '../${lower}/ports.ts'`)
          .join('\n')}`,
      ],
    ]),
  ),
  'rest-bridge/index.ts': `import 'koa'\nimport type { DocumentNode } from 'graphql'\nexport type Bridge = DocumentNode`,
}

/** The rule for imports that are not listed as allowed. */
const unlisted = 'not-in-allowed'

/** Files in which these rules are broken, and the import that breaks them. */
const violations: { rules: string[]; file: string; text: string; beside?: Record<string, string> }[] = [
  {
    rules: ['no-cycles'],
    file: 'src/mail/round.ts',
    text: `import './trip.ts'\nexport const round = 1`,
    beside: { 'src/mail/trip.ts': `import './round.ts'\nexport const trip = 1` },
  },
  {
    rules: ['no-cycles'],
    file: 'src/mail/round-type.ts',
    text: `import type { Trip } from './trip-type.ts'\nexport type Round = Trip[]`,
    beside: { 'src/mail/trip-type.ts': `import type { Round } from './round-type.ts'\nexport type Trip = Round` },
  },
  { rules: ['known-rooms'], file: 'src/contacts/attic/box.ts', text: `import '../ports.ts'` },
  {
    rules: ['rooms-in-order'],
    file: 'src/contacts/tags/up.ts',
    text: `import '../people/down.ts'\nexport const up = 1`,
    beside: { 'src/contacts/people/down.ts': `import '../ports.ts'\nexport const down = 1` },
  },
  { rules: ['rooms-in-order'], file: 'src/contacts/tags/top.ts', text: `import '../index.ts'` },
  { rules: ['rooms-in-order'], file: 'src/contacts/events.ts', text: `import type {} from './thing.ts'` },
  {
    rules: ['rooms-in-order'],
    file: 'src/db/driver/account.ts',
    text: `import type {} from '../context.ts'`,
  },
  {
    rules: ['driver-enters-by-index'],
    file: 'src/db/lists/wire.ts',
    text: `import '../driver/wire.ts'`,
    beside: { 'src/db/driver/wire.ts': `import 'pg'\nexport const wire = 1` },
  },
  { rules: ['known-folders', unlisted], file: 'src/demo-pages.ts', text: `import './contacts/index.ts'` },
  { rules: ['known-folders', unlisted], file: 'src/elsewhere/pages.ts', text: `import '../contacts/index.ts'` },
  { rules: [unlisted], file: 'src/funnels/root-file.ts', text: `import '../demo-pages.ts'` },
  { rules: [unlisted], file: 'src/funnels/unknown-folder.ts', text: `import '../elsewhere/pages.ts'` },
  { rules: [unlisted], file: 'src/kernel/process.ts', text: `import '../server/schema.ts'` },
  { rules: [unlisted], file: 'src/kernel/rows.ts', text: `import type {} from '../db/client.ts'` },
  { rules: [unlisted], file: 'src/db/graph.ts', text: `import '../graphql/schema/builder.ts'` },
  { rules: [unlisted], file: 'src/graphql/client.ts', text: `import '../../prisma/generated/client/client.ts'` },
  ...['kernel', 'db', 'graphql'].map((folder) => ({
    rules: [unlisted],
    file: `src/${folder}/module.ts`,
    text: `import '../contacts/index.ts'`,
  })),
  ...modules.slice(0, -1).map((name, position) => ({
    rules: [unlisted],
    file: `src/${name}/above.ts`,
    text: `import type { Port } from '../${modules[position + 1]}/ports.ts'\nexport type Above = Port`,
  })),
  { rules: [unlisted], file: 'src/cli/bridge.ts', text: `import '../../rest-bridge/index.ts'` },
  { rules: [unlisted], file: 'src/events/socket.ts', text: `import '../../rest-bridge/index.ts'` },
  { rules: [unlisted], file: 'src/account/up.ts', text: `import '../app.ts'` },
  { rules: [unlisted], file: 'src/kernel/up.ts', text: `import '../main.ts'` },
  { rules: [unlisted], file: 'src/events/config.ts', text: `import '../config.ts'` },
  { rules: [unlisted], file: 'src/graphql/config.ts', text: `import '../config.ts'` },
  {
    rules: ['bridge-depends-on-no-server', unlisted],
    file: 'rest-bridge/a.ts',
    text: `import type {} from '../src/db/context.ts'`,
  },
  {
    rules: ['bridge-depends-on-no-server', unlisted],
    file: 'rest-bridge/b.ts',
    text: `import '../prisma/generated/client/client.ts'`,
  },
  { rules: ['bridge-depends-on-no-server'], file: 'rest-bridge/c.ts', text: `import '@pothos/core'` },
  { rules: ['bridge-depends-on-no-server'], file: 'rest-bridge/d.ts', text: `import 'graphql-yoga'` },
  { rules: ['database-without-graph'], file: 'src/db/yoga.ts', text: `import 'graphql-yoga'` },
  {
    rules: ['client-runs-in-browsers', unlisted],
    file: 'src/client/server.ts',
    text: `import type {} from '../kernel/clock.ts'`,
  },
  { rules: ['client-runs-in-browsers'], file: 'src/client/node.ts', text: `import 'node:crypto'` },
  { rules: ['client-runs-in-browsers'], file: 'src/client/package.ts', text: `import 'pg'` },
  { rules: ['links-of-clients'], file: 'src/client/links/node.ts', text: `import 'node:crypto'` },
  {
    rules: ['client-without-links'],
    file: 'src/client/everything.ts',
    text: `import './links/apollo.ts'`,
    beside: { 'src/client/links/apollo.ts': 'export const link = 1' },
  },
  { rules: ['console-uses-the-graph'], file: 'src/console/node.tsx', text: `import 'node:crypto'` },
  {
    rules: ['console-uses-the-graph', unlisted],
    file: 'src/console/clock.tsx',
    text: `import type {} from '../kernel/clock.ts'`,
  },
  {
    rules: ['server-without-console', unlisted],
    file: 'src/events/screen.ts',
    text: `import '../console/screen.tsx'`,
    beside: { 'src/console/screen.tsx': 'export const screen = 1' },
  },
  { rules: ['modules-enter-by-index'], file: 'src/finance/window.ts', text: `import '../contacts/thing.ts'` },
  {
    rules: ['modules-enter-by-index'],
    file: 'src/forms/window.ts',
    text: `import type {} from '../contacts/thing.ts'`,
  },
  { rules: ['schema-imports-schema'], file: 'src/finance/window.schema.ts', text: `import '../contacts/thing.ts'` },
  { rules: ['operations-without-transport'], file: 'src/forms/a.ts', text: `import '../graphql/schema/builder.ts'` },
  { rules: ['operations-without-transport'], file: 'src/forms/b.ts', text: `import 'koa'` },
  { rules: ['operations-without-transport'], file: 'src/forms/c.ts', text: `import { GraphQLError } from 'graphql'` },
  { rules: ['operations-without-transport'], file: 'src/forms/d.ts', text: `import './thing.schema.ts'` },
  { rules: ['operations-without-transport'], file: 'src/forms/jobs.ts', text: `import '@pothos/core'` },
  { rules: ['resolvers-without-queries'], file: 'src/forms/page.http.ts', text: `import '../db/client.ts'` },
  { rules: ['resolvers-without-queries'], file: 'src/forms/page.schema.ts', text: `import '../db/client.ts'` },
  {
    rules: ['product-without-tests', unlisted],
    file: 'src/forms/tested.ts',
    text: `import '../../test/support/world.ts'`,
  },
  {
    rules: ['product-without-tests', unlisted],
    file: 'rest-bridge/tested.ts',
    text: `import '../test/support/world.ts'`,
  },
  { rules: ['installed-in-production'], file: 'src/forms/development.ts', text: `import 'vitest'` },
  { rules: ['installed-in-production'], file: 'rest-bridge/luck.ts', text: `import 'undeclared'` },
  { rules: ['resolvable'], file: 'src/forms/lost.ts', text: `import './nowhere.ts'` },
  { rules: ['no-orphans'], file: 'src/forms/left-over.ts', text: 'export const leftOver = 1' },
]

function plant(root: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

describe('import rules', () => {
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

    it.each(violations)('$file breaks $rules', ({ rules, file }) => {
      expect([...(found.get(file) ?? [])].sort()).toEqual([...rules].sort())
    })

    it('has a violation for each rule', () => {
      const rules = options.ruleSet?.forbidden?.map(({ name }) => name) ?? []
      expect(new Set(violations.flatMap((each) => each.rules))).toEqual(new Set([...rules, unlisted]))
    })
  })
})
