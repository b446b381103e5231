import * as z from 'zod'
import type {
  FunnelRowFragment,
  FunnelStepDetailFragment,
  FunnelStepRowFragment,
  FunnelSummaryFragment,
} from '../generated/documents.ts'
import { isoMicroseconds, isoTime } from '../values/time.ts'

const types = ['BLANK', 'LEAD', 'SALES'] as const

/** The type of a funnel in REST: 0 blank, 1 lead funnel, 2 sales funnel. */
export const type = z.literal([0, 1, 2], { error: 'must be 0, 1 or 2' })

/** Returns the type in GraphQL. */
export function toGraphType(number: z.output<typeof type>) {
  return types[number]
}

/** A funnel in the response of a create or update request. */
export const funnelSummary = z.strictObject({ id: z.int(), name: z.string(), type })

/** A funnel in a list. */
export const funnelRow = funnelSummary.extend({ created_at: isoTime })

/** A step inside its funnel. */
export const stepRow = z.strictObject({
  id: z.int(),
  name: z.string(),
  path: z.string(),
  type: z.int(),
  order: z.int(),
  title: z.string(),
})

/** A single step. */
export const stepDetail = stepRow.extend({ funnel_id: z.int() })

export function toFunnelSummary(node: FunnelSummaryFragment) {
  return { id: node.databaseId, name: node.name, type: types.indexOf(node.type) as z.output<typeof type> }
}

export function toFunnelRow(node: FunnelRowFragment) {
  return { ...toFunnelSummary(node), created_at: isoMicroseconds(node.createdAt) }
}

export function toStepRow(node: FunnelStepRowFragment) {
  return {
    id: node.databaseId,
    name: node.name,
    path: node.path,
    type: node.type,
    order: node.position,
    title: node.title,
  }
}

/** The funnel is null only if it was deleted after the step was read. */
export function toStepDetail(node: FunnelStepDetailFragment) {
  return { ...toStepRow(node), funnel_id: node.funnel?.databaseId ?? 0 }
}
