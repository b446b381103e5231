import { t } from '@lingui/core/macro'
import { Button, Group, Modal, Stack, Switch, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ContactCreateDocument } from '../generated/contacts.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { ActionError } from '../shared/layout/screen.tsx'

const inputs = () =>
  [
    { name: 'email', label: t`E-mail`, type: 'email', required: true },
    { name: 'firstName', label: t`First name` },
    { name: 'lastName', label: t`Last name` },
    { name: 'companyName', label: t`Company` },
  ] as const

/** Adds a contact, and shows it. */
export function NewContact({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const navigate = useNavigate()
  const [create, isCreating] = useAction(ContactCreateDocument)
  const [values, setValues] = useState<Record<string, string>>({})
  const [mayMail, setMayMail] = useState(false)
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const submit = async () => {
    const result = await create({ input: { ...values, email: values['email'] ?? '', emailMarketing: mayMail } })
    if (result.error !== undefined) {
      const isNamed = Object.keys(result.fields).length > 0
      return setErrors(isNamed ? result.fields : { all: result.error })
    }
    setValues({})
    onClose()
    const { contact } = result.data.contactCreate ?? {}
    if (contact) await navigate({ to: '/contacts/$id', params: { id: contact.id } })
  }
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`New contact`}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <Stack gap="sm">
          <ActionError>{errors['all']}</ActionError>
          {inputs().map(({ name, ...input }) => (
            <TextInput
              key={name}
              {...input}
              value={values[name] ?? ''}
              onChange={({ currentTarget }) => setValues({ ...values, [name]: currentTarget.value })}
              error={errors[name]}
              data-autofocus={name === 'email' || undefined}
            />
          ))}
          <Switch
            size="sm"
            label={t`Accepts marketing by e-mail`}
            checked={mayMail}
            onChange={({ currentTarget }) => setMayMail(currentTarget.checked)}
          />
          <Group justify="end">
            <Button variant="default" onClick={onClose}>{t`Cancel`}</Button>
            <Button type="submit" loading={isCreating}>{t`Add contact`}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
