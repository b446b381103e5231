import { t } from '@lingui/core/macro'
import { NativeSelect, SimpleGrid } from '@mantine/core'
import { useState } from 'react'
import type { StageFragment, StageUpdateMutationVariables } from '../generated/sequences.documents.ts'
import { PickOne } from '../pickers/picker.tsx'
import { hasDraft } from '../shared/forms/drafts.ts'
import { Editable } from '../shared/forms/editable.tsx'
import type { Save } from '../shared/forms/use-saved.ts'

type ActionInput = NonNullable<StageUpdateMutationVariables['input']['action']>
type Kind = NonNullable<StageFragment['action']>['kind']

const kinds = (): readonly {
  readonly value: Kind
  readonly label: string
  readonly target?: 'tag' | 'sequence' | 'url'
}[] => [
  { value: 'ADD_TAG', label: t`Add a tag`, target: 'tag' },
  { value: 'REMOVE_TAG', label: t`Remove a tag`, target: 'tag' },
  { value: 'ENROL', label: t`Enrol in a sequence`, target: 'sequence' },
  { value: 'UNENROL', label: t`Remove from a sequence`, target: 'sequence' },
  { value: 'WEBHOOK', label: t`Call a webhook`, target: 'url' },
  { value: 'UNSUBSCRIBE', label: t`Unsubscribe from e-mail` },
]

const inputs: Readonly<Record<Kind, (target: string) => ActionInput>> = {
  ADD_TAG: (id) => ({ addTagId: id }),
  REMOVE_TAG: (id) => ({ removeTagId: id }),
  ENROL: (id) => ({ addSequenceId: id }),
  UNENROL: (id) => ({ removeSequenceId: id }),
  WEBHOOK: (url) => ({ webhookUrl: url }),
  UNSUBSCRIBE: () => ({ unsubscribe: true }),
}

interface ActionProps {
  readonly stage: StageFragment
  readonly onSave: Save<ActionInput>
}

/** What an action stage does. It is saved once it is complete. */
export function StageAction({ stage: { id, action }, onSave }: ActionProps) {
  const draftKey = `${id}:url`
  // An address that is not saved is shown again, so that it can be saved or discarded.
  const [kind, setKind] = useState<Kind>(() => (hasDraft(draftKey) ? 'WEBHOOK' : (action?.kind ?? 'ADD_TAG')))
  const [error, setError] = useState<string>()
  const target = kinds().find(({ value }) => value === kind)?.target
  const save = async (value: Kind, to: string) => setError(await onSave(inputs[value](to)))
  const stored = action?.kind === kind ? (action.tag ?? action.sequence) : undefined
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <NativeSelect
        size="xs"
        label={t`Action`}
        value={kind}
        data={kinds().map(({ value, label }) => ({ value, label }))}
        error={target === undefined && error}
        onChange={({ currentTarget }) => {
          const value = currentTarget.value as Kind
          setKind(value)
          setError(undefined)
          if (value === 'UNSUBSCRIBE') void save(value, '')
        }}
      />
      {(target === 'tag' || target === 'sequence') && (
        <PickOne
          key={target}
          kind={target === 'tag' ? 'tags' : 'sequences'}
          mayCreate={kind === 'ADD_TAG'}
          label={target === 'tag' ? t`Tag` : t`Sequence`}
          placeholder={t`Choose…`}
          picked={stored}
          error={error}
          onPick={(value) => void save(kind, value)}
        />
      )}
      {target === 'url' && (
        <Editable
          key={id}
          type="url"
          label={t`URL`}
          placeholder="https://"
          draftKey={draftKey}
          value={action?.url ?? ''}
          onSave={(url) => onSave(inputs.WEBHOOK(url))}
        />
      )}
    </SimpleGrid>
  )
}
