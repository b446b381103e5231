import { t } from '@lingui/core/macro'
import { useNavigate } from '@tanstack/react-router'
import {
  SequenceArchiveDocument,
  SequenceDeleteDocument,
  SequenceDuplicateDocument,
  SequenceRestoreDocument,
  type SequenceStagesFragment,
  StagesUpdateDocument,
} from '../generated/sequences.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { duplication, MoreMenu } from '../shared/actions/more-menu.tsx'
import { report } from '../shared/actions/report.ts'
import { ActionButton, useRefusal } from '../shared/layout/permission.tsx'
import { useActivation } from './use-activation.ts'

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
  const [update, isUpdating] = useAction(StagesUpdateDocument)
  const [activate, isAsking] = useActivation(id)
  const variables = { input: { id } }
  const setAll = (active: boolean) => update({ input: { sequenceId: id, active } })
  return (
    <>
      {archivedAt && (
        <ActionButton
          variant="default"
          refusal={refusal}
          loading={isRestoring}
          onClick={async () => void report(await restore(variables), t`${name} was restored.`)}
        >{t`Restore`}</ActionButton>
      )}
      {stages.some(({ active }) => !active) && (
        <ActionButton
          refusal={refusal}
          loading={isAsking || isUpdating}
          onClick={() => void activate({ name }, () => setAll(true), t`All stages are active.`)}
        >{t`Activate all stages`}</ActionButton>
      )}
      <MoreMenu
        refusal={refusal}
        actions={[
          stages.some(({ active }) => active) && {
            label: t`Deactivate all stages`,
            done: t`No stage is active. Contacts wait where they are.`,
            run: () => setAll(false),
          },
          duplication(
            () => duplicate(variables),
            (copy) => navigate({ to: '/sequences/$id', params: { id: copy } }),
          ),
          !archivedAt && {
            label: t`Archive`,
            question: {
              title: t`Archive “${name}”?`,
              consequence: t`It takes no new contacts. Those in it complete it.`,
            },
            done: t`${name} was archived.`,
            run: () => archive(variables),
          },
          {
            label: t`Delete`,
            isRed: true,
            question: {
              title: t`Delete “${name}”?`,
              consequence: t`Its stages are deleted too. The contacts in it leave it.`,
            },
            done: t`${name} was deleted.`,
            run: () => remove(variables),
            after: () => navigate({ to: '/sequences' }),
          },
        ]}
      />
    </>
  )
}
