// Which file may import which. Each rule is proven red by test/architecture/directions.test.ts.
import { rooms } from './rooms.ts'

/** From low to high: a module calls those before it, and reacts to events of those after it. */
const modules = [
  'events',
  'account',
  'contacts',
  'content',
  'mail',
  'sequences',
  'campaigns',
  'finance',
  'forms',
  'funnels',
]
const anyModule = `(${modules.join('|')})`
const transport = '[.](schema|http)[.]ts$'
const packages = (...names) => `node_modules/(@types/)?(${names.join('|')})/`

/** The folders of src/, each with those that it may import from besides itself. An import that is not listed here fails. */
const base = ['kernel', 'db', 'graphql']
const folders = {
  kernel: [],
  config: [],
  db: ['kernel'],
  graphql: ['kernel', 'db'],
  client: [],
  console: ['client'],
  ...Object.fromEntries(modules.map((name, position) => [name, [...base, ...modules.slice(0, position)]])),
  exports: [...base, ...modules],
  figures: [...base, ...modules],
  search: [...base, ...modules],
  server: [...base, ...modules, 'exports', 'figures', 'search'],
  demo: [...base, ...modules, 'server'],
  cli: [...base, ...modules, 'exports', 'server', 'demo'],
}
const anyFolder = `(${Object.keys(folders).join('|')})`

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const allow = (from, to) => ({ from: { path: from }, to: { path: to } })

/** Forbids that a room imports one after it, or what stands above all rooms. */
const roomsInOrder = Object.entries(rooms).flatMap(([folder, { base = [], rooms: names }]) => {
  const pathOf = (name) => (name === '.' ? `^${folder}/[^/]+$` : `^${folder}/${name}/[^/]+$`)
  const bottom = `^${folder}/(${base.join('|') || '-'})[.]tsx?$`
  const places = [bottom, ...names.map(pathOf)]
  const top = names.includes('.') ? [] : [pathOf('.')]
  return places.flatMap((from, place) => {
    const after = [...places.slice(place + 1), ...top]
    const comment = 'A room uses those before it in rooms.ts. A function that both need belongs to the lower one.'
    const to = { path: after.join('|'), pathNot: bottom }
    return after.length === 0 ? [] : forbid('rooms-in-order', comment, { path: from }, to)
  })
})

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  allowedSeverity: 'error',
  allowed: [
    ...Object.entries(folders).map(([name, others]) =>
      allow(`^src/${name}/`, `^src/(${[name, ...others].join('|')})/`),
    ),
    allow('^src/main[.]ts$', '^src/((app|config)[.]ts$|(kernel|db|server|demo)/)'),
    allow('^src/app[.]ts$', `^src/(config[.]ts$|${anyFolder}/)|^rest-bridge/index[.]ts$`),
    allow('^src/config[.]ts$', '^src/(config/|kernel/values/address[.]ts$)'),
    allow('^src/cli/(commands|run)[.]ts$', '^src/config[.]ts$'),
    allow('^src/server/', '^rest-bridge/index[.]ts$'),
    allow('^rest-bridge/', '^rest-bridge/'),
    // Prisma's types describe rows in all modules; its client is used by db alone.
    allow(`^src/(db|demo|cli|${anyModule})/`, '^prisma/generated/client/'),
    allow('^src/(db|graphql)/', '^prisma/generated/pothos[.]ts$'),
    // What is no file of ours: Node's modules and packages. Other rules say which.
    { from: { path: '^(src|rest-bridge)/' }, to: { pathNot: '^(src|rest-bridge|prisma|test|[.]config)/' } },
  ],
  forbidden: [
    forbid(
      'known-folders',
      'A file belongs to a folder that is listed above.',
      { path: '^src/', pathNot: `^src/((main|app|config)[.]ts$|${anyFolder}/)` },
      {},
    ),
    ...roomsInOrder,
    ...Object.entries(rooms).map(([folder, { rooms: names }]) =>
      forbid(
        'known-rooms',
        'A file belongs to a room that rooms.ts lists.',
        { path: `^${folder}/`, pathNot: `^${folder}/((${names.join('|')})/)?[^/]+$` },
        {},
      ),
    ),
    forbid('no-cycles', 'Two files in a cycle are one file, or three. Types count.', {}, { circular: true }),
    forbid(
      'bridge-depends-on-no-server',
      'The bridge speaks GraphQL and HTTP, and can run in front of a server elsewhere.',
      { path: '^rest-bridge/' },
      { path: `^(src|prisma)/|${packages('@prisma', '@pothos', 'graphql-yoga', 'pg')}` },
    ),
    forbid(
      'modules-enter-by-index',
      'Another module is used through its index.ts, its ports.ts, or in threads through its rendering.ts.',
      { path: `^src/${anyModule}/`, pathNot: '[.]schema[.]ts$' },
      { path: `^src/${anyModule}/`, pathNot: '^src/$1/|^src/[^/]+/(index|ports|rendering)[.]ts$' },
    ),
    forbid(
      'schema-imports-schema',
      "A GraphQL type may also refer to another module's types, because the graph is one.",
      { path: `^src/${anyModule}/.*[.]schema[.]ts$` },
      { path: `^src/${anyModule}/`, pathNot: '^src/$1/|^src/[^/]+/(index|ports)[.]ts$|[.]schema[.]ts$' },
    ),
    forbid(
      'operations-without-transport',
      'An operation does not depend on how it is called.',
      { path: `^src/${anyModule}/`, pathNot: transport },
      {
        path: `^src/graphql/|^src/${anyModule}/.*${transport}|${packages('koa', 'graphql', 'graphql-yoga', '@pothos')}`,
      },
    ),
    forbid(
      'resolvers-without-queries',
      'A resolver or an HTTP handler calls operations. Operations read and write rows.',
      { path: `^src/.*${transport}` },
      { path: '^src/db/', pathNot: '^src/db/context[.]ts$' },
    ),
    forbid(
      'database-without-graph',
      'Rows are read in the same way for every transport.',
      { path: '^src/db/' },
      { path: packages('koa', 'graphql', 'graphql-yoga', '@pothos') },
    ),
    forbid(
      'driver-enters-by-index',
      'The driver is a library: what others use of it is in its index.ts.',
      { path: '^src/', pathNot: '^src/db/driver/' },
      { path: '^src/db/driver/', pathNot: '^src/db/driver/index[.]ts$' },
    ),
    forbid(
      'client-runs-in-browsers',
      'The published client uses no Node module, and one small package.',
      { path: '^src/client/', pathNot: '^src/client/links/' },
      { pathNot: '^src/client/|node_modules/graphql-ws/' },
    ),
    forbid(
      'links-of-clients',
      'A link depends on its own client of GraphQL, which the user has installed, and on types of the published client.',
      { path: '^src/client/links/' },
      { pathNot: '^src/client/|node_modules/@(apollo/client|urql/core)/' },
    ),
    forbid(
      'client-without-links',
      'The client is used without Apollo Client and without urql.',
      { path: '^src/client/', pathNot: '^src/client/links/' },
      { path: '^src/client/links/' },
    ),
    forbid(
      'console-uses-the-graph',
      'The console is a client of the public graph: it shares types and errors with the client, and runs in browsers.',
      { path: '^src/console/' },
      { pathNot: '^src/(console|client)/|node_modules/' },
    ),
    forbid(
      'server-without-console',
      'The server sends the built console, and depends on none of its files.',
      { path: '^(src|rest-bridge)/', pathNot: '^src/console/' },
      { path: '^src/console/' },
    ),
    forbid(
      'product-without-tests',
      'The product does not depend on what checks it.',
      { path: '^(src|rest-bridge)/' },
      { path: '^(test|[.]config)/' },
    ),
    forbid(
      'installed-in-production',
      'A package that is used when serving is a dependency by name. Development packages lend their types only.',
      { path: '^(src|rest-bridge)/', pathNot: '^src/(console|client/links)/' },
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'resolvable',
      'An import of a file that does not exist fails only when it is reached.',
      { path: '^(src|rest-bridge)/' },
      { couldNotResolve: true, dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'no-orphans',
      'A file that no other file imports, and that imports none, is unused.',
      {
        path: '^(src|rest-bridge)/',
        pathNot: '^src/main[.]ts$|^src/cli/cli[.]ts$|^src/client/|/generated/|[.]d[.]ts$|[.]browser[.]js$',
        orphan: true,
      },
      {},
    ),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '^prisma/generated'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types', 'typings'],
    },
  },
}
