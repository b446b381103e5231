// PostGraphile on the tables of the benchmark, with its recommended preset, production mode and prepared statements.
import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'

const [url] = process.argv.slice(2)

/** Leaves out all tables that the documents do not read, so that the schema is as small as a user would have it. */
const tables = ['account', 'contact', 'contact_tag', 'tag', 'contact_field', 'custom_field']
const OnlyTables = {
  name: 'OnlyTables',
  version: '1.0.0',
  gather: {
    hooks: {
      pgIntrospection_introspection(_info, { introspection }) {
        introspection.classes = introspection.classes.filter(
          ({ relname, relkind }) => relkind !== 'r' || tables.includes(relname),
        )
      },
    },
  },
}

const preset = {
  extends: [PostGraphileAmberPreset],
  plugins: process.env.ALL_TABLES ? [] : [OnlyTables],
  pgServices: [makePgService({ connectionString: url, schemas: ['public'], poolConfig: { max: 10 } })],
  grafserv: { watch: false, graphiql: false, maxRequestLength: 1_000_000 },
  grafast: { explain: false },
  schema: { defaultBehavior: '-insert -update -delete' },
}
const instance = postgraphile(preset)
if (process.argv.includes('--print')) {
  const { printSchema } = await import('graphql')
  process.stdout.write(printSchema(await instance.getSchema()))
  process.exit()
}
const server = createServer()
await instance.createServ(grafserv).addTo(server)
server.listen(0, '127.0.0.1', () => {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.({ cpuMilliseconds: (user + system) / 1_000, rss: process.memoryUsage.rss() })
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ port: server.address().port })
})
