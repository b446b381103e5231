import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Outcome, reasonOf } from '../graph/use-screen.ts'
import { notify } from '../shared/notify.tsx'
import { useShell } from '../shell/use-shell.ts'

interface TestProps {
  readonly isSending: boolean
  readonly onSend: (email: string) => Promise<Outcome<unknown>>
}

/** Sends a test of a message to an address, by default that of the user. */
export function TestForm({ isSending, onSend }: TestProps) {
  const { viewer } = useShell()
  const [error, setError] = useState<string>()
  const send = async (form: FormData) => {
    const email = String(form.get('email'))
    const result = await onSend(email)
    setError(reasonOf(result, 'email'))
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
