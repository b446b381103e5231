import { Group, SimpleGrid, Stack, Tabs } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type StepBuildFragment,
  StepDocument,
  type StepQuery,
  StepUpdateDocument,
  type StepUpdateMutationVariables,
} from '../generated/funnels.documents.ts'
import { reasonOf, useAction, useLive, useScreen } from '../graph/use-screen.ts'
import { PickMany, PickOne, pickId } from '../pickers/picker.tsx'
import { Editable, EditableArea } from '../shared/editable.tsx'
import { PublicLink, RouterAnchor } from '../shared/links.tsx'
import { Permitted } from '../shared/permission.tsx'
import { report } from '../shared/report.ts'
import { Screen, Section } from '../shared/screen.tsx'
import { Status } from '../shared/status.tsx'
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
      title={step?.name ?? 'Step'}
      subtitle={step && <Status value={step.publishedVersion === null ? 'NOT_PUBLISHED' : 'PUBLISHED'} />}
      parent={{ to: `/funnels/${id}`, label: step?.funnel?.name ?? 'Funnel' }}
      result={result}
      actions={step?.url && step.publishedVersion !== null && <PublicLink url={step.url} />}
    >
      {(data) => data.funnelStep && <Content step={data.funnelStep} />}
    </Screen>
  )
}

type Step = NonNullable<StepQuery['funnelStep']>

function Content({ step }: { step: Step }) {
  return (
    <Tabs defaultValue="page" keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="page">Page</Tabs.Tab>
        <Tabs.Tab value="settings">Address and opt-ins</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="page">
        <PageEditor key={step.id} step={step} />
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
  const [update] = useAction(StepUpdateDocument)
  const { id, name, title, description, path, url } = step
  const save = (field: 'name' | 'title' | 'description' | 'path') => async (value: string) =>
    reasonOf(await update({ input: { id, [field]: value } }), field)
  return (
    <Section title="Address">
      <Stack gap="sm">
        <Editable label="Name of the step" draftKey={`${id}:name`} value={name} onSave={save('name')} />
        <Editable label="Title of the page" draftKey={`${id}:title`} value={title} onSave={save('title')} />
        <EditableArea
          label="Description for search engines"
          draftKey={`${id}:description`}
          value={description}
          onSave={save('description')}
        />
        <Editable
          label="Path"
          description={url ?? 'The account needs a subdomain before its pages have addresses.'}
          draftKey={`${id}:path`}
          value={path}
          onSave={save('path')}
        />
      </Stack>
    </Section>
  )
}

function OptIns({ step: { id, form, tags, sequences } }: { step: StepBuildFragment }) {
  const [update] = useAction(StepUpdateDocument)
  const [error, setError] = useState<string>()
  const save = async (change: Omit<StepUpdateMutationVariables['input'], 'id'>) =>
    report(await update({ input: { id, ...change } }))
  return (
    <Section title="Opt-ins">
      <Stack gap="sm">
        <PickOne
          kind="forms"
          label="Form that visitors answer"
          description="Put it on the page with the element “Form of the step”."
          picked={form}
          error={error}
          onPick={async (formId) => setError(reasonOf(await update({ input: { id, formId } }), 'formId'))}
        />
        {form && (
          <Group gap="xs">
            <Status value={form.status} />
            <RouterAnchor to="/forms/$id" params={{ id: form.id }} search={{ tab: 'build' }} size="xs">
              Edit the form {form.name}
            </RouterAnchor>
          </Group>
        )}
        <PickMany
          kind="tags"
          label="Tags that an opt-in adds"
          known={tags ?? []}
          values={tags?.map(pickId) ?? []}
          onPick={(tagIds) => void save({ tagIds })}
        />
        <PickMany
          kind="sequences"
          label="Sequences that an opt-in starts"
          known={sequences ?? []}
          values={sequences?.map(pickId) ?? []}
          onPick={(sequenceIds) => void save({ sequenceIds })}
        />
      </Stack>
    </Section>
  )
}
