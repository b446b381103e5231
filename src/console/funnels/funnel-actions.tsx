import { t } from '@lingui/core/macro'
import { useNavigate } from '@tanstack/react-router'
import {
  FunnelArchiveDocument,
  type FunnelBuildFragment,
  FunnelDeleteDocument,
  FunnelDuplicateDocument,
  FunnelRestoreDocument,
} from '../generated/funnels.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { duplication, MoreMenu } from '../shared/actions/more-menu.tsx'
import { report } from '../shared/actions/report.ts'
import { ActionButton, useRefusal } from '../shared/layout/permission.tsx'

/** Copies, archives and deletes a funnel. */
export function FunnelActions({ funnel: { id, name, archivedAt } }: { funnel: FunnelBuildFragment }) {
  const navigate = useNavigate()
  const refusal = useRefusal('FUNNELS_WRITE')
  const [duplicate] = useAction(FunnelDuplicateDocument)
  const [archive] = useAction(FunnelArchiveDocument)
  const [restore, isRestoring] = useAction(FunnelRestoreDocument)
  const [remove] = useAction(FunnelDeleteDocument)
  const variables = { input: { id } }
  return (
    <>
      {archivedAt && (
        <ActionButton
          refusal={refusal}
          loading={isRestoring}
          onClick={async () => void report(await restore(variables), t`${name} was restored.`)}
        >{t`Restore`}</ActionButton>
      )}
      <MoreMenu
        refusal={refusal}
        actions={[
          duplication(
            () => duplicate(variables),
            (copy) => navigate({ to: '/funnels/$id', params: { id: copy } }),
          ),
          !archivedAt && {
            label: t`Archive`,
            question: { title: t`Archive “${name}”?`, consequence: t`Its pages are closed, and its figures stay.` },
            done: t`${name} was archived.`,
            run: () => archive(variables),
          },
          {
            label: t`Delete`,
            isRed: true,
            question: { title: t`Delete “${name}”?`, consequence: t`Its pages and figures are deleted too.` },
            done: t`${name} was deleted.`,
            run: () => remove(variables),
            after: () => navigate({ to: '/funnels' }),
          },
        ]}
      />
    </>
  )
}
