import { t } from '@lingui/core/macro'
import { Paper } from '@mantine/core'
import { FormsDocument } from '../generated/forms.documents.ts'
import { useLive, useScreen } from '../graph/use-screen.ts'
import { useFormat, words } from '../shared/format.ts'
import { RouterAnchor } from '../shared/layout/links.tsx'
import { Screen } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import { DataTable, Pager } from '../shared/tables/data-table.tsx'
import { usePage } from '../shared/tables/use-page.ts'
import { NewForm } from './new-form.tsx'

const liveTypes = ['FORM_CREATED', 'FORM_UPDATED', 'FORM_DELETED', 'FORM_SUBMISSION_COMPLETED'] as const

/** The forms, with the number of their submissions. */
export function FormsScreen() {
  const format = useFormat()
  const { after } = usePage()
  const result = useScreen(FormsDocument, { after })
  useLive(result.data?.eventCursor, { types: [...liveTypes] }, result.reload, { isMerged: true })
  return (
    <Screen title={t`Forms`} result={result} actions={<NewForm />}>
      {({ forms }) => (
        <Paper>
          <DataTable
            label={t`Forms`}
            rows={forms?.nodes}
            empty={t`There are no forms yet.`}
            columns={({ left, right }) => [
              left(t`Form`, ({ id, name }) => (
                <RouterAnchor to="/forms/$id" params={{ id }} size="sm" className="row-link">
                  {name}
                </RouterAnchor>
              )),
              left(t`Type`, ({ type }) => words(type), 'sm'),
              left(t`Status`, ({ status }) => <Status value={status} />),
              right(t`Submissions`, ({ submissionsCount }) => format.number(submissionsCount)),
              right(t`Changed`, ({ updatedAt }) => format.date(updatedAt), 'sm'),
            ]}
          />
          <Pager page={forms} />
        </Paper>
      )}
    </Screen>
  )
}
