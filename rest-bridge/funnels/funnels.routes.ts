import * as z from 'zod'
import { deletedId, one, page, requireNode, route } from '../envelope/route.ts'
import {
  FunnelCreateDocument,
  FunnelDeleteDocument,
  FunnelListDocument,
  FunnelReadDocument,
  FunnelUpdateDocument,
} from '../generated/documents.ts'
import { id, nonEmptyText, queryId } from '../input/input.ts'
import { pageArguments, paging } from '../input/paging.ts'
import {
  funnelRow,
  funnelSummary,
  stepRow,
  toFunnelRow,
  toFunnelSummary,
  toGraphType,
  toStepRow,
  type,
} from './funnel.ts'

const group = 'Funnels'
const name = nonEmptyText.meta({ maxLength: 255 })
const fieldNames = { id: 'funnel_id' }

const createFunnel = route('POST /v1/funnel', FunnelCreateDocument, {
  id: 'FUN-CREATE',
  scopes: ['funnels:write'],
  group,
  summary: 'Create a funnel without steps',
  description: 'The type does not create steps. The account must have a subdomain.',
  status: 201,
  errors: ['NO_SUBDOMAIN', 'VALIDATION_ERROR'],
  body: z.object({ name, type: type.default(0) }),
  variables: ({ body }) => ({ input: { name: body.name, type: toGraphType(body.type) } }),
  reply: one(funnelSummary, ({ funnelCreate }) => toFunnelSummary(requireNode(funnelCreate.funnel))),
})

const listFunnels = route('GET /v1/funnels', FunnelListDocument, {
  id: 'FUN-LIST',
  scopes: ['funnels:read'],
  group,
  summary: 'List funnels, newest first',
  errors: ['VALIDATION_ERROR'],
  query: z.object(paging),
  variables: ({ query }) => pageArguments(query),
  reply: page(funnelRow, ({ funnels }) => funnels, toFunnelRow),
})

const readFunnel = route('GET /v1/funnel', FunnelReadDocument, {
  id: 'FUN-GET',
  scopes: ['funnels:read'],
  group,
  summary: 'Get a funnel with its steps',
  description: 'The steps are sorted by `order`.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'funnel',
  query: z.object({ funnel_id: queryId }),
  variables: ({ query }) => ({ id: query.funnel_id }),
  reply: one(
    funnelRow.extend({ steps: z.array(stepRow) }),
    ({ funnel }) => funnel && { ...toFunnelRow(funnel), steps: funnel.steps.map(toStepRow) },
  ),
})

const updateFunnel = route('PUT /v1/funnel', FunnelUpdateDocument, {
  id: 'FUN-UPDATE',
  scopes: ['funnels:write'],
  group,
  summary: 'Update a funnel',
  description: 'Updates only the fields that are sent.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'funnel',
  fieldNames,
  body: z.object({ funnel_id: id, name: name.optional(), type: type.optional() }),
  variables: ({ body }) => ({
    input: {
      id: body.funnel_id,
      name: body.name,
      type: body.type === undefined ? undefined : toGraphType(body.type),
    },
  }),
  reply: one(funnelSummary.extend({ updated: z.literal(true) }), ({ funnelUpdate }) => ({
    ...toFunnelSummary(requireNode(funnelUpdate.funnel)),
    updated: true as const,
  })),
})

const deleteFunnel = route('DELETE /v1/funnel', FunnelDeleteDocument, {
  id: 'FUN-DELETE',
  scopes: ['funnels:write'],
  group,
  summary: 'Delete a funnel with its steps',
  description: 'The deletion is irreversible.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'funnel',
  fieldNames,
  body: z.object({ funnel_id: id }),
  variables: ({ body }) => ({ input: { id: body.funnel_id } }),
  reply: deletedId(({ funnelDelete }) => funnelDelete.deletedFunnelDatabaseId),
})

/** Funnels, from the specification's table “Funnels”. */
export const funnelRoutes = [createFunnel, listFunnels, readFunnel, updateFunnel, deleteFunnel]
