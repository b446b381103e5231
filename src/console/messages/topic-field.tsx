import { t } from '@lingui/core/macro'
import type { EditorPartsFragment } from '../generated/blocks.documents.ts'
import { EditableSelect } from '../shared/forms/editable.tsx'

interface TopicFieldProps {
  readonly topics: EditorPartsFragment['topics']
  /** Empty for none. */
  readonly topicId: string
  readonly onSave: (change: { topicId: string }) => Promise<string | undefined>
}

/** What a message is about. Archived topics can only be kept. */
export function TopicField({ topics, topicId, onSave }: TopicFieldProps) {
  const choices = topics?.filter(({ id, archivedAt }) => archivedAt === null || id === topicId) ?? []
  if (choices.length === 0) return null
  return (
    <EditableSelect
      label={t`Topic`}
      description={t`Recipients can leave it and keep everything else.`}
      value={topicId}
      data={[{ value: '', label: t`None` }, ...choices.map(({ id, name }) => ({ value: id, label: name }))]}
      onSave={(next) => onSave({ topicId: next })}
    />
  )
}
