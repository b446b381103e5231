import { buildSchema, execute, parse } from 'graphql'

const schema = buildSchema(`
  type Query { contacts: [Contact] }
  type Contact { databaseId: Int email: String firstName: String lastName: String emailMarketing: Boolean tags: [Tag] }
  type Tag { databaseId: Int name: String }
`)
const document = parse('{ contacts { databaseId email firstName lastName emailMarketing tags { databaseId name } } }')

const contactOf = (n: number) => ({
  ...{ databaseId: n, email: `ada${n}@example.com`, firstName: 'Ada', lastName: `Lovelace ${n}`, emailMarketing: true },
  tags: [
    { databaseId: n, name: `tag ${n}` },
    { databaseId: n + 1, name: `tag ${n + 1}` },
  ],
})

/** Executes a document on 50 contacts in memory until this time is over. Returns the milliseconds of the processor for each. */
function run(milliseconds: number): number {
  const end = performance.now() + milliseconds
  const before = process.cpuUsage()
  let runs = 0
  for (; performance.now() < end; runs += 1) {
    const contacts = Array.from({ length: 50 }, (_, n) => contactOf(n))
    JSON.parse(JSON.stringify(execute({ schema, document, rootValue: { contacts } })))
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / runs
}

/**
 * Returns the processor time of a fixed piece of work of the kind that a server does in JavaScript, in milliseconds. Machines
 * differ in how it compares with the work of the system: sockets, and a database.
 */
export function measureUnit(): number {
  run(1_000)
  return run(1_000)
}
