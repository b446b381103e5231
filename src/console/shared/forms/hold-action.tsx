import { t } from '@lingui/core/macro'
import { EditableSelect } from './editable.tsx'

type HoldAction = 'WAIT' | 'SKIP'

interface HoldActionsProps {
  readonly values: { readonly frequencyCapAction: HoldAction; readonly quietHoursAction: HoldAction }
  readonly onSave: (change: {
    frequencyCapAction?: HoldAction
    quietHoursAction?: HoldAction
  }) => Promise<string | undefined>
}

/** What happens to messages that a rule of the account holds back. */
export function HoldActions({ values: { frequencyCapAction, quietHoursAction }, onSave }: HoldActionsProps) {
  const choices = [
    { value: 'WAIT', label: t`The message waits` },
    { value: 'SKIP', label: t`The message is skipped` },
  ]
  return (
    <>
      <EditableSelect
        label={t`A contact had the maximum number of messages`}
        value={frequencyCapAction}
        data={choices}
        onSave={(value) => onSave({ frequencyCapAction: value as HoldAction })}
      />
      <EditableSelect
        label={t`Quiet hours and days off`}
        value={quietHoursAction}
        data={choices}
        onSave={(value) => onSave({ quietHoursAction: value as HoldAction })}
      />
    </>
  )
}
