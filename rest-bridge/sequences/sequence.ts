import * as z from 'zod'
import type { SequenceRowFragment, StageRowFragment, StageSummaryFragment } from '../generated/documents.ts'
import { toRestEnum } from '../values/enums.ts'
import { plainTime } from '../values/time.ts'

/** A sequence in a list. */
export const sequence = z.strictObject({ id: z.int(), name: z.string(), created_at: z.string() })

export function toSequence({ databaseId, name, createdAt }: SequenceRowFragment) {
  return { id: databaseId, name, created_at: plainTime(createdAt) }
}

/** The units of a delay: the seconds of REST by the enum value of GraphQL. */
const secondsOfUnit = { HOURS: 3_600, DAYS: 86_400, WEEKS: 604_800 } as const
type Unit = keyof typeof secondsOfUnit

/** The GraphQL unit by its number of seconds. */
export const unitOf: Readonly<Record<number, Unit>> = { 3600: 'HOURS', 86400: 'DAYS', 604800: 'WEEKS' }

export const stageTypes = ['send_email', 'send_sms', 'action'] as const

/** The fields of a stage in every response. */
const stageFields = {
  id: z.int(),
  step: z.int(),
  name: z.string(),
  stage_type: z.enum(stageTypes),
  time_value: z.int(),
  time_type: z.literal([3_600, 86_400, 604_800]),
}

/** A created stage. */
export const newStage = z.strictObject({ ...stageFields, sequence_id: z.int() })

/** A stage inside its sequence. */
export const stage = z.strictObject({ ...stageFields, active: z.boolean(), created_at: z.string() })

export function toStageSummary(node: StageSummaryFragment) {
  return {
    id: node.databaseId,
    step: node.step,
    name: node.name,
    stage_type: toRestEnum(node.stageType),
    time_value: node.timeValue,
    time_type: secondsOfUnit[node.timeType],
  }
}

export function toStage(node: StageRowFragment) {
  return { ...toStageSummary(node), active: node.active, created_at: plainTime(node.createdAt) }
}
