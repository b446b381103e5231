import { t } from '@lingui/core/macro'
import { Anchor, Stack } from '@mantine/core'
import { useState } from 'react'
import { ImportsDocument } from '../generated/imports.documents.ts'
import { useScreen } from '../graph/use-screen.ts'
import { useFormat } from '../shared/format.ts'
import { Permitted } from '../shared/layout/permission.tsx'
import { Screen, Section } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'
import { ImportForm } from './import-form.tsx'
import { ImportProgress } from './import-progress.tsx'
import type { FoundColumn } from './mapping.ts'

/** Imports contacts from a CSV file: choice of the file, mapping of its columns, options, and progress. */
export function ImportScreen() {
  const format = useFormat()
  const result = useScreen(ImportsDocument, {})
  const [importId, setImportId] = useState<string>()
  const [file, setFile] = useState(0)
  const [found, setFound] = useState<readonly FoundColumn[]>([])
  return (
    <Screen title={t`Import contacts`} parent={{ to: '/contacts', label: t`Contacts` }} result={result}>
      {(data) => (
        <Stack gap="md">
          {/* It stays, so that the file and its mapping can be changed after a look at what was found. */}
          <div hidden={importId !== undefined} key={file}>
            <Permitted scope="CONTACTS_WRITE">
              <ImportForm
                customFields={data.customFields ?? []}
                found={found}
                onStarted={setImportId}
                onChosen={() => setFound([])}
              />
            </Permitted>
          </div>
          {importId !== undefined && (
            <ImportProgress
              key={importId}
              id={importId}
              onFound={setFound}
              onBack={() => setImportId(undefined)}
              onAgain={() => {
                setFile(file + 1)
                setFound([])
                setImportId(undefined)
                result.reload()
              }}
            />
          )}
          <Section title={t`Last imports`} isFlush>
            <DataTable
              label={t`Last imports`}
              rows={data.contactImports?.nodes}
              empty={t`Nothing was imported yet.`}
              columns={({ left, right }) => [
                left(t`File`, ({ id, fileName }) => (
                  <Anchor
                    component="button"
                    type="button"
                    size="sm"
                    className="row-link"
                    onClick={() => setImportId(id)}
                  >
                    {fileName || t`Without name`}
                  </Anchor>
                )),
                left(t`Status`, ({ status }) => <Status value={status} />),
                right(t`Rows`, ({ rowsTotal }) => format.number(rowsTotal)),
                right(t`With errors`, ({ failed }) => format.number(failed), 'sm'),
                right(t`Time`, ({ createdAt }) => format.dateTime(createdAt), 'sm'),
              ]}
            />
          </Section>
        </Stack>
      )}
    </Screen>
  )
}
