import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import { Radio, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core'
import type { SettingsKeyFragment } from '../generated/settings.documents.ts'
import { Muted } from '../shared/layout/screen.tsx'

export type Scope = NonNullable<SettingsKeyFragment['scopes']>[number]
type Module = Scope extends infer Each ? (Each extends `${infer Name}_READ` ? Name : never) : never
type Access = 'NONE' | 'READ' | 'WRITE'

/** What a key may do: everything, or what is chosen for each module. */
export type AccessOfKey = 'FULL' | Readonly<Partial<Record<Module, Access>>>

const modules = {
  CONTACTS: { label: msg`Contacts`, contains: msg`Contacts, tags, segments, imports` },
  MEDIA: { label: msg`Media`, contains: msg`Pictures and PDF files` },
  MAIL: { label: msg`E-mail`, contains: msg`Messages and sender domains` },
  CAMPAIGNS: { label: msg`Campaigns`, contains: msg`Campaigns and their audiences` },
  SEQUENCES: { label: msg`Sequences`, contains: msg`Sequences, stages, enrolments` },
  FORMS: { label: msg`Forms`, contains: msg`Forms and submissions` },
  FUNNELS: { label: msg`Funnels`, contains: msg`Funnels, pages, visits` },
  FINANCE: { label: msg`Sales`, contains: msg`Orders, invoices, subscriptions` },
  EVENTS: { label: msg`Events`, contains: msg`Events and webhooks` },
  ACCOUNT: { label: msg`Account`, contains: msg`Settings of the account, audit log` },
} as const satisfies Readonly<Record<Module, { label: MessageDescriptor; contains: MessageDescriptor }>>

const entries = Object.entries(modules) as [Module, (typeof modules)[Module]][]

const levels = (): { value: Access; label: string }[] => [
  { value: 'NONE', label: t({ message: 'None', context: 'access' }) },
  { value: 'READ', label: t({ message: 'Read', context: 'access' }) },
  { value: 'WRITE', label: t`Read and change` },
]

/** Returns the scopes of a choice. */
export function scopesOf(access: AccessOfKey): Scope[] {
  if (access === 'FULL') return ['FULL_ACCESS']
  return entries.flatMap(([name]): Scope[] => {
    const level = access[name] ?? 'NONE'
    return level === 'NONE' ? [] : level === 'READ' ? [`${name}_READ`] : [`${name}_READ`, `${name}_WRITE`]
  })
}

/** Returns the words of the scopes of a key: "Contacts: read and change". Null and full access are everything. */
export function scopeWords(scopes: readonly Scope[] | null): string {
  if (!scopes || scopes.includes('FULL_ACCESS')) return t`Everything`
  const words = entries.flatMap(([name, { label }]) => {
    const [mayRead, mayWrite] = [scopes.includes(`${name}_READ`), scopes.includes(`${name}_WRITE`)]
    if (!mayRead && !mayWrite) return []
    const module = i18n._(label)
    return mayWrite ? (mayRead ? t`${module}: read and change` : t`${module}: change`) : t`${module}: read`
  })
  return words.join(', ')
}

interface KeyScopesProps {
  readonly access: AccessOfKey
  readonly error: string | undefined
  readonly onChange: (access: AccessOfKey) => void
}

/** Chooses what a new key may do. */
export function KeyScopes({ access, error, onChange }: KeyScopesProps) {
  const isFull = access === 'FULL'
  return (
    <Stack gap="xs">
      <Radio.Group
        size="xs"
        label={t`Access of the new key`}
        error={error}
        value={isFull ? 'FULL' : 'CHOSEN'}
        onChange={(value) => onChange(value === 'FULL' ? 'FULL' : {})}
      >
        <Stack gap={6} my={4}>
          <Radio size="xs" value="CHOSEN" label={t`Only what is chosen here`} />
          <Radio size="xs" value="FULL" label={t`Everything, also users, keys and webhooks`} />
        </Stack>
      </Radio.Group>
      {!isFull && (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xs" maw={1040}>
          {entries.map(([name, { label, contains }]) => (
            <div key={name} className="key-scope">
              <div>
                <Text size="xs" fw={550}>
                  {i18n._(label)}
                </Text>
                <Muted>{i18n._(contains)}</Muted>
              </div>
              <SegmentedControl
                size="xs"
                aria-label={t`Access to ${i18n._(label)}`}
                data={levels()}
                value={access[name] ?? 'NONE'}
                onChange={(level) => onChange({ ...access, [name]: level as Access })}
              />
            </div>
          ))}
        </SimpleGrid>
      )}
    </Stack>
  )
}
