import { t } from '@lingui/core/macro'
import { Stack } from '@mantine/core'
import {
  ContactFrequencySetDocument,
  ContactTopicJoinDocument,
  ContactTopicLeaveDocument,
  type ContactTopicsFragment,
} from '../generated/contacts.documents.ts'
import { reasonOf, useAction } from '../graph/use-screen.ts'
import { useFormat } from '../shared/format.ts'
import { EditableSelect, EditableSwitch } from '../shared/forms/editable.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'

const frequencies = () => [
  { value: 'ANY', label: t`Every message` },
  { value: 'WEEKLY', label: t`At most one a week` },
  { value: 'MONTHLY', label: t`At most one a month` },
]

/** What a contact wants to get: topics, and how often. */
export function ContactTopics({ contact }: { contact: ContactTopicsFragment }) {
  const format = useFormat()
  const { id, topics, messageFrequency: frequency } = contact
  const [join] = useAction(ContactTopicJoinDocument)
  const [leave] = useAction(ContactTopicLeaveDocument)
  const [setFrequency] = useAction(ContactFrequencySetDocument)
  const decide = async (topicId: string, receives: boolean) => {
    const input = { contact: { id }, topicId, consent: { source: 'console' } }
    const result = receives ? await join({ input }) : await leave({ input })
    return result.error
  }
  return (
    <Stack gap="sm" mb="md">
      <EditableSelect
        maw={260}
        label={t`How often the contact wants e-mail`}
        value={frequency}
        data={frequencies()}
        onSave={async (next) =>
          reasonOf(await setFrequency({ input: { contact: { id }, frequency: next as typeof frequency } }), 'frequency')
        }
      />
      {topics.length > 0 && (
        <DataTable
          label={t`Topics`}
          rows={topics.map((each) => ({ ...each, id: each.topic.id }))}
          empty=""
          columns={({ left, right }) => [
            left(t`Topic`, ({ topic }) => topic.name),
            left(t`Gets it`, ({ topic, receives }) => (
              <EditableSwitch
                aria-label={t`Gets ${topic.name}`}
                checked={receives}
                onSave={(next) => decide(topic.id, next)}
              />
            )),
            right(t`Decided`, ({ changedAt }) => changedAt && format.dateTime(changedAt), 'sm'),
          ]}
        />
      )}
    </Stack>
  )
}
