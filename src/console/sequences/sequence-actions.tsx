import { Menu } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import {
  SequenceArchiveDocument,
  SequenceDeleteDocument,
  SequenceDuplicateDocument,
  SequenceRestoreDocument,
  type SequenceStagesFragment,
  StageUpdateDocument,
} from '../generated/sequences.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { MoreMenu } from '../shared/more-menu.tsx'
import { notify } from '../shared/notify.tsx'
import { ActionButton, useRefusal } from '../shared/permission.tsx'
import { report } from '../shared/report.ts'

/** Activates, copies, archives and deletes a sequence. */
export function SequenceActions({ sequence }: { sequence: SequenceStagesFragment }) {
  const { id, name, archivedAt, stages } = sequence
  const navigate = useNavigate()
  const refusal = useRefusal('SEQUENCES_WRITE')
  const [duplicate] = useAction(SequenceDuplicateDocument)
  const [archive] = useAction(SequenceArchiveDocument)
  const [restore, isRestoring] = useAction(SequenceRestoreDocument)
  const [remove] = useAction(SequenceDeleteDocument)
  const [update, isUpdating] = useAction(StageUpdateDocument)
  const inactive = (stages ?? []).filter(({ active }) => !active)
  const setAll = async (active: boolean) => {
    for (const stage of stages ?? []) {
      if (stage.active !== active && !report(await update({ input: { id: stage.id, active } }))) return
    }
    notify(active ? 'All stages are active.' : 'No stage is active. Contacts wait where they are.')
  }
  const copy = async () => {
    const result = await duplicate({ input: { id } })
    const created = result.data?.sequenceDuplicate?.sequence
    if (!report(result) || !created) return
    notify(`${created.name} was created.`)
    await navigate({ to: '/sequences/$id', params: { id: created.id } })
  }
  const stop = async () => {
    if (!confirm(`Archive ${name}? It takes no new contacts. Those in it complete it.`)) return
    report(await archive({ input: { id } }), `${name} was archived.`)
  }
  const drop = async () => {
    if (!confirm(`Delete ${name} with its stages? The contacts in it leave it.`)) return
    if (report(await remove({ input: { id } }), `${name} was deleted.`)) await navigate({ to: '/sequences' })
  }
  const isLocked = refusal !== undefined
  return (
    <>
      {archivedAt && (
        <ActionButton
          variant="default"
          refusal={refusal}
          loading={isRestoring}
          onClick={async () => void report(await restore({ input: { id } }), `${name} was restored.`)}
        >
          Restore
        </ActionButton>
      )}
      {inactive.length > 0 && (
        <ActionButton refusal={refusal} loading={isUpdating} onClick={() => void setAll(true)}>
          Activate all stages
        </ActionButton>
      )}
      <MoreMenu>
        {inactive.length < (stages?.length ?? 0) && (
          <Menu.Item disabled={isLocked} onClick={() => void setAll(false)}>
            Deactivate all stages
          </Menu.Item>
        )}
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
