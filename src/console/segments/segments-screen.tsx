import { t } from '@lingui/core/macro'
import { Paper } from '@mantine/core'
import { SegmentsDocument } from '../generated/segments.documents.ts'
import { useLive, useScreen } from '../graph/use-screen.ts'
import { useFormat } from '../shared/format.ts'
import { RouterAnchor, RouterButton } from '../shared/layout/links.tsx'
import { Screen } from '../shared/layout/screen.tsx'
import { DataTable, Pager } from '../shared/tables/data-table.tsx'
import { usePage } from '../shared/tables/use-page.ts'

const liveTypes = ['SEGMENT_CREATED', 'SEGMENT_UPDATED', 'SEGMENT_DELETED'] as const

/** The segments, with the number of their contacts at present. */
export function SegmentsScreen() {
  const format = useFormat()
  const { after } = usePage()
  const result = useScreen(SegmentsDocument, { after })
  useLive(result.data?.eventCursor, { types: [...liveTypes] }, result.reload)
  return (
    <Screen
      title={t`Segments`}
      subtitle={t`Saved conditions of contacts. A segment contains the contacts that match when it is used.`}
      result={result}
      actions={<RouterButton to="/contacts">{t`New segment from contacts`}</RouterButton>}
    >
      {({ segments }) => (
        <Paper>
          <DataTable
            label={t`Segments`}
            rows={segments?.nodes}
            empty={t`There are no segments yet. Filter the contacts, and save the conditions.`}
            columns={({ left, right }) => [
              left(t`Segment`, ({ id, name }) => (
                <RouterAnchor to="/segments/$id" params={{ id }} size="sm" className="row-link">
                  {name}
                </RouterAnchor>
              )),
              right(t`Contacts`, ({ contacts }) => contacts && format.number(contacts.totalCount)),
              right(t`Changed`, ({ updatedAt }) => format.date(updatedAt), 'sm'),
            ]}
          />
          <Pager page={segments} />
        </Paper>
      )}
    </Screen>
  )
}
