import { visit } from 'graphql'
import * as z from 'zod'
import { contactRow, toContactRow } from '../../rest-bridge/contacts/contact.ts'
import { one, type Route } from '../../rest-bridge/envelope/route.ts'
import type { ContactListQuery } from '../../rest-bridge/generated/documents.ts'
import { v1Routes } from '../../rest-bridge/index.ts'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { newLimiters } from '../../src/kernel/work/rate-limiter.ts'
import { uncountedPath } from './questions.ts'
import { tellUsage } from './usage.ts'

// The normal server, with limits that are never reached and an additional route that the REST API does not have: the
// list of contacts without its total.

const plenty = 1_000_000_000
const [url] = process.argv.slice(2) as [string]
const log = newLog('info')
const flood = { perAddress: plenty, perForm: plenty }
const postsPerMinute = { ...flood, perEmail: plenty, flood }
const { requests, posts } = await newLimiters({ requestsPerMinute: plenty, postsPerMinute, log })
const { requests: cost } = await newLimiters({ requestsPerMinute: plenty * 1_000, log })
const config = readConfig({ DATABASE_URL: url, SECRET: 'no bridge stands elsewhere', PORT: '0', ROLES: 'api' })
const limiters = { requests, cost, posts, isShared: () => false, processes: () => 1, close: async () => {} }
const app = await startApp(config, log, { limiters, routes: [...v1Routes, uncounted()] })
tellUsage(app.address.port)

function uncounted(): Route {
  const list = v1Routes.find(({ id }) => id === 'CON-LIST') as Route
  return {
    ...list,
    path: uncountedPath,
    document: visit(list.document, { Field: ({ name }) => (name.value === 'totalCount' ? null : undefined) }),
    reply: one(z.array(contactRow), (data: ContactListQuery) =>
      (data.contacts?.nodes ?? []).map(toContactRow),
    ) as Route['reply'],
  }
}
