import type { Exports } from '../account/exports/exports.ts'
import { campaignExports } from '../campaigns/index.ts'
import { contactExports } from '../contacts/index.ts'
import { contentExports } from '../content/index.ts'
import { eventExports } from '../events/index.ts'
import { financeExports } from '../finance/index.ts'
import { formExports } from '../forms/index.ts'
import { funnelExports } from '../funnels/index.ts'
import { mailExports } from '../mail/index.ts'
import { sequenceExports } from '../sequences/index.ts'

/** All lists that can be exported, keyed by their `ExportList` value. */
export const exports = {
  ...contactExports,
  ...contentExports,
  ...mailExports,
  ...sequenceExports,
  ...campaignExports,
  ...financeExports,
  ...formExports,
  ...funnelExports,
  ...eventExports,
} as const satisfies Exports

export type ExportList = keyof typeof exports
