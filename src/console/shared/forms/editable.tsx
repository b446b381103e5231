import { t } from '@lingui/core/macro'
import {
  Button,
  Group,
  NativeSelect,
  type NativeSelectProps,
  Select,
  type SelectProps,
  Switch,
  type SwitchProps,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core'
import type { ReactNode } from 'react'
import { type Save, useSavedChoice, useSavedText } from './use-saved.ts'

type ControlledProp = 'value' | 'defaultValue' | 'onChange' | 'error'

interface SavedText {
  /** Identifies the value in the browser while it is not saved. */
  readonly draftKey: string
  readonly value: string
  /** Saves the value. Returns the reason if it was refused. */
  readonly onSave: Save<string>
}

interface UnsavedProps {
  readonly reason: string
  /** Whether the value can be saved again as it is. */
  readonly isUnsaved?: boolean
  /** Whether another person changed the value meanwhile, so that saving it again overwrites theirs. */
  readonly isOutdated?: boolean
  readonly onRetry: () => void
  readonly onDiscard: () => void
}

/** Why a value is not saved, with another attempt. The buttons stay enabled while the field has the focus. */
function Unsaved({ reason, isUnsaved = true, isOutdated = false, onRetry, onDiscard }: UnsavedProps) {
  // The focus stays in the field, which would be left and saved before the click.
  const keepFocus = { onMouseDown: (event: { preventDefault(): void }) => event.preventDefault() }
  return (
    <Group component="span" gap={6} display="inline-flex">
      {reason}
      {isUnsaved && (
        <>
          <Button size="compact-xs" variant="light" color="red" {...keepFocus} onClick={onRetry}>
            {isOutdated ? t`Overwrite` : t`Save again`}
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            {...keepFocus}
            onClick={onDiscard}
          >{t`Discard`}</Button>
        </>
      )}
    </Group>
  )
}

/** Returns what is shown at a text that is not saved. */
export function unsavedText({
  error,
  isUnsaved,
  isOutdated,
  overwrite,
  reset,
}: ReturnType<typeof useSavedText>): ReactNode {
  return unsavedAt(error, { isUnsaved, isOutdated, onRetry: () => void overwrite(), onDiscard: reset })
}

/** Returns what is shown at a field whose value is not saved. */
export function unsavedAt(error: string | undefined, actions: Omit<UnsavedProps, 'reason'>): ReactNode {
  return error !== undefined && <Unsaved reason={error} {...actions} />
}

/** A field that is saved when it is left, or with Enter. A value that was refused stays in it, with the reason. */
export function Editable({ draftKey, value, onSave, ...input }: SavedText & Omit<TextInputProps, ControlledProp>) {
  const saved = useSavedText(draftKey, value, onSave)
  const { text, change, save, reset } = saved
  return (
    <TextInput
      size="xs"
      {...input}
      value={text}
      error={unsavedText(saved)}
      errorProps={{ component: 'div' }}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      onBlur={() => void save()}
      onKeyDown={({ key }) => {
        if (key === 'Enter') void save()
        if (key === 'Escape') reset()
      }}
    />
  )
}

/** A field of several lines that is saved when it is left. */
export function EditableArea({ draftKey, value, onSave, ...input }: SavedText & Omit<TextareaProps, ControlledProp>) {
  const saved = useSavedText(draftKey, value, onSave)
  const { text, change, save, reset } = saved
  return (
    <Textarea
      size="xs"
      autosize
      minRows={2}
      maxRows={12}
      {...input}
      value={text}
      error={unsavedText(saved)}
      errorProps={{ component: 'div' }}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      onBlur={() => void save()}
      onKeyDown={({ key }) => {
        if (key === 'Escape') reset()
      }}
    />
  )
}

interface EditableFieldsProps<Name extends string> {
  readonly id: string
  readonly fields: readonly (Omit<TextInputProps, ControlledProp | 'name'> & {
    readonly name: Name
    /** Whether the text has several lines. */
    readonly isArea?: boolean
  })[]
  readonly values: Readonly<Record<NoInfer<Name>, string | null>>
  readonly onSave: (change: Record<Name, string>) => Promise<string | undefined>
}

/** The texts of an object. Each is saved when its field is left. */
export function EditableFields<Name extends string>({ id, fields, values, onSave }: EditableFieldsProps<Name>) {
  return fields.map(({ name, isArea, ...input }) => {
    const Field = isArea ? (EditableArea as typeof Editable) : Editable
    return (
      <Field
        key={name}
        {...input}
        draftKey={`${id}:${name}`}
        value={values[name] ?? ''}
        onSave={(value) => onSave({ [name]: value } as Record<Name, string>)}
      />
    )
  })
}

interface SavedSelect extends Omit<NativeSelectProps, ControlledProp> {
  readonly value: string
  readonly onSave: Save<string>
}

/** A choice that is saved at once. */
export function EditableSelect({ value, onSave, ...input }: SavedSelect) {
  const { error, save } = useSavedChoice(onSave)
  return (
    <NativeSelect
      size="xs"
      {...input}
      value={value}
      error={error}
      onChange={({ currentTarget }) => void save(currentTarget.value)}
    />
  )
}

interface SavedSearch extends Omit<SelectProps, ControlledProp | 'searchable'> {
  readonly value: string
  readonly onSave: Save<string>
}

/** A choice among many, found by typing a part of it. It is saved at once. */
export function EditableSearch({ value, onSave, ...input }: SavedSearch) {
  const { error, save } = useSavedChoice(onSave)
  return (
    <Select
      size="xs"
      {...input}
      searchable
      allowDeselect={false}
      limit={100}
      nothingFoundMessage={t`Nothing found`}
      value={value}
      error={error}
      onChange={(next) => next && next !== value && void save(next)}
    />
  )
}

interface SavedSwitch extends Omit<SwitchProps, 'checked' | 'onChange' | 'error'> {
  readonly checked: boolean
  readonly onSave: Save<boolean>
}

/** A switch that is saved at once. */
export function EditableSwitch({ checked, onSave, ...input }: SavedSwitch) {
  const { error, save } = useSavedChoice(onSave)
  return (
    <Switch
      size="xs"
      {...input}
      checked={checked}
      error={error}
      onChange={({ currentTarget }) => void save(currentTarget.checked)}
    />
  )
}
