import {
  NativeSelect,
  type NativeSelectProps,
  Switch,
  type SwitchProps,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core'
import { type Save, useSavedChoice, useSavedText } from './use-saved.ts'

type Controlled = 'value' | 'defaultValue' | 'onChange' | 'error'

interface SavedText {
  /** Identifies the value in the browser while it is not saved. */
  readonly draftKey: string
  readonly value: string
  /** Saves the value. Returns the reason if it was refused. */
  readonly onSave: Save<string>
}

/** A field that is saved when it is left, or with Enter. A value that was refused stays in it, with the reason. */
export function Editable({ draftKey, value, onSave, ...input }: SavedText & Omit<TextInputProps, Controlled>) {
  const { text, change, error, save, reset } = useSavedText(draftKey, value, onSave)
  return (
    <TextInput
      size="xs"
      {...input}
      value={text}
      error={error}
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
export function EditableArea({ draftKey, value, onSave, ...input }: SavedText & Omit<TextareaProps, Controlled>) {
  const { text, change, error, save, reset } = useSavedText(draftKey, value, onSave)
  return (
    <Textarea
      size="xs"
      autosize
      minRows={2}
      maxRows={12}
      {...input}
      value={text}
      error={error}
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
  readonly fields: readonly (Omit<TextInputProps, Controlled | 'name'> & {
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

interface SavedSelect extends Omit<NativeSelectProps, Controlled> {
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
