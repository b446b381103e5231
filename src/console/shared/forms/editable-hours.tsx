import { t } from '@lingui/core/macro'
import type { TextInputProps } from '@mantine/core'
import { Editable } from './editable.tsx'
import type { Save } from './use-saved.ts'

interface Hours {
  readonly from: string
  readonly until: string
}

interface HoursProps extends Pick<TextInputProps, 'label' | 'description' | 'disabled'> {
  readonly draftKey: string
  readonly hours: Hours | null
  /** Saves the hours, or null for none. Returns the reason if they were refused. */
  readonly onSave: Save<Hours | null>
}

/** Hours of the day as a text such as `22:00–08:00`, which is empty for none. They are saved when the field is left. */
export function EditableHours({ hours, onSave, ...input }: HoursProps) {
  const save = async (text: string) => {
    if (text.trim() === '') return onSave(null)
    const [, from, until] = /^\s*(\d{1,2}:\d\d)\s*[-–]\s*(\d{1,2}:\d\d)\s*$/.exec(text) ?? []
    if (from === undefined || until === undefined) return t`Write two times of the day, such as 22:00–08:00.`
    return onSave({ from: from.padStart(5, '0'), until: until.padStart(5, '0') })
  }
  return <Editable placeholder="22:00–08:00" {...input} value={hours ? textOf(hours) : ''} onSave={save} />
}

/** Returns hours as they are written. */
export const textOf = ({ from, until }: Hours) => `${from}–${until}`
