import * as z from 'zod'
import {
  FunnelStepContentSetDocument,
  FunnelStepCreateDocument,
  FunnelStepDeleteDocument,
  FunnelStepReadDocument,
  FunnelStepUpdateDocument,
} from '../generated/documents.ts'
import { id, integer, queryId, shown, someText, text } from '../input.ts'
import { one, route, written } from '../route.ts'
import { stepWithFunnel, toStepWithFunnel } from './funnel.ts'

const group = 'Funnels'
const largestType = 2_147_483_647
const name = someText.meta({ maxLength: 255 })
const stepType = integer(0, largestType)
const names = { id: 'step_id', content: 'template_json' }

/** More than any document has; what is deeper is not even passed on. */
const deepest = 64

/** Whether a value can be written as JSON again and say the same: a number such as 1e999 is infinite once it is read. */
function isFaithful(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((each) => isFaithful(each, levels - 1))
}

/**
 * Gives the document as JSON. Its inner form is our builder's, and clients of `/v1` may have another: a document that names
 * no version is of the first, one without a root is an empty page, and what else it holds is kept. Whatever is no object
 * goes to the graph as it is, to be refused there.
 */
function contentOf(given: unknown): string {
  const read = typeof given === 'string' ? objectIn(given) : given
  if (read === undefined) return String(given)
  const isWhole = Object.hasOwn(Object(read), 'version') && Object.hasOwn(Object(read), 'root')
  if (isWhole) return typeof given === 'string' ? given : JSON.stringify(given)
  return JSON.stringify({ version: 1, root: [], ...Object(read) })
}

/** The object that a text is the JSON of; undefined where it is none, or would not be the same when it is written again. */
function objectIn(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && isFaithful(value, deepest) ? value : undefined
  } catch {
    return undefined
  }
}

/** A builder's document, as an object or as its JSON; the graph takes either and knows its rules. */
const template = shown(
  { description: 'The document of the builder, or its JSON.', oneOf: [{ type: 'object' }, { type: 'string' }] },
  z
    .unknown()
    .refine(
      (value) => typeof value === 'string' || (typeof value === 'object' && value !== null && !Array.isArray(value)),
      {
        error: 'must be an object, or the JSON of one',
        abort: true,
      },
    )
    .refine(
      (value) => isFaithful(value, deepest),
      `must go at most ${deepest} levels deep, with numbers that can be told from infinity`,
    ),
)

const createStep = route(FunnelStepCreateDocument, {
  id: 'FUN-STEP-CREATE',
  method: 'POST',
  path: '/v1/funnel-step',
  needs: ['funnels:write'],
  group,
  summary: 'Add a step at the end of a funnel, with a form',
  description: 'Its path is made of its name; where that is taken in the funnel, a number is added.',
  status: 201,
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'funnel',
  body: z.object({ funnel_id: id, name, type: stepType.default(1) }),
  variables: ({ body }) => ({ input: { funnelId: body.funnel_id, name: body.name, type: body.type } }),
  reply: one(
    stepWithFunnel.pick({ id: true, funnel_id: true, name: true, path: true, order: true }),
    ({ funnelStepCreate: { step } }) => {
      const { type: _type, title: _title, ...more } = toStepWithFunnel(written(step))
      return more
    },
  ),
})

const setContent = route(FunnelStepContentSetDocument, {
  id: 'FUN-STEP-CONTENT',
  method: 'PUT',
  path: '/v1/funnel-step-content',
  needs: ['funnels:write'],
  group,
  summary: 'Set and publish what a step shows',
  description: 'What it showed before is kept as an earlier version.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'step',
  names,
  body: z.object({
    step_id: id,
    template_json: template,
    title: text.optional(),
    description: text.optional(),
  }),
  variables: ({ body }) => ({
    input: {
      id: body.step_id,
      content: contentOf(body.template_json),
      title: body.title,
      description: body.description,
    },
  }),
  reply: one(
    z.strictObject({ id: z.int(), funnel_id: z.int(), updated: z.literal(true) }),
    ({ funnelStepContentSet: { step } }) => {
      const { id: stepId, funnel_id } = toStepWithFunnel(written(step))
      return { id: stepId, funnel_id, updated: true as const }
    },
  ),
})

const readStep = route(FunnelStepReadDocument, {
  id: 'FUN-STEP-GET',
  method: 'GET',
  path: '/v1/funnel-step',
  needs: ['funnels:read'],
  group,
  summary: 'Read a step',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'step',
  query: z.object({ step_id: queryId }),
  variables: ({ query }) => ({ id: query.step_id }),
  reply: one(
    stepWithFunnel.extend({ description: z.string() }),
    ({ funnelStep }) => funnelStep && { ...toStepWithFunnel(funnelStep), description: funnelStep.description },
  ),
})

const updateStep = route(FunnelStepUpdateDocument, {
  id: 'FUN-STEP-UPDATE',
  method: 'PUT',
  path: '/v1/funnel-step',
  needs: ['funnels:write'],
  group,
  summary: 'Change a step',
  description: 'Only the fields sent are changed.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PATH_TAKEN'],
  finds: 'step',
  names,
  body: z.object({
    step_id: id,
    name: name.optional(),
    type: stepType.optional(),
    title: text.optional(),
    path: someText.meta({ maxLength: 100, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }).optional(),
  }),
  variables: ({ body }) => ({
    input: { id: body.step_id, name: body.name, type: body.type, title: body.title, path: body.path },
  }),
  reply: one(stepWithFunnel.extend({ updated: z.literal(true) }), ({ funnelStepUpdate }) => ({
    ...toStepWithFunnel(written(funnelStepUpdate.step)),
    updated: true as const,
  })),
})

const deleteStep = route(FunnelStepDeleteDocument, {
  id: 'FUN-STEP-DELETE',
  method: 'DELETE',
  path: '/v1/funnel-step',
  needs: ['funnels:write'],
  group,
  summary: 'Delete a step, for good',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'step',
  names,
  body: z.object({ step_id: id }),
  variables: ({ body }) => ({ input: { id: body.step_id } }),
  reply: one(z.strictObject({ deleted: z.literal(true) }), () => ({ deleted: true as const })),
})

/** The steps of funnels, of the specification's table “Funnels”. */
export const stepRoutes = [createStep, setContent, readStep, updateStep, deleteStep]
