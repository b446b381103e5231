import { t } from '@lingui/core/macro'
import { Badge, Button, Group, Stack, TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { eventNames } from '../generated/event-names.documents.ts'
import {
  type SettingsWebhookFragment,
  WebhookCreateDocument,
  WebhookDeleteDocument,
  WebhookTestDocument,
  WebhookUpdateDocument,
} from '../generated/settings.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { reasonOf, useAction } from '../graph/use-screen.ts'
import { ask } from '../shared/actions/confirm.tsx'
import { Secret } from '../shared/actions/copy.tsx'
import { report } from '../shared/actions/report.ts'
import { useFormat, words } from '../shared/format.ts'
import { EditableFields, EditableSwitch, unsavedText } from '../shared/forms/editable.tsx'
import { useSavedText } from '../shared/forms/use-saved.ts'
import { Listed } from '../shared/layout/listed.tsx'
import { Permitted } from '../shared/layout/permission.tsx'
import { Muted, Section } from '../shared/layout/screen.tsx'
import { Deliveries, DryRun } from './webhook-deliveries.tsx'

/** Patterns that can be chosen for a webhook: all events, those of a resource, and single types. */
const eventPatterns: readonly string[] = [
  '*',
  ...new Set(eventNames.map((name) => `${name.split('.')[0]}.*`)),
  ...eventNames,
]

interface WebhooksProps {
  readonly webhooks: readonly SettingsWebhookFragment[] | undefined
  readonly onChanged: () => void
}

/** The endpoints that receive events. */
export function Webhooks({ webhooks, onChanged }: WebhooksProps) {
  const [secret, setSecret] = useState<string>()
  return (
    <Permitted scope="EVENTS_WRITE">
      <Stack gap="md">
        <NewWebhook onSecret={setSecret} />
        {secret && <Secret title={t`The secret is shown once`} value={secret} />}
        <Listed items={webhooks} empty={t`There are no webhooks yet.`}>
          {(listed) =>
            listed.map((webhook) => (
              <Webhook key={webhook.id} webhook={webhook} onChanged={onChanged} onSecret={setSecret} />
            ))
          }
        </Listed>
      </Stack>
    </Permitted>
  )
}

interface SecretProps {
  readonly onSecret: (secret: string | undefined) => void
}

function NewWebhook({ onSecret }: SecretProps) {
  const [create, isCreating] = useAction(WebhookCreateDocument)
  const [url, setUrl] = useState('')
  const [patterns, setPatterns] = useState<string[]>(['*'])
  const [error, setError] = useState<{ url?: string | undefined; patterns?: string | undefined }>({})
  const add = async () => {
    const result = await create({ input: { url, eventPatterns: patterns } })
    const ofPatterns = result.error === undefined ? undefined : result.fields['eventPatterns']
    setError({ patterns: ofPatterns, url: ofPatterns === undefined ? reasonOf(result, 'url') : undefined })
    onSecret(result.data?.webhookCreate?.secret ?? undefined)
    if (result.error === undefined) setUrl('')
  }
  return (
    <Section title={t`New webhook`} maw={720}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void add()
        }}
      >
        <Stack gap="xs">
          <TextInput
            size="xs"
            label={t`URL`}
            type="url"
            required
            placeholder="https://example.com/events"
            value={url}
            error={error.url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          />
          <TagsInput
            size="xs"
            label={t`Events of the new webhook`}
            description={t`Types such as contact.created, all of a resource such as contact.*, or * for everything.`}
            data={[...eventPatterns]}
            value={patterns}
            error={error.patterns}
            onChange={setPatterns}
          />
          <Group>
            <Button type="submit" loading={isCreating}>{t`Create webhook`}</Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

interface WebhookProps extends SecretProps {
  readonly webhook: SettingsWebhookFragment
  readonly onChanged: () => void
}

const texts = () =>
  [
    { name: 'url', label: t`URL`, type: 'url' },
    { name: 'description', label: t`Description` },
  ] as const

function Webhook({ webhook, onChanged, onSecret }: WebhookProps) {
  const { id, url, active, eventPatterns: patterns } = webhook
  const [save] = useSave(WebhookUpdateDocument, { id }, webhook)
  return (
    <Section title={url} aside={<State webhook={webhook} />}>
      <Stack gap="sm">
        <EditableSwitch label={t`Receives events`} checked={active} onSave={(value) => save({ active: value })} />
        <Group gap="sm" align="start" grow preventGrowOverflow={false}>
          <EditableFields id={id} fields={texts()} values={webhook} onSave={save} />
        </Group>
        <Patterns draftKey={`${id}:events`} patterns={patterns} onSave={(value) => save({ eventPatterns: value })} />
        <Actions webhook={webhook} onChanged={onChanged} onSecret={onSecret} />
        <DryRun webhook={webhook} />
        <Deliveries webhook={webhook} onChanged={onChanged} />
      </Stack>
    </Section>
  )
}

function State({ webhook: { active, disabledReason, failingSince, lastSuccessAt } }: Pick<WebhookProps, 'webhook'>) {
  const format = useFormat()
  return (
    <Group gap="xs">
      {failingSince ? (
        <Badge color="red">{t`Failing ${format.relative(failingSince)}`}</Badge>
      ) : (
        lastSuccessAt && <Muted>{t`Delivered ${format.relative(lastSuccessAt)}`}</Muted>
      )}
      <Badge color={active ? 'teal' : 'gray'}>
        {active ? t`Active` : disabledReason ? t`Disabled: ${words(disabledReason)}` : t`Not active`}
      </Badge>
    </Group>
  )
}

interface PatternsProps {
  readonly draftKey: string
  readonly patterns: readonly string[]
  readonly onSave: (patterns: string[]) => Promise<string | undefined>
}

/** The events are saved when the field is left, because one pattern is often replaced by another. */
function Patterns({ draftKey, patterns, onSave }: PatternsProps) {
  const stored = JSON.stringify(patterns)
  const saved = useSavedText(draftKey, stored, (text) => onSave(JSON.parse(text)))
  const { text, change, save } = saved
  return (
    <TagsInput
      size="xs"
      label={t`Events`}
      data={[...eventPatterns]}
      value={JSON.parse(text)}
      error={unsavedText(saved)}
      errorProps={{ component: 'div' }}
      onChange={(next) => change(JSON.stringify(next))}
      onBlur={() => void save()}
    />
  )
}

function Actions({ webhook: { id, url, active }, onChanged, onSecret }: WebhookProps) {
  const [update, isUpdating] = useAction(WebhookUpdateDocument)
  const [test, isTesting] = useAction(WebhookTestDocument)
  const [remove] = useAction(WebhookDeleteDocument)
  const rotate = async () => {
    const consequence = t`For 24 hours, messages are signed with the old and the new secret.`
    if (!(await ask({ title: t`Create a new secret of ${url}?`, consequence, verb: t`Create secret` }))) return
    const result = await update({ input: { id, rotateSecret: true } })
    if (report(result)) onSecret(result.data?.webhookUpdate?.secret ?? undefined)
  }
  const send = async () => {
    if (report(await test({ input: { id } }), t`A test message is on its way.`)) onChanged()
  }
  const drop = async () => {
    const consequence = t`It receives no more events, and pending messages are not sent.`
    if (!(await ask({ title: t`Delete the webhook ${url}?`, consequence, verb: t`Delete`, isRed: true }))) return
    report(await remove({ input: { id } }), t`The webhook was deleted.`)
  }
  return (
    <Group gap="xs">
      <Button
        variant="default"
        loading={isTesting}
        disabled={!active}
        onClick={() => void send()}
      >{t`Send a test`}</Button>
      <Button variant="default" loading={isUpdating} onClick={() => void rotate()}>{t`New secret`}</Button>
      <Button variant="subtle" color="red" onClick={() => void drop()}>{t`Delete webhook`}</Button>
    </Group>
  )
}
