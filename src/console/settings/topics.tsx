import { t } from '@lingui/core/macro'
import { Badge, Button, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  type SettingsTopicFragment,
  TopicArchiveDocument,
  TopicCreateDocument,
  TopicDeleteDocument,
  TopicRestoreDocument,
  TopicUpdateDocument,
} from '../generated/settings.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { reasonOf, useAction } from '../graph/use-screen.ts'
import { MoreMenu } from '../shared/actions/more-menu.tsx'
import { report } from '../shared/actions/report.ts'
import { EditableFields, EditableSelect, EditableSwitch } from '../shared/forms/editable.tsx'
import { Listed } from '../shared/layout/listed.tsx'
import { useRefusal } from '../shared/layout/permission.tsx'
import { Muted, Section } from '../shared/layout/screen.tsx'

type Topic = SettingsTopicFragment

interface TopicsProps {
  readonly topics: readonly Topic[] | null
  readonly onChanged: () => void
}

/** What e-mail is about, so that contacts can leave one topic and keep the rest. */
export function Topics({ topics, onChanged }: TopicsProps) {
  const [create, isCreating] = useAction(TopicCreateDocument)
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const add = async () => {
    const result = await create({ input: { name, audience: 'EVERYONE' } })
    setError(reasonOf(result, 'name'))
    if (result.error !== undefined) return
    setName('')
    onChanged()
  }
  return (
    <Stack gap="md">
      <Muted>{t`Contacts see public topics on their preference page, and can leave one and keep the rest.`}</Muted>
      <Group gap="xs" align="start">
        <TextInput
          size="xs"
          aria-label={t`New topic`}
          placeholder={t`Monthly news`}
          value={name}
          error={error}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button loading={isCreating} onClick={() => void add()}>{t`Add topic`}</Button>
      </Group>
      <Listed items={topics} empty={t`No topic was added.`}>
        {(listed) => listed.map((topic) => <TopicSection key={topic.id} topic={topic} onChanged={onChanged} />)}
      </Listed>
    </Stack>
  )
}

const fields = () =>
  [
    { name: 'name', label: t`Name` },
    { name: 'description', label: t`Description`, description: t`What contacts can expect.` },
  ] as const

const audiences = () => [
  { value: 'EVERYONE', label: t`Everyone, until they leave it` },
  { value: 'JOINED', label: t`Only those who joined it` },
]

function TopicSection({ topic, onChanged }: { topic: Topic; onChanged: () => void }) {
  const { id, name, archivedAt } = topic
  const [save] = useSave(TopicUpdateDocument, { id }, topic)
  const [archive] = useAction(TopicArchiveDocument)
  const [restore] = useAction(TopicRestoreDocument)
  const [remove] = useAction(TopicDeleteDocument)
  const refusal = useRefusal('CONTACTS_WRITE')
  return (
    <Section
      title={name}
      maw={520}
      aside={
        <Group gap="xs">
          {archivedAt && <Badge color="gray">{t`Archived`}</Badge>}
          <MoreMenu
            refusal={refusal}
            actions={[
              archivedAt
                ? { label: t`Restore`, done: t`${name} was restored.`, run: () => restore({ input: { id } }) }
                : { label: t`Archive`, done: t`${name} was archived.`, run: () => archive({ input: { id } }) },
              {
                label: t`Delete topic`,
                isRed: true,
                question: {
                  title: t`Delete ${name}?`,
                  consequence: t`What contacts decided about it is deleted too. This cannot be undone.`,
                },
                done: t`${name} was deleted.`,
                run: () => remove({ input: { id } }),
                after: onChanged,
              },
            ]}
          />
        </Group>
      }
    >
      <Stack gap="xs">
        <EditableFields id={id} fields={fields()} values={topic} onSave={save} />
        <EditableSelect
          label={t`Who gets it`}
          value={topic.audience}
          data={audiences()}
          onSave={(audience) => save({ audience: audience as Topic['audience'] })}
        />
        <EditableSwitch
          mt={4}
          label={t`Public: every contact can see and join it`}
          checked={topic.isPublic}
          onSave={(isPublic) => save({ isPublic })}
        />
        <Translations topic={topic} onSave={(translations) => save({ translations })} />
      </Stack>
    </Section>
  )
}

type Translation = Topic['translations'][number]

interface TranslationsProps {
  readonly topic: Topic
  readonly onSave: (translations: Translation[]) => Promise<string | undefined>
}

/** The name and the description in further languages. */
function Translations({ topic, onSave }: TranslationsProps) {
  const [language, setLanguage] = useState('')
  const all = topic.translations.map(({ language: tag, name, description }) => ({ language: tag, name, description }))
  const add = async () => {
    const error = await onSave([
      ...all,
      { language: language.trim(), name: topic.name, description: topic.description },
    ])
    if (error === undefined) setLanguage('')
    else report({ error, fields: {} })
  }
  return (
    <details className="more">
      <summary>{t`Other languages: ${all.map((each) => each.language).join(', ') || t`none`}`}</summary>
      <Stack gap="xs">
        {all.map((each, index) => (
          <Stack key={each.language} gap={4}>
            <EditableFields
              id={`${topic.id}:${each.language}`}
              fields={[
                { name: 'name', label: t`Name (${each.language})` },
                { name: 'description', label: t`Description (${each.language})` },
              ]}
              values={each}
              onSave={(change) => onSave(all.with(index, { ...each, ...change }))}
            />
            <Button
              variant="subtle"
              size="compact-xs"
              style={{ alignSelf: 'start' }}
              onClick={async () => {
                const error = await onSave(all.filter((other) => other !== each))
                if (error !== undefined) report({ error, fields: {} })
              }}
            >{t`Remove ${each.language}`}</Button>
          </Stack>
        ))}
        <Group gap="xs">
          <TextInput
            size="xs"
            aria-label={t`Language to add`}
            placeholder="de"
            value={language}
            onChange={({ currentTarget }) => setLanguage(currentTarget.value)}
          />
          <Button
            variant="default"
            disabled={language.trim() === ''}
            onClick={() => void add()}
          >{t`Add language`}</Button>
        </Group>
      </Stack>
    </details>
  )
}
