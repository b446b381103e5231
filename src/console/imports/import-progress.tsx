import { plural, t } from '@lingui/core/macro'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { Download } from 'lucide-react'
import { useEffect } from 'react'
import { useClient, useSubscription } from 'urql'
import {
  ImportFailedRowsDocument,
  ImportProgressDocument,
  type ImportProgressSubscription,
} from '../generated/imports.documents.ts'
import { notify } from '../shared/actions/notify.tsx'
import { Bar } from '../shared/figures/figures.tsx'
import { sentence, useFormat } from '../shared/format.ts'
import { RouterButton } from '../shared/layout/links.tsx'
import { Section } from '../shared/layout/screen.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'
import { ImportReview } from './import-review.tsx'
import type { FoundColumn } from './mapping.ts'

interface ImportProgressProps {
  readonly id: string
  readonly onFound: (columns: readonly FoundColumn[]) => void
  /** Shows the file and its mapping again. */
  readonly onBack: () => void
  readonly onAgain: () => void
}

/** What was found in a file before its import, the progress of the import, and what was not imported. */
export function ImportProgress({ id, onFound, onBack, onAgain }: ImportProgressProps) {
  const format = useFormat()
  const [{ data }] = useSubscription({ query: ImportProgressDocument, variables: { id } })
  const state = data?.contactImportProgress.contactImport
  const columns = state?.columns
  useEffect(() => {
    if (columns && columns.length > 0) onFound(columns)
  }, [columns, onFound])
  const isOver = state?.status === 'COMPLETED' || state?.status === 'FAILED'
  const groups = (state?.errorGroups ?? []).map((group, index) => ({ id: String(index), ...group }))
  const client = useClient()
  const download = async () => {
    const result = await client.query(ImportFailedRowsDocument, { importId: id }, { requestPolicy: 'network-only' })
    if (result.data?.contactImportFailedRows) location.assign(result.data.contactImportFailedRows.url)
    else notify(t`The download could not be started.`, 'red')
  }
  const counts = state && [
    t`${format.number(state.created)} created`,
    t`${format.number(state.updated)} updated`,
    t`${format.number(state.unchanged)} unchanged`,
    t`${format.number(state.failed)} with errors`,
    plural(state.warnings, { one: '# warning', other: '# warnings' }),
  ]
  return (
    <Section title={state?.fileName || t({ message: 'Import', context: 'of contacts' })}>
      <Stack gap="sm">
        {state?.status === 'FAILED' && (
          <Alert color="red" role="alert" title={t`The file could not be imported`}>
            {state.error.replace(/^Invalid input: csv (.*)$/s, (_all, reason) => t`The file ${reason}`)}
          </Alert>
        )}
        {state?.status === 'REVIEW' && (
          <ImportReview id={id} columns={state.columns} rows={state.rowsTotal} onBack={onBack} />
        )}
        <Stack gap={4} role="status" display={state?.status === 'REVIEW' ? 'none' : undefined}>
          <Bar value={state?.rowsDone ?? 0} of={state?.rowsTotal ?? 1} label={t`Progress of the import`} />
          <Text size="sm">
            {state
              ? t`${format.number(state.rowsDone)} of ${plural(state.rowsTotal, { one: '# row', other: '# rows' })}: ${counts?.join(', ') ?? ''}`
              : t`Reading the file…`}
          </Text>
        </Stack>
        {groups.length > 0 && <ErrorGroups groups={groups} />}
        {state && state.errors.nodes.length > 0 && (
          <DataTable
            label={t`Lines that were not imported`}
            rows={state.errors.nodes}
            empty=""
            columns={({ left, right }) => [
              right(t`Line`, ({ line }) => line),
              left(t`Column`, ({ column }) => column || t`Whole line`),
              left(t`Reason`, ({ column, message }) => sentence(column ? message : t`The line ${message}`)),
            ]}
          />
        )}
        {isOver && (
          <Group>
            {state.failed > 0 && (
              <Button
                variant="default"
                leftSection={<Download size={14} />}
                onClick={download}
              >{t`Download the rows with errors`}</Button>
            )}
            {state.status === 'FAILED' && (
              <Button variant="default" onClick={onBack}>{t`Change the file or the fields`}</Button>
            )}
            <RouterButton to="/contacts">{t`Show contacts`}</RouterButton>
            <Button variant="default" onClick={onAgain}>{t`Import another file`}</Button>
          </Group>
        )}
      </Stack>
    </Section>
  )
}

type ErrorGroup = NonNullable<
  ImportProgressSubscription['contactImportProgress']['contactImport']
>['errorGroups'][number]

/** Errors and warnings by column and reason. Only the rows with errors were not imported. */
function ErrorGroups({ groups }: { groups: readonly (ErrorGroup & { readonly id: string })[] }) {
  const format = useFormat()
  return (
    <DataTable
      label={t`Errors and warnings`}
      rows={groups}
      empty=""
      columns={({ left, right }) => [
        left(t`Column`, ({ column }) => column || t`Whole row`),
        left(t`Reason`, ({ column, message }) => sentence(column ? message : t`The row ${message}`)),
        left(t`Effect`, ({ severity }) => (severity === 'ERROR' ? t`Row not imported` : t`Warning`)),
        right(t`Count`, ({ count }) => format.number(count)),
        right(t`First lines`, ({ firstLines }) => firstLines.join(', '), 'sm'),
      ]}
    />
  )
}
