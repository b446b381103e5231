/** The tabs of the settings. */
export const settingsTabs = ['account', 'users', 'keys', 'webhooks', 'domains', 'audit log'] as const

export type SettingsTab = (typeof settingsTabs)[number]

/** What the address of the settings contains. */
interface SettingsSearch {
  readonly tab?: SettingsTab
}

/** Reads the address of the settings. */
export function readSettingsSearch({ tab }: Record<string, unknown>): SettingsSearch {
  const known = settingsTabs.find((each) => each === tab)
  return known ? { tab: known } : {}
}
