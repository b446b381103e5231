// Which way the code may look. Each rule is proven red by test/architecture/directions.test.ts.

/** Low to high: a room calls those before it and hears of those after it by events. */
const rooms = ['events', 'account', 'contacts', 'mail', 'sequences', 'campaigns', 'finance', 'forms', 'funnels']
const anyRoom = `(${rooms.join('|')})`
const transport = '[.](schema|http)[.]ts$'
const packages = (...names) => `node_modules/(@types/)?(${names.join('|')})/`

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

const looksDown = rooms.slice(0, -1).map((room, place) => {
  const higher = rooms.slice(place + 1).join('|')
  return forbid(
    `${room}-looks-down`,
    'Calls go down the list of rooms; news goes up as events.',
    { path: `^src/${room}/` },
    { path: `^src/(${higher})/` },
  )
})

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    forbid(
      'no-cycles',
      'Two files in a cycle are one file, or three. Types may refer to each other: they are gone when the code runs.',
      {},
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    ),
    forbid(
      'bridge-stands-alone',
      'The bridge speaks GraphQL and HTTP, and knows nothing else of ours.',
      { path: '^rest-bridge/' },
      { path: `^(src|prisma)/|${packages('@prisma', '@pothos', 'graphql-yoga', 'pg')}` },
    ),
    forbid(
      'one-socket-for-the-bridge',
      'Only the composition root plugs the bridge in.',
      { path: '^src/', pathNot: '^src/app[.]ts$' },
      { path: '^rest-bridge/' },
    ),
    forbid(
      'composition-on-top',
      'What is composed does not know what it is composed into.',
      { path: '^src/[^/]+/' },
      { path: '^src/(app|main)[.]ts$' },
    ),
    forbid(
      'one-reader-of-the-environment',
      'The configuration is read at the start and handed on as values.',
      { path: '^src/', pathNot: '^src/(app|main|cli/commands)[.]ts$' },
      { path: '^src/config[.]ts$' },
    ),
    forbid(
      'ground-floor',
      'Shared code knows no room.',
      { path: '^src/(kernel|db|graphql)/' },
      { path: `^src/${anyRoom}/` },
    ),
    forbid(
      'kernel-at-the-bottom',
      'The kernel depends on no other folder.',
      { path: '^src/kernel/' },
      { path: '^src/(db|graphql)/' },
    ),
    forbid(
      'database-knows-no-graph',
      'Rows are read the same way whoever asks.',
      { path: '^src/db/' },
      { path: `^src/graphql/|${packages('koa', 'graphql', 'graphql-yoga', '@pothos')}` },
    ),
    forbid(
      'client-stands-alone',
      'The published helper runs in browsers too: without the server, without Node, on one small package.',
      { path: '^src/client/' },
      { pathNot: '^src/client/|node_modules/graphql-ws/' },
    ),
    ...looksDown,
    forbid(
      'front-door-only',
      'Another room is entered by its index.ts, filled in by its ports.ts, or used by threads through its pure.ts.',
      { path: `^src/${anyRoom}/`, pathNot: '[.]schema[.]ts$' },
      { path: `^src/${anyRoom}/`, pathNot: '^src/$1/|^src/[^/]+/(index|ports|pure)[.]ts$' },
    ),
    forbid(
      'types-meet-types',
      "A type may also name another room's types: the graph is one.",
      { path: `^src/${anyRoom}/.*[.]schema[.]ts$` },
      { path: `^src/${anyRoom}/`, pathNot: '^src/$1/|^src/[^/]+/(index|ports)[.]ts$|[.]schema[.]ts$' },
    ),
    forbid(
      'operations-know-no-transport',
      'What we do does not depend on how it is asked for.',
      { path: `^src/${anyRoom}/`, pathNot: transport },
      { path: `^src/graphql/|^src/${anyRoom}/.*${transport}|${packages('koa', 'graphql', 'graphql-yoga', '@pothos')}` },
    ),
    forbid(
      'resolvers-hold-no-queries',
      'A resolver or a handler calls operations; the rows are theirs.',
      { path: `^src/.*${transport}` },
      { path: '^src/db/', pathNot: '^src/db/context[.]ts$' },
    ),
    forbid(
      'product-knows-no-tests',
      'What is served does not lean on what checks it.',
      { path: '^(src|rest-bridge)/' },
      { path: '^(test|[.]config)/' },
    ),
    forbid(
      'installed-in-production',
      'A package used when serving is a dependency by name; development packages lend their types only.',
      { path: '^(src|rest-bridge)/' },
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'resolvable',
      'An import that leads nowhere fails only when it is reached.',
      { path: '^(src|rest-bridge)/' },
      { couldNotResolve: true, dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'no-orphans',
      'A file that nothing reads and that reads nothing is left over.',
      {
        path: '^(src|rest-bridge)/',
        pathNot: '^src/(main|cli)[.]ts$|^src/client/|/generated/|[.]d[.]ts$|[.]browser[.]js$',
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
