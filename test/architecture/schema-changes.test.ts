import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { schemaChangesPage, versionOfSchema } from '../../.config/schema-changes.ts'
import { newWorld } from '../support/world.ts'

const first = 'type Query { name: String old: Int }'
const second = 'type Query { name(upper: Boolean): String thing: Thing } type Thing { id: ID! size: Int }'

describe('the page of changes of the schema', () => {
  it('lists what broke, what is to be checked and what is new, the newest first', () => {
    const page = schemaChangesPage([{ version: '1.0.0', sdl: first }], second)
    expect(page.slice(page.indexOf('## '))).toBe(`## Not released yet
\`X-Schema-Version: ${versionOfSchema(second)}\`

Breaking:

- Query.old was removed.

To be checked:

- An optional arg upper on Query.name was added.

New:

- \`Query.thing\`
- \`Thing\`
- \`Thing.id\`
- \`Thing.size\`

## 1.0.0
\`X-Schema-Version: ${versionOfSchema(first)}\`

The first schema.
`)
  })

  it('has the version that responses have', async () => {
    const world = await newWorld()
    const { headers } = await world.ask('{ __typename }')
    const page = readFileSync('src/docs/schema-changes.md', 'utf8')
    expect(page).toContain(`## Not released yet\n\`X-Schema-Version: ${headers.get('x-schema-version')}\``)
  })
})
