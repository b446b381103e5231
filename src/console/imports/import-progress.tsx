import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useSubscription } from 'urql'
import { ImportProgressDocument } from '../generated/imports.documents.ts'
import { DataTable } from '../shared/data-table.tsx'
import { Bar } from '../shared/figures.tsx'
import { sentence, useFormat } from '../shared/format.ts'
import { RouterButton } from '../shared/links.tsx'
import { Section } from '../shared/screen.tsx'

/** The progress of an import, and the lines that were not imported. */
export function ImportProgress({ id, onAgain }: { id: string; onAgain: () => void }) {
  const format = useFormat()
  const [{ data }] = useSubscription({ query: ImportProgressDocument, variables: { id } })
  const state = data?.contactImportProgress.contactImport
  const isOver = state?.status === 'COMPLETED' || state?.status === 'FAILED'
  const counts = state && [
    `${format.number(state.created)} created`,
    `${format.number(state.updated)} updated`,
    `${format.number(state.unchanged)} unchanged`,
    `${format.number(state.failed)} with errors`,
  ]
  return (
    <Section title={state?.fileName || 'Import'}>
      <Stack gap="sm">
        {state?.status === 'FAILED' && (
          <Alert color="red" role="alert" title="The file could not be imported">
            {state.error.replace(/^Invalid input: csv /, 'The file ')}
          </Alert>
        )}
        <Stack gap={4} role="status">
          <Bar value={state?.rowsDone ?? 0} of={state?.rowsTotal ?? 1} label="Progress of the import" />
          <Text size="sm">
            {state
              ? `${format.number(state.rowsDone)} of ${format.count(state.rowsTotal, 'row')}: ${counts?.join(', ')}`
              : 'Reading the file…'}
          </Text>
        </Stack>
        {state && state.errors.nodes.length > 0 && (
          <DataTable
            label="Lines that were not imported"
            rows={state.errors.nodes}
            empty=""
            columns={({ left, right }) => [
              right('Line', ({ line }) => line),
              left('Column', ({ column }) => column || 'Whole line'),
              left('Reason', ({ column, message }) => sentence(column ? message : `The line ${message}`)),
            ]}
          />
        )}
        {isOver && (
          <Group>
            <RouterButton to="/contacts">Show contacts</RouterButton>
            <Button variant="default" onClick={onAgain}>
              Import another file
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  )
}
