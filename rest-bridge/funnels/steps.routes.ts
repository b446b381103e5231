import * as z from 'zod'
import { deleted, one, requireNode, route } from '../envelope/route.ts'
import {
  FunnelStepContentSetDocument,
  FunnelStepCreateDocument,
  FunnelStepDeleteDocument,
  FunnelStepReadDocument,
  FunnelStepUpdateDocument,
} from '../generated/documents.ts'
import { id, integer, nonEmptyText, queryId, text, withJsonSchema } from '../input/input.ts'
import { stepDetail, toStepDetail } from './funnel.ts'

const group = 'Funnels'
const maxType = 2_147_483_647
const name = nonEmptyText.meta({ maxLength: 255 })
const stepType = integer(0, maxType)
const fieldNames = { id: 'step_id', content: 'template_json' }

/** Deeper documents are rejected before they are sent to GraphQL. */
const maxDepth = 64

/** Returns true if the value stays the same when it is written as JSON. A number such as 1e999 is parsed as infinite. */
function canRoundTrip(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((each) => canRoundTrip(each, levels - 1))
}

/**
 * Returns the builder document as JSON. Clients of `/v1` may send another structure than that of the builder: `version`
 * defaults to 1, `root` to an empty page, and all other fields are kept. Text that is not a JSON object is returned
 * unchanged, and GraphQL rejects it.
 */
function toContent(template: unknown): string {
  const parsed = typeof template === 'string' ? parseObject(template) : template
  if (parsed === undefined) return String(template)
  const isComplete = Object.hasOwn(Object(parsed), 'version') && Object.hasOwn(Object(parsed), 'root')
  if (isComplete) return typeof template === 'string' ? template : JSON.stringify(template)
  return JSON.stringify({ version: 1, root: [], ...Object(parsed) })
}

/** Parses a JSON object. Returns undefined for other text, and for an object that would change when it is written again. */
function parseObject(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && canRoundTrip(value, maxDepth) ? value : undefined
  } catch {
    return undefined
  }
}

/** A builder document, as an object or as JSON text. GraphQL validates its content. */
const template = withJsonSchema(
  {
    description: 'The builder document, as an object or as JSON text.',
    oneOf: [{ type: 'object' }, { type: 'string' }],
  },
  z
    .unknown()
    .refine(
      (value) => typeof value === 'string' || (typeof value === 'object' && value !== null && !Array.isArray(value)),
      {
        error: 'must be an object or the JSON text of an object',
        abort: true,
      },
    )
    .refine(
      (value) => canRoundTrip(value, maxDepth),
      `must have at most ${maxDepth} nested levels and only finite numbers`,
    ),
)

const createStep = route('POST /v1/funnel-step', FunnelStepCreateDocument, {
  id: 'FUN-STEP-CREATE',
  scopes: ['funnels:write'],
  group,
  summary: 'Add a step to the end of a funnel',
  description:
    'Creates a form for the step too. The path is derived from the name. If the funnel already has a step with this path, a number is appended.',
  status: 201,
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'funnel',
  body: z.object({ funnel_id: id, name, type: stepType.default(1) }),
  variables: ({ body }) => ({ input: { funnelId: body.funnel_id, name: body.name, type: body.type } }),
  reply: one(
    stepDetail.pick({ id: true, funnel_id: true, name: true, path: true, order: true }),
    ({ funnelStepCreate: { step } }) => {
      const { type: _type, title: _title, ...created } = toStepDetail(requireNode(step))
      return created
    },
  ),
})

const setContent = route('PUT /v1/funnel-step-content', FunnelStepContentSetDocument, {
  id: 'FUN-STEP-CONTENT',
  scopes: ['funnels:write'],
  group,
  summary: 'Set and publish the content of a step',
  description: 'The previous content is kept as an earlier version.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'step',
  fieldNames,
  body: z.object({
    step_id: id,
    template_json: template,
    title: text.optional(),
    description: text.optional(),
  }),
  variables: ({ body }) => ({
    input: {
      id: body.step_id,
      content: toContent(body.template_json),
      title: body.title,
      description: body.description,
    },
  }),
  reply: one(
    z.strictObject({ id: z.int(), funnel_id: z.int(), updated: z.literal(true) }),
    ({ funnelStepContentSet: { step } }) => {
      const { id: stepId, funnel_id } = toStepDetail(requireNode(step))
      return { id: stepId, funnel_id, updated: true as const }
    },
  ),
})

const readStep = route('GET /v1/funnel-step', FunnelStepReadDocument, {
  id: 'FUN-STEP-GET',
  scopes: ['funnels:read'],
  group,
  summary: 'Get a step',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'step',
  query: z.object({ step_id: queryId }),
  variables: ({ query }) => ({ id: query.step_id }),
  reply: one(
    stepDetail.extend({ description: z.string() }),
    ({ funnelStep }) => funnelStep && { ...toStepDetail(funnelStep), description: funnelStep.description },
  ),
})

const updateStep = route('PUT /v1/funnel-step', FunnelStepUpdateDocument, {
  id: 'FUN-STEP-UPDATE',
  scopes: ['funnels:write'],
  group,
  summary: 'Update a step',
  description: 'Updates only the fields that are sent.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PATH_TAKEN'],
  resource: 'step',
  fieldNames,
  body: z.object({
    step_id: id,
    name: name.optional(),
    type: stepType.optional(),
    title: text.optional(),
    path: nonEmptyText.meta({ maxLength: 100, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }).optional(),
  }),
  variables: ({ body }) => ({
    input: { id: body.step_id, name: body.name, type: body.type, title: body.title, path: body.path },
  }),
  reply: one(stepDetail.extend({ updated: z.literal(true) }), ({ funnelStepUpdate }) => ({
    ...toStepDetail(requireNode(funnelStepUpdate.step)),
    updated: true as const,
  })),
})

const deleteStep = route('DELETE /v1/funnel-step', FunnelStepDeleteDocument, {
  id: 'FUN-STEP-DELETE',
  scopes: ['funnels:write'],
  group,
  summary: 'Delete a step',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'step',
  fieldNames,
  body: z.object({ step_id: id }),
  variables: ({ body }) => ({ input: { id: body.step_id } }),
  reply: deleted,
})

/** Funnel steps, from the specification's table “Funnels”. */
export const stepRoutes = [createStep, setContent, readStep, updateStep, deleteStep]
