import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import { Alert, Button, Group, List, Text } from '@mantine/core'
import { Muted } from '../shared/layout/screen.tsx'
import type { EditedDocument, SavingState } from './use-document.ts'

const words: Readonly<Record<SavingState, MessageDescriptor>> = {
  saved: msg`Saved`,
  saving: msg`Saving…`,
  unsaved: msg`Not saved`,
  refused: msg`Not saved`,
  outdated: msg`Not saved`,
}

/** Says whether a document is saved. */
export function SavingStatus({ state }: Pick<EditedDocument, 'state'>) {
  return <Muted role="status">{i18n._(words[state])}</Muted>
}

/** Why a document is not saved, and what can be done about it. */
export function NotSaved({ state, reason, faults, overwrite, discard }: EditedDocument) {
  if (state !== 'refused' && state !== 'outdated') return null
  const isOutdated = state === 'outdated'
  const lines = reason?.split('\n') ?? []
  return (
    <Alert
      color={isOutdated ? 'yellow' : 'red'}
      py="xs"
      mb="xs"
      role="alert"
      title={isOutdated ? t`This was changed meanwhile, by another person or in another tab` : t`This is not saved`}
    >
      {isOutdated ? (
        <Text size="sm">{t`Your changes are kept in this browser. Nothing is overwritten until you decide.`}</Text>
      ) : faults.size > 0 ? (
        <Text size="sm">{t`Please check the marked blocks.`}</Text>
      ) : (
        <List size="xs">
          {lines.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      )}
      <Group gap="xs" mt="xs">
        <Button size="compact-xs" variant="light" color="red" onClick={overwrite}>
          {isOutdated ? t`Overwrite with mine` : t`Save again`}
        </Button>
        <Button size="compact-xs" variant="subtle" color="gray" onClick={discard}>
          {isOutdated ? t`Show theirs` : t`Discard my changes`}
        </Button>
      </Group>
    </Alert>
  )
}
