import { Menu } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import {
  FunnelArchiveDocument,
  type FunnelBuildFragment,
  FunnelDeleteDocument,
  FunnelDuplicateDocument,
  FunnelRestoreDocument,
} from '../generated/funnels.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { MoreMenu } from '../shared/more-menu.tsx'
import { notify } from '../shared/notify.tsx'
import { ActionButton, useRefusal } from '../shared/permission.tsx'
import { report } from '../shared/report.ts'

/** Copies, archives and deletes a funnel. */
export function FunnelActions({ funnel: { id, name, archivedAt } }: { funnel: FunnelBuildFragment }) {
  const navigate = useNavigate()
  const refusal = useRefusal('FUNNELS_WRITE')
  const [duplicate] = useAction(FunnelDuplicateDocument)
  const [archive] = useAction(FunnelArchiveDocument)
  const [restore, isRestoring] = useAction(FunnelRestoreDocument)
  const [remove] = useAction(FunnelDeleteDocument)
  const copy = async () => {
    const result = await duplicate({ input: { id } })
    const created = result.data?.funnelDuplicate?.funnel
    if (!report(result) || !created) return
    notify(`${created.name} was created.`)
    await navigate({ to: '/funnels/$id', params: { id: created.id } })
  }
  const stop = async () => {
    if (!confirm(`Archive ${name}? Its pages are closed, and its figures stay.`)) return
    report(await archive({ input: { id } }), `${name} was archived.`)
  }
  const drop = async () => {
    if (!confirm(`Delete ${name} with its pages and figures?`)) return
    if (report(await remove({ input: { id } }), `${name} was deleted.`)) await navigate({ to: '/funnels' })
  }
  const isLocked = refusal !== undefined
  return (
    <>
      {archivedAt && (
        <ActionButton
          refusal={refusal}
          loading={isRestoring}
          onClick={async () => void report(await restore({ input: { id } }), `${name} was restored.`)}
        >
          Restore
        </ActionButton>
      )}
      <MoreMenu>
        <Menu.Item disabled={isLocked} onClick={() => void copy()}>
          Duplicate
        </Menu.Item>
        {!archivedAt && (
          <Menu.Item disabled={isLocked} onClick={() => void stop()}>
            Archive
          </Menu.Item>
        )}
        <Menu.Item color="red" disabled={isLocked} onClick={() => void drop()}>
          Delete
        </Menu.Item>
      </MoreMenu>
    </>
  )
}
