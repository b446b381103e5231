import { Button, Code, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { KeyCreateDocument, KeyDisableDocument, type SettingsKeyFragment } from '../generated/settings.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { DataTable } from '../shared/data-table.tsx'
import { useFormat } from '../shared/format.ts'
import { Secret } from '../shared/links.tsx'
import { report } from '../shared/report.ts'
import { ActionError, Muted, Section } from '../shared/screen.tsx'

/** The API keys. A new key is shown once. */
export function Keys({ keys }: { keys: readonly SettingsKeyFragment[] }) {
  const format = useFormat()
  const [create, isCreating] = useAction(KeyCreateDocument)
  const [disable] = useAction(KeyDisableDocument)
  const [name, setName] = useState('')
  const [key, setKey] = useState<string>()
  const [error, setError] = useState<string>()
  const add = async () => {
    const result = await create({ input: { name } })
    setError(result.error)
    setKey(result.data?.apiKeyCreate?.key)
    if (result.data) setName('')
  }
  const stop = async (id: string) => {
    if (!confirm('Disable the key? What uses it is refused at once.')) return
    report(await disable({ input: { id } }))
  }
  return (
    <Section title="API keys" isFlush>
      <Stack px="md" pb="xs" gap="xs">
        <ActionError>{error}</ActionError>
        <Group gap="xs">
          <TextInput
            size="xs"
            aria-label="Name of the new key"
            placeholder="Name"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Button loading={isCreating} onClick={() => void add()}>
            Create key
          </Button>
        </Group>
        {key && <Secret title="The key is shown once" value={key} />}
      </Stack>
      <DataTable
        label="API keys"
        rows={keys}
        empty="There are no keys."
        columns={({ left, right }) => [
          left('Name', (each) => each.name || 'Without name'),
          left('Begins with', ({ prefix }) => <Code>{prefix}</Code>, 'xs'),
          left('Access', ({ scopes }) => scopes?.join(', ') ?? 'Everything', 'md'),
          right('Created', ({ createdAt }) => format.date(createdAt), 'sm'),
          right('', ({ id, name: label, disabledAt }) =>
            disabledAt ? (
              <Muted>Disabled</Muted>
            ) : (
              <Button
                variant="subtle"
                size="compact-xs"
                color="red"
                aria-label={`Disable ${label}`}
                onClick={() => void stop(id)}
              >
                Disable
              </Button>
            ),
          ),
        ]}
      />
    </Section>
  )
}
