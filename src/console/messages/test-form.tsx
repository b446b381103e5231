import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Outcome, reasonOf } from '../graph/use-screen.ts'
import { notify } from '../shared/actions/notify.tsx'
import { useShell } from '../shell/use-shell.ts'
import type { Reader } from './message-editor.tsx'

interface TestTarget {
  readonly email: string
  readonly contactId: string | null
}

interface TestProps {
  readonly isSending: boolean
  /** The contact that the preview shows. The test is rendered for the same one. */
  readonly reader: Reader | undefined
  readonly onSend: (target: TestTarget) => Promise<Outcome<unknown>>
}

/** Sends a test of a message to an address, by default that of the user. */
export function TestForm({ isSending, reader, onSend }: TestProps) {
  const { viewer } = useShell()
  const [error, setError] = useState<string>()
  const send = async (form: FormData) => {
    const email = String(form.get('email'))
    const result = await onSend({ email, contactId: reader?.id ?? null })
    setError(reasonOf(result, 'email', 'contactId'))
    if (result.error === undefined) notify(`A test was sent to ${email}.`)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void send(new FormData(event.currentTarget))
      }}
    >
      <Group gap="xs" align="start">
        <TextInput
          size="xs"
          flex={1}
          name="email"
          type="email"
          required
          aria-label="Address for a test"
          description={`The test shows the data of ${reader?.label ?? 'an example contact'}, as the preview does.`}
          inputWrapperOrder={['input', 'description', 'error']}
          defaultValue={viewer?.user?.email ?? viewer?.email ?? ''}
          error={error}
        />
        <Button type="submit" variant="default" loading={isSending}>
          Send a test
        </Button>
      </Group>
    </form>
  )
}
