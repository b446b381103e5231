import * as z from 'zod'
import {
  FunnelCreateDocument,
  FunnelDeleteDocument,
  FunnelListDocument,
  FunnelReadDocument,
  FunnelUpdateDocument,
} from '../generated/documents.ts'
import { id, queryId, someText } from '../input.ts'
import { pageArguments, paging } from '../paging.ts'
import { one, page, route, written } from '../route.ts'
import { isoMicroseconds } from '../time.ts'
import { funnelInShort, stepOfFunnel, toFunnelInShort, toGraphType, toStepOfFunnel, type } from './funnel.ts'

const group = 'Funnels'
const created_at = z.iso.datetime({ precision: 6 })
const name = someText.meta({ maxLength: 255 })
const names = { id: 'funnel_id' }

const createFunnel = route(FunnelCreateDocument, {
  id: 'FUN-CREATE',
  method: 'POST',
  path: '/v1/funnel',
  needs: ['funnels:write'],
  group,
  summary: 'Create a funnel without steps',
  description: 'No type makes steps by itself.',
  status: 201,
  errors: ['NO_SUBDOMAIN', 'VALIDATION_ERROR'],
  body: z.object({ name, type: type.default(0) }),
  variables: ({ body }) => ({ input: { name: body.name, type: toGraphType(body.type) } }),
  reply: one(funnelInShort, ({ funnelCreate }) => toFunnelInShort(written(funnelCreate.funnel))),
})

const listFunnels = route(FunnelListDocument, {
  id: 'FUN-LIST',
  method: 'GET',
  path: '/v1/funnels',
  needs: ['funnels:read'],
  group,
  summary: 'List funnels, newest first',
  errors: ['VALIDATION_ERROR'],
  query: z.object(paging),
  variables: ({ query }) => pageArguments(query),
  reply: page(
    funnelInShort.extend({ created_at }),
    ({ funnels }) => funnels,
    (node) => ({ ...toFunnelInShort(node), created_at: isoMicroseconds(node.createdAt) }),
  ),
})

const readFunnel = route(FunnelReadDocument, {
  id: 'FUN-GET',
  method: 'GET',
  path: '/v1/funnel',
  needs: ['funnels:read'],
  group,
  summary: 'Read a funnel with its steps, in their order',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'funnel',
  query: z.object({ funnel_id: queryId }),
  variables: ({ query }) => ({ id: query.funnel_id }),
  reply: one(
    funnelInShort.extend({ created_at, steps: z.array(stepOfFunnel) }),
    ({ funnel }) =>
      funnel && {
        ...toFunnelInShort(funnel),
        created_at: isoMicroseconds(funnel.createdAt),
        steps: funnel.steps.map(toStepOfFunnel),
      },
  ),
})

const updateFunnel = route(FunnelUpdateDocument, {
  id: 'FUN-UPDATE',
  method: 'PUT',
  path: '/v1/funnel',
  needs: ['funnels:write'],
  group,
  summary: 'Change a funnel',
  description: 'Only the fields sent are changed.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'funnel',
  names,
  body: z.object({ funnel_id: id, name: name.optional(), type: type.optional() }),
  variables: ({ body }) => ({
    input: {
      id: body.funnel_id,
      name: body.name,
      type: body.type === undefined ? undefined : toGraphType(body.type),
    },
  }),
  reply: one(funnelInShort.extend({ updated: z.literal(true) }), ({ funnelUpdate }) => ({
    ...toFunnelInShort(written(funnelUpdate.funnel)),
    updated: true as const,
  })),
})

const deleteFunnel = route(FunnelDeleteDocument, {
  id: 'FUN-DELETE',
  method: 'DELETE',
  path: '/v1/funnel',
  needs: ['funnels:write'],
  group,
  summary: 'Delete a funnel with its steps, for good',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'funnel',
  names,
  body: z.object({ funnel_id: id }),
  variables: ({ body }) => ({ input: { id: body.funnel_id } }),
  reply: one(z.strictObject({ id: z.int(), deleted: z.literal(true) }), ({ funnelDelete }) => ({
    id: funnelDelete.databaseId,
    deleted: true as const,
  })),
})

/** Funnels themselves, of the specification's table “Funnels”. */
export const funnelRoutes = [createFunnel, listFunnels, readFunnel, updateFunnel, deleteFunnel]
