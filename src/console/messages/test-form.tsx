import { t } from '@lingui/core/macro'
import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Outcome, reasonOf } from '../graph/use-screen.ts'
import { notify } from '../shared/actions/notify.tsx'
import { useShell } from '../shell/use-shell.ts'
import type { Reader } from './message-preview.tsx'

interface TestTarget {
  readonly emails: string[]
  readonly contactId: string | null
}

interface TestProps {
  readonly isSending: boolean
  /** The contact that the preview shows. The test is rendered for the same one. */
  readonly reader: Reader | undefined
  readonly onSend: (target: TestTarget) => Promise<Outcome<TestResults>>
}

/** What became of the message to each address. */
interface TestResults {
  readonly test: {
    readonly results: readonly { readonly email: string; readonly error: string | null }[] | null
  } | null
}

/** Sends a test of a message to some addresses, by default to that of the user. */
export function TestForm({ isSending, reader, onSend }: TestProps) {
  const { viewer } = useShell()
  const [error, setError] = useState<string>()
  const send = async (form: FormData) => {
    const emails = String(form.get('emails'))
      .split(/[\s,;]+/)
      .filter((word) => word !== '')
    const outcome = await onSend({ emails, contactId: reader?.id ?? null })
    const results = outcome.data?.test?.results ?? []
    const reasons = results.flatMap(({ email, error: reason }) => (reason === null ? [] : `${email}: ${reason}`))
    setError(reasonOf(outcome, 'emails', 'contactId') ?? (reasons.join(' ') || undefined))
    const sentTo = results.flatMap(({ email, error: reason }) => (reason === null ? email : []))
    if (sentTo.length > 0) notify(t`A test was sent to ${sentTo.join(', ')}.`)
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
          name="emails"
          required
          aria-label={t`Addresses for a test`}
          description={
            reader
              ? t`Up to five addresses. The test shows the data of ${reader.label}, as the preview does.`
              : t`Up to five addresses. The test shows the data of an example contact, as the preview does.`
          }
          inputWrapperOrder={['input', 'description', 'error']}
          defaultValue={viewer?.user?.email ?? viewer?.email ?? ''}
          error={error}
        />
        <Button type="submit" variant="default" loading={isSending}>{t`Send a test`}</Button>
      </Group>
    </form>
  )
}
