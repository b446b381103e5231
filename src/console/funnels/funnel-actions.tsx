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
          onClick={async () => void report(await restore(variables), `${name} was restored.`)}
        >
          Restore
        </ActionButton>
      )}
      <MoreMenu
        refusal={refusal}
        actions={[
          duplication(
            () => duplicate(variables),
            (copy) => navigate({ to: '/funnels/$id', params: { id: copy } }),
          ),
          !archivedAt && {
            label: 'Archive',
            question: { title: `Archive “${name}”?`, consequence: 'Its pages are closed, and its figures stay.' },
            done: `${name} was archived.`,
            run: () => archive(variables),
          },
          {
            label: 'Delete',
            isRed: true,
            question: { title: `Delete “${name}”?`, consequence: 'Its pages and figures are deleted too.' },
            done: `${name} was deleted.`,
            run: () => remove(variables),
            after: () => navigate({ to: '/funnels' }),
          },
        ]}
      />
    </>
  )
}
