import { plural, t } from '@lingui/core/macro'
import { Button, Group, Menu, Text } from '@mantine/core'
import { useState } from 'react'
import { useSubscription } from 'urql'
import type { ContactFilter } from '../filters/conditions.ts'
import {
  BulkProgressDocument,
  ContactsBulkDocument,
  type ContactsBulkMutationVariables,
} from '../generated/contacts.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { PickOne } from '../pickers/picker.tsx'
import { ask } from '../shared/actions/confirm.tsx'
import { report } from '../shared/actions/report.ts'
import { Bar } from '../shared/figures/figures.tsx'
import { useFormat } from '../shared/format.ts'

type BulkAction = ContactsBulkMutationVariables['input']['action']

interface BulkBarProps {
  readonly selection: ReadonlySet<string>
  readonly total: number
  readonly filter: ContactFilter | null
  readonly onDone: () => void
}

/** Changes the selected contacts, or all that match, as a job whose progress is shown. */
export function BulkBar({ selection, total, filter, onDone }: BulkBarProps) {
  const format = useFormat()
  const [isAll, setAll] = useState(false)
  const [jobId, setJobId] = useState<string>()
  const [start, isStarting] = useAction(ContactsBulkDocument)
  const count = isAll ? total : selection.size
  const run = async (action: BulkAction) => {
    const contacts = isAll ? (filter ? { filter } : { all: true }) : { ids: [...selection] }
    const result = await start({ input: { action, contacts } })
    if (report(result)) setJobId(result.data?.contactsBulk?.bulkJobId)
  }
  const drop = async () => {
    const consequence = t`They leave all sequences, and their data is deleted. This cannot be undone.`
    if (
      await ask({
        title: t`Delete ${plural(count, { one: '# contact', other: '# contacts' })}?`,
        consequence,
        verb: t`Delete`,
        isRed: true,
      })
    )
      await run({ delete: true })
  }
  const unsubscribe = async () => {
    const consequence = t`They get no marketing e-mail until they consent again.`
    if (
      !(await ask({
        title: t`Unsubscribe ${plural(count, { one: '# contact', other: '# contacts' })}?`,
        consequence,
        verb: t`Unsubscribe`,
        isRed: true,
      }))
    )
      return
    await run({ unsubscribe: { source: 'console' } })
  }
  if (jobId) return <BulkProgress id={jobId} onDone={onDone} />
  const choices = [
    { label: t`Add tag`, kind: 'tags', mayCreate: true, actionOf: (id: string) => ({ addTagIds: [id] }) },
    { label: t`Remove tag`, kind: 'tags', actionOf: (id: string) => ({ removeTagIds: [id] }) },
    { label: t`Add to sequence`, kind: 'sequences', actionOf: (id: string) => ({ addSequenceIds: [id] }) },
  ] as const
  return (
    <Group gap="xs" px="sm" py="xs" className="bulk-bar" role="region" aria-label={t`Selected contacts`}>
      <Text size="sm" fw={550}>{t`${format.number(count)} selected`}</Text>
      {!isAll && total > selection.size && (
        <Button
          variant="subtle"
          size="compact-xs"
          onClick={() => setAll(true)}
        >{t`Select all ${format.number(total)}`}</Button>
      )}
      {choices.map(({ label, actionOf, ...list }) => (
        <PickOne
          key={label}
          w={150}
          {...list}
          aria-label={label}
          placeholder={label}
          disabled={isStarting}
          onPick={(id) => void run(actionOf(id))}
        />
      ))}
      <Menu>
        <Menu.Target>
          <Button variant="default" color="red">{t`More`}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void unsubscribe()}>{t`Unsubscribe from e-mail`}</Menu.Item>
          <Menu.Item color="red" onClick={() => void drop()}>{t`Delete`}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}

function BulkProgress({ id, onDone }: { id: string; onDone: () => void }) {
  const format = useFormat()
  const [{ data }] = useSubscription({ query: BulkProgressDocument, variables: { id } })
  const job = data?.bulkJobProgress.bulkJob
  const isOver = job !== null && job !== undefined && job.status !== 'RUNNING'
  return (
    <Group gap="sm" px="sm" py="xs" className="bulk-bar" role="status">
      <Bar flex={1} value={isOver ? 1 : (job?.done ?? 0)} of={isOver ? 1 : (job?.total ?? 1)} label={t`Progress`} />
      <Text size="sm">
        {isOver
          ? [
              plural(job.changed, { one: '# contact changed', other: '# contacts changed' }),
              ...(job.failed > 0 ? [t`${format.number(job.failed)} failed`] : []),
            ].join(', ')
          : t`Changing contacts…`}
      </Text>
      {isOver && <Button onClick={onDone}>{t`Done`}</Button>}
    </Group>
  )
}
