import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { Plus } from 'lucide-react'
import {
  type FormBuildFragment,
  FormUpdateDocument,
  OutcomeCreateDocument,
  OutcomeDeleteDocument,
  type OutcomeEditFragment,
  OutcomeUpdateDocument,
  type OutcomeUpdateMutationVariables,
} from '../generated/forms.documents.ts'
import { reasonOf, useAction } from '../graph/use-screen.ts'
import { Editable, EditableArea, EditableSelect } from '../shared/editable.tsx'
import { words } from '../shared/format.ts'
import { OrderedList } from '../shared/ordered-list.tsx'
import { report } from '../shared/report.ts'
import { Section } from '../shared/screen.tsx'
import { Status } from '../shared/status.tsx'
import type { PreviewTarget } from './form-preview.tsx'

const buckets = ['HOT', 'WARM', 'COLD'] as const

interface OutcomesProps {
  readonly form: FormBuildFragment
  readonly target: PreviewTarget
  readonly onTarget: (target: PreviewTarget) => void
}

/** The results of a form: from which score submissions are warm and hot, and what their visitors read at the end. */
export function Outcomes({ form, target, onTarget }: OutcomesProps) {
  const [update] = useAction(OutcomeUpdateDocument)
  const [remove] = useAction(OutcomeDeleteDocument)
  return (
    <Section title="Results" aside={<AddOutcome form={form} onAdded={(outcomeId) => onTarget({ outcomeId })} />}>
      <Stack gap="sm">
        <Thresholds form={form} />
        {form.outcomes.length === 0 && (
          <Text size="sm" className="muted">
            Without a result, visitors read “Thank you!” at the end.
          </Text>
        )}
        <OrderedList
          label="Results"
          items={form.outcomes}
          openId={target.outcomeId}
          onOpen={(outcomeId) => onTarget(outcomeId === undefined ? {} : { outcomeId })}
          nameOf={({ title }) => title}
          summary={({ key }) => key}
          aside={({ bucket }) => <Status value={bucket} />}
          content={(outcome) => <OutcomeEditor key={outcome.id} outcome={outcome} />}
          onMove={async ({ id }, position) => {
            report(await update({ input: { id, position } }))
          }}
          onRemove={async ({ id }) => {
            if (target.outcomeId === id) onTarget({})
            report(await remove({ input: { id } }))
          }}
        />
      </Stack>
    </Section>
  )
}

function Thresholds({ form: { id, warmFrom, hotFrom } }: { form: FormBuildFragment }) {
  const [update] = useAction(FormUpdateDocument)
  const save = (name: 'warmFrom' | 'hotFrom') => async (value: string) =>
    reasonOf(await update({ input: { id, [name]: value.trim().replace(',', '.') } }), name)
  return (
    <SimpleGrid cols={2} spacing="sm">
      <Editable
        label="Warm from (points)"
        inputMode="decimal"
        draftKey={`${id}:warmFrom`}
        value={warmFrom}
        onSave={save('warmFrom')}
      />
      <Editable
        label="Hot from (points)"
        inputMode="decimal"
        draftKey={`${id}:hotFrom`}
        value={hotFrom}
        onSave={save('hotFrom')}
      />
    </SimpleGrid>
  )
}

function OutcomeEditor({ outcome: { id, key, title, text, bucket } }: { outcome: OutcomeEditFragment }) {
  const [update] = useAction(OutcomeUpdateDocument)
  type Change = Omit<OutcomeUpdateMutationVariables['input'], 'id'>
  const save = async (change: Change, field: keyof Change) =>
    reasonOf(await update({ input: { id, ...change } }), field)
  return (
    <Stack gap="sm">
      <Editable
        label="Title"
        draftKey={`${id}:title`}
        value={title}
        onSave={(value) => save({ title: value }, 'title')}
      />
      <EditableArea
        label="Text"
        description="An empty line starts a paragraph."
        draftKey={`${id}:text`}
        value={text}
        onSave={(value) => save({ text: value }, 'text')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <EditableSelect
          label="Shown to submissions that are"
          value={bucket}
          data={buckets.map((value) => ({ value, label: words(value) }))}
          onSave={(value) => save({ bucket: value as OutcomeEditFragment['bucket'] }, 'bucket')}
        />
        <Editable
          label="Key"
          description="Names the result in exports and webhooks."
          draftKey={`${id}:key`}
          value={key}
          onSave={(value) => save({ key: value }, 'key')}
        />
      </SimpleGrid>
    </Stack>
  )
}

function AddOutcome({ form, onAdded }: { form: FormBuildFragment; onAdded: (id: string) => void }) {
  const [create, isCreating] = useAction(OutcomeCreateDocument)
  const add = async () => {
    const bucket = buckets.find((each) => !form.outcomes.some((outcome) => outcome.bucket === each)) ?? 'COLD'
    const taken = new Set(form.outcomes.map(({ key }) => key))
    let key = bucket.toLowerCase()
    for (let number = 2; taken.has(key); number++) key = `${bucket.toLowerCase()}-${number}`
    const result = await create({ input: { formId: form.id, title: 'Thank you', key, bucket } })
    const id = result.data?.outcomeCreate?.outcome?.id
    if (report(result) && id) onAdded(id)
  }
  return (
    <Group gap="xs">
      <Button
        size="compact-xs"
        variant="light"
        leftSection={<Plus size={13} />}
        loading={isCreating}
        onClick={() => void add()}
      >
        Add result
      </Button>
    </Group>
  )
}
