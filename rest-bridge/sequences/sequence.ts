import * as z from 'zod'
import { newestFirst } from '../contacts/tags.routes.ts'
import { plainTime } from '../time.ts'

/** A sequence of a list. */
export const sequence = z.strictObject({ id: z.int(), name: z.string(), created_at: z.string() })

interface SequenceOfGraph {
  readonly databaseId: number
  readonly name: string
  readonly createdAt: string
}

/** Gives a sequence of a list. */
export function toSequence({ databaseId, name, createdAt }: SequenceOfGraph) {
  return { id: databaseId, name, created_at: plainTime(createdAt) }
}

/** Gives the sequences of a contact, newest first. */
export function toSequencesOfContact<Node extends SequenceOfGraph>(nodes: readonly Node[]) {
  return newestFirst(nodes).map(toSequence)
}

/** What a delay is counted in: REST gives the seconds, the graph the word. */
const units = { HOURS: 3_600, DAYS: 86_400, WEEKS: 604_800 } as const
type Unit = keyof typeof units

/** The word for a number of seconds. */
export const unitOf: Readonly<Record<number, Unit>> = { 3600: 'HOURS', 86400: 'DAYS', 604800: 'WEEKS' }

export const stageTypes = ['send_email', 'send_sms', 'action'] as const

/** A stage as far as every answer shows it. */
const placed = {
  id: z.int(),
  step: z.int(),
  name: z.string(),
  stage_type: z.enum(stageTypes),
  time_value: z.int(),
  time_type: z.literal([3_600, 86_400, 604_800]),
}

/** A stage when it has just been made. */
export const newStage = z.strictObject({ ...placed, sequence_id: z.int() })

/** A stage within its sequence. */
export const stage = z.strictObject({ ...placed, active: z.boolean(), created_at: z.string() })

interface StageOfGraph {
  readonly databaseId: number
  readonly step: number
  readonly name: string
  readonly stageType: 'SEND_EMAIL' | 'SEND_SMS' | 'ACTION'
  readonly timeValue: number
  readonly timeType: Unit
}

/** Gives what every answer shows of a stage. */
export function toPlaced(node: StageOfGraph) {
  return {
    id: node.databaseId,
    step: node.step,
    name: node.name,
    stage_type: node.stageType.toLowerCase() as (typeof stageTypes)[number],
    time_value: node.timeValue,
    time_type: units[node.timeType],
  }
}

/** Gives a stage within its sequence. */
export function toStage(node: StageOfGraph & { readonly active: boolean; readonly createdAt: string }) {
  return { ...toPlaced(node), active: node.active, created_at: plainTime(node.createdAt) }
}
