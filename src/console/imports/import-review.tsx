import { plural, t } from '@lingui/core/macro'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type ImportProgressSubscription, ImportStartDocument } from '../generated/imports.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { ActionError } from '../shared/layout/screen.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'
import { fieldLabel } from './mapping.ts'

type Column = NonNullable<ImportProgressSubscription['contactImportProgress']['contactImport']>['columns'][number]
type Meaning = Column['meanings'][number]['meaning']

/** What cells that say the same do to their contacts. */
function effectOf(meaning: Meaning, count: number): string {
  switch (meaning) {
    case 'GRANTED':
      return plural(count, { one: '# accepts e-mail', other: '# accept e-mail' })
    case 'REFUSED':
      return plural(count, { one: '# refuses e-mail', other: '# refuse e-mail' })
    case 'UNSUBSCRIBED':
      return plural(count, { one: '# has unsubscribed', other: '# have unsubscribed' })
    case 'PENDING':
      return plural(count, { one: '# has not confirmed: no consent', other: '# have not confirmed: no consent' })
    case 'BOUNCED':
      return plural(count, { one: '# bounces: gets no e-mail', other: '# bounce: get no e-mail' })
    case 'COMPLAINED':
      return plural(count, { one: '# has complained: gets no e-mail', other: '# have complained: get no e-mail' })
    case 'NONE':
      return plural(count, { one: '# says nothing about consent', other: '# say nothing about consent' })
    default:
      return plural(count, { one: '# cannot be read: no consent', other: '# cannot be read: no consent' })
  }
}

const hasLeft = (meaning: Meaning) => meaning === 'UNSUBSCRIBED' || meaning === 'BOUNCED' || meaning === 'COMPLAINED'

interface ImportReviewProps {
  readonly id: string
  readonly columns: readonly Column[]
  readonly rows: number
  readonly onBack: () => void
}

/** What was found in a file: the fields of its columns, and what those about consent will do. Nothing was imported yet. */
export function ImportReview({ id, columns, rows, onBack }: ImportReviewProps) {
  const [start, isStarting] = useAction(ImportStartDocument)
  const [error, setError] = useState<string>()
  const doubtful = columns.filter(({ isDoubtful }) => isDoubtful).map(({ column }) => column)
  const haveAllLeft = columns.some(
    ({ meanings }) => meanings.reduce((sum, { meaning, count }) => sum + (hasLeft(meaning) ? count : 0), 0) >= rows,
  )
  return (
    <Stack gap="sm">
      <Text size="sm">{t`Nothing was imported yet. This was found in the file:`}</Text>
      {haveAllLeft && (
        <Alert color="yellow" title={t`Everyone in this file has left`}>
          {t`Their consent is withdrawn, and addresses that bounce get no e-mail anymore. Import the file to keep that.`}
        </Alert>
      )}
      {doubtful.length > 0 && (
        <Alert color="yellow" title={t`Is this about consent?`}>
          {t`Until a field, or “Not imported”, is chosen for ${doubtful.join(', ')}, new contacts do not get the consent that is switched on.`}
        </Alert>
      )}
      <DataTable
        label={t`What was found`}
        rows={columns.map((column) => ({ id: String(column.position), ...column }))}
        empty=""
        columns={({ left }) => [
          left(t`Column`, ({ column }) => column),
          left(t`Field`, (column) => fieldLabel(column)),
          left(t`Effect`, ({ isDoubtful, meanings }) =>
            isDoubtful
              ? t`Its name is about consent`
              : meanings.map(({ meaning, count }) => effectOf(meaning, count)).join(', '),
          ),
        ]}
      />
      <ActionError>{error}</ActionError>
      <Group>
        <Button loading={isStarting} onClick={async () => setError((await start({ input: { id } })).error)}>
          {plural(rows, { one: 'Import # row', other: 'Import # rows' })}
        </Button>
        <Button variant="default" onClick={onBack}>{t`Change the file or the fields`}</Button>
      </Group>
    </Stack>
  )
}
