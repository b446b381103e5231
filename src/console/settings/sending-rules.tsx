import { t } from '@lingui/core/macro'
import { Checkbox, Group, Stack } from '@mantine/core'
import { AccountUpdateDocument, type SettingsQuery } from '../generated/settings.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { Editable } from '../shared/forms/editable.tsx'
import { EditableHours } from '../shared/forms/editable-hours.tsx'
import { type Save, useSavedChoice } from '../shared/forms/use-saved.ts'
import { Section } from '../shared/layout/screen.tsx'

type Account = NonNullable<SettingsQuery['account']>
type Weekday = Account['daysOff'][number]

/** When contacts get marketing messages, and how many. */
export function SendingRules({ account }: { account: Account }) {
  const { id, frequencyCap, quietHours, daysOff } = account
  const [save] = useSave(AccountUpdateDocument, {}, account)
  const saveCap = (messages: number, days: number) =>
    save({ frequencyCap: messages > 0 ? { messages: Math.trunc(messages), days: Math.trunc(days) } : null })
  return (
    <Section title={t`Rules for marketing messages`} maw={520}>
      <Stack gap="xs">
        <Group gap="xs" grow align="start">
          <Editable
            type="number"
            min={0}
            max={100}
            label={t`Maximum number of messages`}
            description={t`To each contact. Empty: no maximum.`}
            draftKey={`${id}:frequencyCap`}
            value={frequencyCap ? String(frequencyCap.messages) : ''}
            onSave={(value) => saveCap(Number(value), frequencyCap?.days ?? 7)}
          />
          <Editable
            type="number"
            min={1}
            max={90}
            label={t`In so many days`}
            description={t`From 1 to 90.`}
            disabled={!frequencyCap}
            draftKey={`${id}:frequencyCapDays`}
            value={frequencyCap ? String(frequencyCap.days) : ''}
            onSave={(value) => saveCap(frequencyCap?.messages ?? 0, Number(value))}
          />
        </Group>
        <EditableHours
          label={t`Quiet hours`}
          description={t`In the time zone of each contact, or else of the account. Empty: none.`}
          draftKey={`${id}:quietHours`}
          hours={quietHours}
          onSave={(hours) => save({ quietHours: hours })}
        />
        <DaysOff days={daysOff} onSave={(days) => save({ daysOff: [...days] })} />
      </Stack>
    </Section>
  )
}

const weekdays = (): readonly { value: Weekday; label: string }[] => [
  { value: 'MONDAY', label: t`Monday` },
  { value: 'TUESDAY', label: t`Tuesday` },
  { value: 'WEDNESDAY', label: t`Wednesday` },
  { value: 'THURSDAY', label: t`Thursday` },
  { value: 'FRIDAY', label: t`Friday` },
  { value: 'SATURDAY', label: t`Saturday` },
  { value: 'SUNDAY', label: t`Sunday` },
]

function DaysOff({ days, onSave }: { days: readonly Weekday[]; onSave: Save<readonly Weekday[]> }) {
  const { error, save } = useSavedChoice(onSave)
  return (
    <Checkbox.Group
      size="xs"
      label={t`Days without messages`}
      value={[...days]}
      error={error}
      onChange={(next) => void save(next as Weekday[])}
    >
      <Group gap="sm" mt={4}>
        {weekdays().map(({ value, label }) => (
          <Checkbox key={value} size="xs" value={value} label={label} />
        ))}
      </Group>
    </Checkbox.Group>
  )
}
