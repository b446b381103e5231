import { useNavigate } from '@tanstack/react-router'
import {
  SequenceArchiveDocument,
  SequenceDeleteDocument,
  SequenceDuplicateDocument,
  SequenceRestoreDocument,
  type SequenceStagesFragment,
  StageUpdateDocument,
} from '../generated/sequences.documents.ts'
import { type Outcome, useAction } from '../graph/use-screen.ts'
import { duplication, MoreMenu } from '../shared/actions/more-menu.tsx'
import { report } from '../shared/actions/report.ts'
import { ActionButton, useRefusal } from '../shared/layout/permission.tsx'

/** Activates, copies, archives and deletes a sequence. */
export function SequenceActions({ sequence }: { sequence: SequenceStagesFragment }) {
  const { id, name, archivedAt } = sequence
  const stages = sequence.stages ?? []
  const navigate = useNavigate()
  const refusal = useRefusal('SEQUENCES_WRITE')
  const [duplicate] = useAction(SequenceDuplicateDocument)
  const [archive] = useAction(SequenceArchiveDocument)
  const [restore, isRestoring] = useAction(SequenceRestoreDocument)
  const [remove] = useAction(SequenceDeleteDocument)
  const [update, isUpdating] = useAction(StageUpdateDocument)
  const variables = { input: { id } }
  const setAll = async (active: boolean): Promise<Outcome<unknown>> => {
    for (const stage of stages.filter((each) => each.active !== active)) {
      const result = await update({ input: { id: stage.id, active } })
      if (result.error !== undefined) return result
    }
    return { data: stages }
  }
  return (
    <>
      {archivedAt && (
        <ActionButton
          variant="default"
          refusal={refusal}
          loading={isRestoring}
          onClick={async () => void report(await restore(variables), `${name} was restored.`)}
        >
          Restore
        </ActionButton>
      )}
      {stages.some(({ active }) => !active) && (
        <ActionButton
          refusal={refusal}
          loading={isUpdating}
          onClick={async () => void report(await setAll(true), 'All stages are active.')}
        >
          Activate all stages
        </ActionButton>
      )}
      <MoreMenu
        refusal={refusal}
        actions={[
          stages.some(({ active }) => active) && {
            label: 'Deactivate all stages',
            done: 'No stage is active. Contacts wait where they are.',
            run: () => setAll(false),
          },
          duplication(
            () => duplicate(variables),
            (copy) => navigate({ to: '/sequences/$id', params: { id: copy } }),
          ),
          !archivedAt && {
            label: 'Archive',
            question: {
              title: `Archive “${name}”?`,
              consequence: 'It takes no new contacts. Those in it complete it.',
            },
            done: `${name} was archived.`,
            run: () => archive(variables),
          },
          {
            label: 'Delete',
            isRed: true,
            question: {
              title: `Delete “${name}”?`,
              consequence: 'Its stages are deleted too. The contacts in it leave it.',
            },
            done: `${name} was deleted.`,
            run: () => remove(variables),
            after: () => navigate({ to: '/sequences' }),
          },
        ]}
      />
    </>
  )
}
