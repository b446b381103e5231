import * as z from 'zod'
import type { FunnelInShortFragment, StepOfFunnelFragment, StepWithFunnelFragment } from '../generated/documents.ts'

const types = ['BLANK', 'LEAD', 'SALES'] as const

/** What a funnel is for, as REST numbers it: 0 blank, 1 lead funnel, 2 sales funnel. */
export const type = z.literal([0, 1, 2], { error: 'must be 0, 1 or 2' })

/** Gives a type as the graph calls it. */
export function toGraphType(number: z.output<typeof type>) {
  return types[number]
}

/** What writing a funnel answers. */
export const funnelInShort = z.strictObject({ id: z.int(), name: z.string(), type })

/** A step as a row of its funnel. */
export const stepOfFunnel = z.strictObject({
  id: z.int(),
  name: z.string(),
  path: z.string(),
  type: z.int(),
  order: z.int(),
  title: z.string(),
})

/** A step by itself. */
export const stepWithFunnel = stepOfFunnel.extend({ funnel_id: z.int() })

/** Gives what writing a funnel answers. */
export function toFunnelInShort(node: Omit<FunnelInShortFragment, '__typename' | ' $fragmentName'>) {
  return { id: node.databaseId, name: node.name, type: types.indexOf(node.type) as z.output<typeof type> }
}

/** Gives a step as a row of its funnel. */
export function toStepOfFunnel(node: Omit<StepOfFunnelFragment, '__typename' | ' $fragmentName'>) {
  return {
    id: node.databaseId,
    name: node.name,
    path: node.path,
    type: node.type,
    order: node.position,
    title: node.title,
  }
}

/** Gives a step by itself. Its funnel is missing only where it was deleted in this very moment. */
export function toStepWithFunnel(node: StepWithFunnelFragment) {
  return { ...toStepOfFunnel(node), funnel_id: node.funnel?.databaseId ?? 0 }
}
