import type { System } from '../db/context.ts'
import { httpRoute, privateHeaders } from '../kernel/web/http-route.ts'
import { findPersonFile } from './person-exports.ts'
import { zipOf } from './person-file.ts'

/** If a read fails, the connection is closed, so that the client does not mistake a partial file for a complete one. */
export const personRoutes = [
  httpRoute('/d/person.:token', {
    area: { sandbox: '' },
    summary: 'Everything that is held about a person, from a signed link.',
    methods: ['GET'],
    otherMethods: 404,
    headers: { ...privateHeaders, 'Content-Security-Policy': 'sandbox' },
    limiter: 'files',
    async handle({ http, params }, { system }: { system: System }) {
      const file = await findPersonFile(system, params.token)
      if (!file) return
      http.attachment(file.name)
      http.set('Content-Type', 'application/zip')
      http.status = 200
      if (http.method !== 'HEAD') http.body = zipOf(file)
    },
  }),
]
