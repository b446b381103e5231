import { t } from '@lingui/core/macro'
import { SimpleGrid, Stack, Text } from '@mantine/core'
import {
  type FormBuildFragment,
  FormUpdateDocument,
  OutcomeCreateDocument,
  OutcomeDeleteDocument,
  type OutcomeEditFragment,
  OutcomeMoveDocument,
  OutcomeUpdateDocument,
} from '../generated/forms.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { useAction } from '../graph/use-screen.ts'
import { AddButton } from '../shared/actions/new-menu.tsx'
import { report } from '../shared/actions/report.ts'
import { words } from '../shared/format.ts'
import { EditableFields, EditableSelect } from '../shared/forms/editable.tsx'
import { OrderedList } from '../shared/forms/ordered-list.tsx'
import { Section } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import type { PreviewTarget } from './form-preview.tsx'

const buckets = ['HOT', 'WARM', 'COLD'] as const

interface OutcomesProps {
  readonly form: FormBuildFragment
  readonly target: PreviewTarget
  readonly onTarget: (target: PreviewTarget) => void
}

/** The results of a form: from which score submissions are warm and hot, and what their visitors read at the end. */
export function Outcomes({ form, target, onTarget }: OutcomesProps) {
  const [move] = useAction(OutcomeMoveDocument)
  const [remove] = useAction(OutcomeDeleteDocument)
  return (
    <Section title={t`Results`} aside={<AddOutcome form={form} onAdded={(outcomeId) => onTarget({ outcomeId })} />}>
      <Stack gap="sm">
        <Thresholds form={form} />
        {form.outcomes.length === 0 && (
          <Text size="sm" className="muted">{t`Without a result, visitors read “Thank you!” at the end.`}</Text>
        )}
        <OrderedList
          label={t`Results`}
          consequence={t`Visitors no longer see the result at the end of the form.`}
          items={form.outcomes}
          openId={target.outcomeId}
          onOpen={(outcomeId) => onTarget(outcomeId === undefined ? {} : { outcomeId })}
          nameOf={({ title }) => title}
          summary={({ key }) => key}
          aside={({ bucket }) => <Status value={bucket} />}
          content={(outcome) => <OutcomeEditor key={outcome.id} outcome={outcome} />}
          onMove={async ({ id }, position) => {
            report(await move({ input: { id, position } }))
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

const thresholds = () =>
  [
    { name: 'warmFrom', label: t`Warm from (points)`, inputMode: 'decimal' },
    { name: 'hotFrom', label: t`Hot from (points)`, inputMode: 'decimal' },
  ] as const

function Thresholds({ form }: { form: FormBuildFragment }) {
  const [save] = useSave(FormUpdateDocument, { id: form.id }, form)
  const saveNumber = (change: Record<'warmFrom' | 'hotFrom', string>) =>
    save(Object.fromEntries(Object.entries(change).map(([name, text]) => [name, text.trim().replace(',', '.')])))
  return (
    <SimpleGrid cols={2} spacing="sm">
      <EditableFields id={form.id} fields={thresholds()} values={form} onSave={saveNumber} />
    </SimpleGrid>
  )
}

const texts = () =>
  [
    { name: 'title', label: t`Title` },
    { name: 'text', label: t`Text`, description: t`An empty line starts a paragraph.`, isArea: true },
  ] as const

const keyField = () =>
  [{ name: 'key', label: t`Key`, description: t`Names the result in exports and webhooks.` }] as const

function OutcomeEditor({ outcome }: { outcome: OutcomeEditFragment }) {
  const { id, bucket } = outcome
  const [save] = useSave(OutcomeUpdateDocument, { id }, outcome)
  return (
    <Stack gap="sm">
      <EditableFields id={id} fields={texts()} values={outcome} onSave={save} />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <EditableSelect
          label={t`Shown to submissions that are`}
          value={bucket}
          data={buckets.map((value) => ({ value, label: words(value) }))}
          onSave={(value) => save({ bucket: value as OutcomeEditFragment['bucket'] })}
        />
        <EditableFields id={id} fields={keyField()} values={outcome} onSave={save} />
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
    const result = await create({ input: { formId: form.id, title: t`Thank you`, key, bucket } })
    const id = result.data?.formOutcomeCreate?.outcome?.id
    if (report(result) && id) onAdded(id)
  }
  return <AddButton loading={isCreating} onClick={() => void add()}>{t`Add result`}</AddButton>
}
