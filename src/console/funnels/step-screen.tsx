import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Group, SimpleGrid, Stack, Tabs } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { EditorPartsFragment } from '../generated/blocks.documents.ts'
import {
  type StepBuildFragment,
  StepDocument,
  type StepQuery,
  StepUpdateDocument,
} from '../generated/funnels.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { useLive, useScreen } from '../graph/use-screen.ts'
import { PickMany, PickOne, pickId } from '../pickers/picker.tsx'
import { PublicLink } from '../shared/actions/copy.tsx'
import { EditableFields } from '../shared/forms/editable.tsx'
import { RouterAnchor } from '../shared/layout/links.tsx'
import { Permitted } from '../shared/layout/permission.tsx'
import { Screen, Section } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import { PageEditor } from './page-editor.tsx'

const route = getRouteApi('/funnels/$id/steps/$stepId')

/** A step of a funnel: its page, its address, and what an opt-in does. */
export function StepScreen() {
  const { id, stepId } = route.useParams()
  const result = useScreen(StepDocument, { id: stepId })
  useLive(result.data?.eventCursor, { funnelIds: [id], types: ['FUNNEL_STEP_UPDATED'] }, result.reload)
  const step = result.data?.funnelStep
  return (
    <Screen
      title={step?.name ?? t`Step`}
      subtitle={step && <Status value={step.publishedVersion === null ? 'NOT_PUBLISHED' : 'PUBLISHED'} />}
      parent={{ to: `/funnels/${id}`, label: step?.funnel?.name ?? t`Funnel` }}
      result={result}
      actions={step?.url && step.publishedVersion !== null && <PublicLink url={step.url} />}
    >
      {(data) => data.funnelStep && <Content step={data.funnelStep} parts={data} />}
    </Screen>
  )
}

type Step = NonNullable<StepQuery['funnelStep']>

function Content({ step, parts }: { readonly step: Step; readonly parts: EditorPartsFragment }) {
  return (
    <Tabs defaultValue="page" keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="page">{t`Page`}</Tabs.Tab>
        <Tabs.Tab value="settings">{t`Address and opt-ins`}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="page">
        <PageEditor key={step.id} step={step} parts={parts} />
      </Tabs.Panel>
      <Tabs.Panel value="settings">
        <Permitted scope="FUNNELS_WRITE">
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Address step={step} />
            <OptIns step={step} />
          </SimpleGrid>
        </Permitted>
      </Tabs.Panel>
    </Tabs>
  )
}

function Address({ step }: { step: StepBuildFragment }) {
  const [save] = useSave(StepUpdateDocument, { id: step.id }, step)
  const address = step.url ?? t`The account needs a subdomain before its pages have addresses.`
  return (
    <Section title={t`Address`}>
      <Stack gap="sm">
        <EditableFields
          id={step.id}
          fields={[
            { name: 'name', label: t`Name of the step` },
            { name: 'title', label: t`Title of the page` },
            { name: 'description', label: t`Description for search engines`, isArea: true },
            { name: 'path', label: t`Path`, description: address },
          ]}
          values={step}
          onSave={save}
        />
      </Stack>
    </Section>
  )
}

function OptIns({ step }: { step: StepBuildFragment }) {
  const { id, form, tags, sequences } = step
  const [save] = useSave(StepUpdateDocument, { id }, step)
  const [errors, setErrors] = useState<Readonly<Record<string, string | undefined>>>({})
  const pick = async (name: 'formId' | 'tagIds' | 'sequenceIds', value: string | string[]) =>
    setErrors({ [name]: await save({ [name]: value }) })
  return (
    <Section title={t`Opt-ins`}>
      <Stack gap="sm">
        <PickOne
          kind="forms"
          label={t`Form that visitors answer`}
          description={t`Put it on the page with the element “Form of the step”.`}
          picked={form}
          error={errors['formId']}
          onPick={(formId) => void pick('formId', formId)}
        />
        {form && (
          <Group gap="xs">
            <Status value={form.status} />
            <RouterAnchor to="/forms/$id" params={{ id: form.id }} search={{ tab: 'build' }} size="xs">
              <Trans>Edit the form {form.name}</Trans>
            </RouterAnchor>
          </Group>
        )}
        <PickMany
          kind="tags"
          mayCreate
          label={t`Tags that an opt-in adds`}
          known={tags ?? []}
          values={tags?.map(pickId) ?? []}
          error={errors['tagIds']}
          onPick={(tagIds) => void pick('tagIds', tagIds)}
        />
        <PickMany
          kind="sequences"
          label={t`Sequences that an opt-in starts`}
          known={sequences ?? []}
          values={sequences?.map(pickId) ?? []}
          error={errors['sequenceIds']}
          onPick={(sequenceIds) => void pick('sequenceIds', sequenceIds)}
        />
      </Stack>
    </Section>
  )
}
