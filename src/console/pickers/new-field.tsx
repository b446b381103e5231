import { t } from '@lingui/core/macro'
import { Button, Group, Modal, Select, Stack, TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { CustomFieldCreateDocument, type CustomFieldCreateMutation } from '../generated/pickers.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { ActionError } from '../shared/layout/screen.tsx'

type NewCustomField = NonNullable<NonNullable<CustomFieldCreateMutation['customFieldCreate']>['customField']>
type FieldType = NewCustomField['type']

const types = (): readonly { readonly value: FieldType; readonly label: string }[] => [
  { value: 'TEXT', label: t`Text` },
  { value: 'NUMBER', label: t`Number` },
  { value: 'DATE', label: t`Date` },
  { value: 'BOOLEAN', label: t`Yes or no` },
  { value: 'SELECT', label: t`One of several options` },
  { value: 'URL', label: t`Web address` },
]

interface NewFieldProps {
  /** The suggested name. The dialog is closed without one; an empty one is a suggestion, too. */
  readonly name: string | undefined
  readonly onClose: () => void
  readonly onCreated?: (field: NewCustomField) => void
}

/** Creates a custom field of contacts. */
export function NewField({ name, onClose, onCreated }: NewFieldProps) {
  return (
    <Modal opened={name !== undefined} onClose={onClose} title={t`New field of contacts`}>
      <NewFieldForm suggested={name ?? ''} onClose={onClose} onCreated={onCreated} />
    </Modal>
  )
}

interface NewFieldFormProps extends Omit<NewFieldProps, 'name'> {
  readonly suggested: string
}

function NewFieldForm({ suggested, onClose, onCreated }: NewFieldFormProps) {
  const [create, isCreating] = useAction(CustomFieldCreateDocument)
  const [name, setName] = useState(suggested)
  const [type, setType] = useState<FieldType>('TEXT')
  const [options, setOptions] = useState<string[]>([])
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const submit = async () => {
    const result = await create({ input: { name, type, values: type === 'SELECT' ? options : null } })
    if (result.error !== undefined) {
      const isNamed = Object.keys(result.fields).length > 0
      return setErrors(isNamed ? result.fields : { all: result.error })
    }
    const field = result.data.customFieldCreate?.customField
    if (field) onCreated?.(field)
    onClose()
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        // The dialog is a part of the screen's own form.
        event.stopPropagation()
        event.preventDefault()
        void submit()
      }}
    >
      <Stack gap="sm">
        <ActionError>{errors['all']}</ActionError>
        <TextInput
          data-autofocus
          label={t`Name`}
          value={name}
          error={errors['name']}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Select
          allowDeselect={false}
          label={t`Type of its values`}
          description={t`It cannot be changed later.`}
          data={types()}
          value={type}
          error={errors['type']}
          onChange={(chosen) => chosen && setType(chosen)}
        />
        {type === 'SELECT' && (
          <TagsInput
            label={t`Options`}
            description={t`Press Enter after each one.`}
            value={options}
            error={errors['values']}
            onChange={setOptions}
          />
        )}
        <Group justify="end">
          <Button variant="default" onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" loading={isCreating}>{t`Create field`}</Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Opens the dialog that creates a custom field. */
export function NewFieldButton() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="subtle" size="compact-xs" w="fit-content" onClick={() => setOpen(true)}>{t`New field`}</Button>
      <NewField name={isOpen ? '' : undefined} onClose={() => setOpen(false)} />
    </>
  )
}
