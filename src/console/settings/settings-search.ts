import { msg } from '@lingui/core/macro'

/** The tabs of the settings, with their titles. */
export const settingsTabs = {
  account: msg`Account`,
  sending: msg`Sending`,
  users: msg`Users`,
  keys: msg`Keys`,
  webhooks: msg`Webhooks`,
  domains: msg`Domains`,
  topics: msg`Topics`,
  invoices: msg`Invoices`,
  'audit log': msg`Audit log`,
} as const

export type SettingsTab = keyof typeof settingsTabs

export const settingsTabNames = Object.keys(settingsTabs) as SettingsTab[]

/** What the address of the settings contains. */
interface SettingsSearch {
  readonly tab?: SettingsTab
}

/** Reads the address of the settings. */
export function readSettingsSearch({ tab }: Record<string, unknown>): SettingsSearch {
  const known = settingsTabNames.find((each) => each === tab)
  return known ? { tab: known } : {}
}
