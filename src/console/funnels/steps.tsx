import { plural, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Badge, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import {
  type FunnelQuery,
  StepCreateDocument,
  StepDeleteDocument,
  StepMoveDocument,
  StepUpdateDocument,
} from '../generated/funnels.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { useAction } from '../graph/use-screen.ts'
import { PublicLink } from '../shared/actions/copy.tsx'
import { AddButton } from '../shared/actions/new-menu.tsx'
import { report } from '../shared/actions/report.ts'
import { useFormat } from '../shared/format.ts'
import { Editable } from '../shared/forms/editable.tsx'
import { OrderedList } from '../shared/forms/ordered-list.tsx'
import { RouterAnchor, RouterButton } from '../shared/layout/links.tsx'
import { Empty, Section } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'

type Funnel = NonNullable<FunnelQuery['funnel']>
type Step = Funnel['steps'][number]

/** The steps of a funnel in order, with their figures. */
export function Steps({ funnel: { id: funnelId, steps, stats } }: { funnel: Funnel }) {
  const format = useFormat()
  const [openId, setOpenId] = useState<string>()
  const [create, isCreating] = useAction(StepCreateDocument)
  const [move] = useAction(StepMoveDocument)
  const [remove] = useAction(StepDeleteDocument)
  const add = async () => {
    const result = await create({ input: { funnelId, name: t`Step ${steps.length + 1}` } })
    if (report(result)) setOpenId(result.data?.funnelStepCreate?.step?.id)
  }
  const summaryOf = (step: Step) => {
    const found = stats.steps.find((each) => each.step.id === step.id)
    const { visitors = 0, optIns = 0, ordersPlaced = 0 } = found?.figures ?? {}
    const next = format.percent(found?.conversion.nextRate ?? 0)
    const after = steps[steps.indexOf(step) + 1]?.name
    return [
      plural(visitors, { one: '# visitor', other: '# visitors' }),
      ...(optIns > 0 || ordersPlaced === 0 ? [plural(optIns, { one: '# opt-in', other: '# opt-ins' })] : []),
      ...(ordersPlaced > 0 ? [plural(ordersPlaced, { one: '# order placed', other: '# orders placed' })] : []),
      ...(after === undefined ? [] : [t`${next} go on to “${after}”`]),
    ].join(' · ')
  }
  return (
    <Section
      title={t`Steps`}
      aside={<AddButton loading={isCreating} onClick={() => void add()}>{t`Add step`}</AddButton>}
    >
      {steps.length === 0 && <Empty>{t`The funnel has no steps yet.`}</Empty>}
      <OrderedList
        label={t`Steps`}
        consequence={t`The page is closed and deleted. Its figures no longer count.`}
        items={steps}
        openId={openId}
        onOpen={setOpenId}
        nameOf={({ name }) => name}
        summary={summaryOf}
        aside={({ publishedVersion }) => <Status value={publishedVersion === null ? 'NOT_PUBLISHED' : 'PUBLISHED'} />}
        content={(step) => <StepDetails key={step.id} step={step} funnelId={funnelId} />}
        onMove={async ({ id }, position) => void report(await move({ input: { id, position } }))}
        onRemove={async ({ id }) => void report(await remove({ input: { id } }))}
      />
    </Section>
  )
}

function StepDetails({ step, funnelId }: { step: Step; funnelId: string }) {
  const { id, name, url, publishedVersion, form, tags, sequences } = step
  const [save] = useSave(StepUpdateDocument, { id }, step)
  const labels = [...(tags ?? []), ...(sequences ?? [])]
  return (
    <Stack gap="sm">
      <Editable label={t`Name of the step`} draftKey={`${id}:name`} value={name} onSave={(name) => save({ name })} />
      {(form || labels.length > 0) && (
        <Group gap={6}>
          {form && (
            <RouterAnchor to="/forms/$id" params={{ id: form.id }} size="xs">
              <Trans>Form {form.name}</Trans>
            </RouterAnchor>
          )}
          {labels.map((each) => (
            <Badge key={each.id} color="gray">
              {each.name}
            </Badge>
          ))}
        </Group>
      )}
      <Group gap="xs">
        <RouterButton
          to="/funnels/$id/steps/$stepId"
          params={{ id: funnelId, stepId: id }}
        >{t`Edit the page`}</RouterButton>
        {url && publishedVersion !== null && <PublicLink url={url} name={name} />}
      </Group>
    </Stack>
  )
}
