import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { getDatamodel } from '../../prisma/generated/pothos.ts'
import { columnsOf, tableOf } from '../../src/db/datamodel.ts'
import { isAmbiguous, isCrossAccount, isListed } from '../support/statements.ts'
import { crossAccount, tableRows } from './cross-account.ts'
import { accessOf, differences, tables } from './sql.ts'
import { foreignTables } from './sql-permissions.ts'

const sources = globSync('src/**/*.ts').sort()
const accesses = new Map(sources.map((path) => [path, accessOf(path, readFileSync(path, 'utf8'))]))
const none = { unlisted: [], stale: [] }

describe('the statements', () => {
  it('name the tables of other modules only if the list has a reason', () => {
    const found = new Map([...accesses].map(([path, { foreign }]) => [path, foreign]))
    expect(differences(found, foreignTables)).toEqual(none)
  })

  it('run without an account only if they are listed with their index', () => {
    const found = new Map([...accesses].map(([path, { unscoped }]) => [path, [...unscoped.keys()]]))
    const listed = crossAccount.map(({ reason, statements }) => ({
      reason,
      files: Object.fromEntries(Object.entries(statements).map(([path, all]) => [path, Object.keys(all)])),
    }))
    expect(differences(found, listed)).toEqual(none)
  })

  it('without an account are in growth.md as they are listed', () => {
    const documented = readFileSync('src/docs/growth.md', 'utf8').split('\n')
    const start = documented.findIndex((line) => line.startsWith('| statements of all accounts |')) + 2
    expect(documented.slice(start, documented.indexOf('', start))).toEqual(tableRows())
  })
})

describe('the check', () => {
  it.each([
    ['a template', 'ctx.sql`SELECT 1 FROM contact c`'],
    ['a fragment after a value', ['sql`SELECT $', '{columns} FROM form f LEFT JOIN contact c`'].join('')],
    ['a list in FROM', 'sql`SELECT 1 FROM form f, contact c`'],
    ['an update', 'sql`UPDATE contact SET gdpr = true`'],
    ['a text', `client.query('DELETE FROM ONLY contact')`],
    ['a quoted name', 'sql`INSERT INTO "contact" DEFAULT VALUES`'],
    ['a description of rows', `const rows = table('Contact', 'c')`],
    ['an option', `removeOld(system, { table: 'contact', since: 'created_at' })`],
    ['the Prisma client', 'tx.db.contact.count({ where })'],
  ])('finds the table of another module in %s', (_place, text) => {
    expect(accessOf('src/forms/form/forms.ts', text).foreign).toEqual(['contact'])
    expect(accessOf('src/contacts/people/contacts.ts', text).foreign).not.toContain('contact')
  })

  it.each([
    ['$unscoped', 'db.$unscoped(reason, statement)'],
    ['a raw query', 'tx.db.$queryRaw`SELECT 1`'],
    ['a raw text', 'tx.db.$executeRawUnsafe(text)'],
    ['a connection of its own', "client.query('SELECT 1 FROM contact')"],
  ])('finds the statement without an account in %s', (_place, text) => {
    const source = `function one() { ${text} }\nconst rows = { two: () => ${text} }\nfunction both() { ${text}; ${text} }`
    expect([...accessOf('src/forms/form/forms.ts', source).unscoped.keys()]).toEqual(['one', 'two', 'both', 'both 2'])
  })

  it.each([
    ['SELECT 1 FROM contact WHERE status = $1', true],
    ['UPDATE "public"."contact" SET name = $1 WHERE "id" = $2', true],
    ['SELECT 1 FROM contact WHERE account_id = $1', false],
    ["COPY (SELECT 1 FROM contact WHERE account_id = '1') TO STDOUT", false],
    ["COPY (SELECT 1 FROM contact WHERE id = '1') TO STDOUT", true],
    ['UPDATE "public"."contact" SET name = $1 WHERE ("public"."contact"."account_id" = $2)', false],
    ['INSERT INTO contact AS c (account_id, email) VALUES ($1, $2)', false],
    ['INSERT INTO contact (account_id, email) SELECT account_id, email FROM customer', true],
    ['SELECT 1 FROM outbox_event WHERE position > $1', false],
  ])('judges the statement that a test runs: %s', (text, isFound) => {
    expect(isCrossAccount(text)).toBe(isFound)
    expect(isListed(text)).toBe(false)
  })

  it.each([
    ['DELETE FROM contact_tag WHERE ctid = ANY (ARRAY(SELECT ctid FROM contact_tag))', false],
    ['DELETE FROM visit WHERE ctid = ANY (ARRAY(SELECT ctid FROM visit))', true],
    ["WITH c AS (UPDATE mail_open o SET kind = 'a' WHERE o.ctid = ANY ($1) RETURNING 1) SELECT 1", true],
    ['DELETE FROM visit v WHERE v.account_id = $1 AND v.ctid = ANY ($2)', false],
  ])('finds changes of rows that ctid alone does not name: %s', (text, isFound) => {
    expect(isAmbiguous(text)).toBe(isFound)
  })

  it('knows the statements of listed files', () => {
    expect(isListed('SELECT account_id FROM api_key WHERE id = $1')).toBe(false)
    expect(isListed('SELECT account_id AS "accountId" FROM api_key WHERE id = $1')).toBe(true)
  })

  it('tells what is not listed, and what is listed in vain', () => {
    const permissions = [{ reason: 'A reason.', files: { 'src/a.ts': ['contact', 'tag'] } }]
    expect(differences(new Map([['src/a.ts', ['contact', 'form']]]), permissions)).toEqual({
      unlisted: ['src/a.ts: form'],
      stale: ['src/a.ts: tag'],
    })
  })
})

describe('the datamodel', () => {
  it('has the names of tables and columns that the schema maps', () => {
    const schema = globSync('prisma/models/*.prisma')
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n')
    const mapped = [...schema.matchAll(/^model (\w+) \{$(.*?)^\}$/gms)].map(([, model = '', body = '']) => {
      const columns = [...body.matchAll(/^ {2}(\w+) +(\w+)(.*)$/gm)]
        // The client does not read a type that Prisma does not support.
        .filter(([, , type = '']) => type !== 'Unsupported' && !(type in getDatamodel().datamodel.models))
        .map(([, field = '', , rest = '']) => [field, /@map\("(\w+)"\)/.exec(rest)?.[1] ?? field])
      return [model, Object.fromEntries(columns)]
    })
    const described = [...tableOf.keys()].map((model) => [
      model,
      Object.fromEntries([...columnsOf(model)].map(([field, { name }]) => [field, name])),
    ])
    expect(Object.fromEntries(described)).toEqual(Object.fromEntries(mapped))
    expect(Object.fromEntries(tableOf)).toEqual(Object.fromEntries(tables.map(({ model, table }) => [model, table])))
  })
})
