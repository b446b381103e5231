import { z } from 'zod'
import type { Campaign, HoldAction } from '../../../prisma/generated/client/client.ts'
import { check, sent } from '../../kernel/values/check.ts'
import { type LocalHours, localHours, minuteOf } from '../../kernel/values/local-time.ts'

/** Maximum number of hours over which a campaign is sent. */
export const maxSpreadHours = 168

const action = z.enum(['WAIT', 'SKIP'])
const spreadMessage = `must be from 0 to ${maxSpreadHours}`
const Settings = z
  .object({
    sendWindow: localHours.nullable(),
    spreadHours: z.int('must be a whole number').min(0, spreadMessage).max(maxSpreadHours, spreadMessage),
    frequencyCapAction: action,
    quietHoursAction: action,
  })
  .partial()

/** When a campaign is sent to its recipients, and what happens if a rule of the account holds a message back. */
export interface DeliverySettings {
  /** Null removes the window; for the other fields, null means no change. */
  readonly sendWindow?: LocalHours | null | undefined
  readonly spreadHours?: number | null | undefined
  readonly frequencyCapAction?: HoldAction | null | undefined
  readonly quietHoursAction?: HoldAction | null | undefined
}

type DeliveryColumns = Pick<
  Campaign,
  'windowFrom' | 'windowUntil' | 'spreadHours' | 'frequencyCapAction' | 'quietHoursAction'
>

/** Returns the columns of the settings that an input has, and the rest of the input. **Throws** VALIDATION_ERROR. */
export function takeDelivery<Input extends DeliverySettings>({
  sendWindow,
  spreadHours,
  frequencyCapAction,
  quietHoursAction,
  ...rest
}: Input): { delivery: Partial<DeliveryColumns>; rest: Omit<Input, keyof DeliverySettings> } {
  const settings = sent({ spreadHours, frequencyCapAction, quietHoursAction })
  const { sendWindow: hours, ...columns } = check(Settings, {
    ...settings,
    ...(sendWindow !== undefined && { sendWindow }),
  })
  const ofWindow = hours && { windowFrom: minuteOf(hours.from), windowUntil: minuteOf(hours.until) }
  const delivery = { ...sent(columns), ...ofWindow, ...(hours === null && { windowFrom: null, windowUntil: null }) }
  return { delivery, rest }
}

/** Returns the columns that a copy of a campaign gets. */
export function deliveryOf(campaign: Campaign): DeliveryColumns {
  const { windowFrom, windowUntil, spreadHours, frequencyCapAction, quietHoursAction } = campaign
  return { windowFrom, windowUntil, spreadHours, frequencyCapAction, quietHoursAction }
}
