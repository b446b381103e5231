import { t } from '@lingui/core/macro'
import { Group, Paper } from '@mantine/core'
import { FunnelsDocument } from '../generated/funnels.documents.ts'
import { useLive, useScreen } from '../graph/use-screen.ts'
import { useFormat, words } from '../shared/format.ts'
import { RouterAnchor } from '../shared/layout/links.tsx'
import { Screen } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import { DataTable, Pager } from '../shared/tables/data-table.tsx'
import { usePage } from '../shared/tables/use-page.ts'
import { NewFunnel } from './new-funnel.tsx'

const liveTypes = [
  'FUNNEL_CREATED',
  'FUNNEL_UPDATED',
  'FUNNEL_DELETED',
  'FUNNEL_STEP_CREATED',
  'FUNNEL_STEP_DELETED',
] as const

/** The funnels. */
export function FunnelsScreen() {
  const format = useFormat()
  const { after } = usePage()
  const result = useScreen(FunnelsDocument, { after })
  useLive(result.data?.eventCursor, { types: [...liveTypes] }, result.reload, { isMerged: true })
  return (
    <Screen
      title={t`Funnels`}
      subtitle={t`Public pages that lead to an opt-in or a purchase.`}
      result={result}
      actions={<NewFunnel />}
    >
      {({ funnels }) => (
        <Paper>
          <DataTable
            label={t`Funnels`}
            rows={funnels?.nodes}
            empty={t`There are no funnels yet.`}
            columns={({ left, right }) => [
              left(t`Funnel`, ({ id, name, archivedAt }) => (
                <Group gap="xs">
                  <RouterAnchor to="/funnels/$id" params={{ id }} size="sm" className="row-link">
                    {name}
                  </RouterAnchor>
                  {archivedAt && <Status value="ARCHIVED" />}
                </Group>
              )),
              left(t`Type`, ({ type }) => words(type)),
              right(t`Steps`, ({ stepsCount }) => format.number(stepsCount)),
              right(t`Created`, ({ createdAt }) => format.date(createdAt), 'sm'),
            ]}
          />
          <Pager page={funnels} />
        </Paper>
      )}
    </Screen>
  )
}
