import { t } from '@lingui/core/macro'
import { Button, Code, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  KeyCreateDocument,
  KeyDisableDocument,
  KeyUpdateDocument,
  type SettingsKeyFragment,
} from '../generated/settings.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { reasonOf, useAction } from '../graph/use-screen.ts'
import { ask } from '../shared/actions/confirm.tsx'
import { Secret } from '../shared/actions/copy.tsx'
import { report } from '../shared/actions/report.ts'
import { useFormat } from '../shared/format.ts'
import { Editable } from '../shared/forms/editable.tsx'
import { Muted, Section } from '../shared/layout/screen.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'
import { type AccessOfKey, KeyScopes, scopesOf, scopeWords } from './key-scopes.tsx'

/** The API keys. A new key is shown once. */
export function Keys({ keys }: { keys: readonly SettingsKeyFragment[] | undefined }) {
  const format = useFormat()
  const [create, isCreating] = useAction(KeyCreateDocument)
  const [disable] = useAction(KeyDisableDocument)
  const [name, setName] = useState('')
  const [key, setKey] = useState<string>()
  const [access, setAccess] = useState<AccessOfKey>({})
  const [error, setError] = useState<{ name?: string | undefined; scopes?: string | undefined }>({})
  const add = async () => {
    const scopes = scopesOf(access)
    if (scopes.length === 0) return setError({ scopes: t`Choose what the key may read or change.` })
    const result = await create({ input: { name, scopes } })
    const ofName = result.error === undefined ? undefined : result.fields['name']
    setError(ofName ? { name: ofName } : { scopes: reasonOf(result, 'scopes') })
    setKey(result.data?.apiKeyCreate?.key)
    if (result.error !== undefined) return
    setName('')
    setAccess({})
  }
  const stop = async (id: string, label: string) => {
    const title = t`Disable the key ${label}?`
    const consequence = t`What uses it is refused at once. A disabled key cannot be enabled again.`
    if (!(await ask({ title, consequence, verb: t`Disable`, isRed: true }))) return
    report(await disable({ input: { id } }))
  }
  return (
    <Section title={t`API keys`} isFlush>
      <Stack px="md" pb="xs" gap="xs">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void add()
          }}
        >
          <Stack gap="sm">
            <TextInput
              size="xs"
              maw={320}
              label={t`Name of the new key`}
              value={name}
              error={error.name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
            />
            <KeyScopes access={access} error={error.scopes} onChange={setAccess} />
            <Group>
              <Button type="submit" loading={isCreating}>{t`Create key`}</Button>
            </Group>
          </Stack>
        </form>
        {key && <Secret title={t`The key is shown once`} value={key} />}
      </Stack>
      <DataTable
        label={t`API keys`}
        rows={keys}
        empty={t`There are no keys.`}
        columns={({ left, right }) => [
          left(t`Name`, (each) => <Name apiKey={each} />),
          left(t`Begins with`, ({ prefix }) => <Code>{prefix}</Code>, 'xs'),
          left(t`Access`, ({ scopes }) => scopeWords(scopes), 'md'),
          right(t`Last used`, ({ lastUsedAt }) => (lastUsedAt ? format.relative(lastUsedAt) : t`Never`), 'sm'),
          right(t`Created`, ({ createdAt }) => format.date(createdAt), 'sm'),
          right('', ({ id, name: ownName, prefix, disabledAt }) =>
            disabledAt ? (
              <Muted>{t`Disabled`}</Muted>
            ) : (
              <Button
                variant="subtle"
                size="compact-xs"
                color="red"
                aria-label={t`Disable ${ownName || prefix}`}
                onClick={() => void stop(id, ownName || prefix)}
              >{t`Disable`}</Button>
            ),
          ),
        ]}
      />
    </Section>
  )
}

function Name({ apiKey }: { apiKey: SettingsKeyFragment }) {
  const { id, name, prefix } = apiKey
  const [save] = useSave(KeyUpdateDocument, { id }, apiKey)
  return (
    <Editable
      aria-label={t`Name of the key ${prefix}`}
      placeholder={t`Without name`}
      draftKey={`${id}:name`}
      value={name}
      onSave={(value) => save({ name: value })}
    />
  )
}
