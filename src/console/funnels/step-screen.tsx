import { Button, CopyButton, MultiSelect, SimpleGrid, Stack, Tabs, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import {
  type StepBuildFragment,
  StepDocument,
  type StepQuery,
  StepUpdateDocument,
} from '../generated/funnels.documents.ts'
import { reasonOf, useAction, useLive, useScreen } from '../graph/use-screen.ts'
import { Editable, EditableArea } from '../shared/editable.tsx'
import { RouterAnchor } from '../shared/links.tsx'
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
      {(data) => data.funnelStep && <Content step={data.funnelStep} data={data} />}
    </Screen>
  )
}

/** Copies and opens the address of a published page. */
export function PublicLink({ url, name }: { url: string; name?: string }) {
  return (
    <>
      <CopyButton value={url}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy} aria-label={name && `Copy link of ${name}`}>
            {copied ? 'Copied' : 'Copy link'}
          </Button>
        )}
      </CopyButton>
      <Button
        component="a"
        variant="default"
        href={url}
        target="_blank"
        rel="noopener"
        aria-label={name && `Open the page ${name}`}
      >
        Open the page
      </Button>
    </>
  )
}

type Step = NonNullable<StepQuery['funnelStep']>

function Content({ step, data }: { step: Step; data: StepQuery }) {
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
            <OptIns step={step} data={data} />
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

function OptIns({ step: { id, form, tags, sequences }, data }: { step: StepBuildFragment; data: StepQuery }) {
  const [update] = useAction(StepUpdateDocument)
  const choices = (list: readonly { id: string; name: string }[] | undefined) =>
    list?.map((each) => ({ value: each.id, label: each.name })) ?? []
  return (
    <Section title="Opt-ins">
      <Stack gap="sm">
        <Text size="sm">
          Visitors answer the form{' '}
          {form ? (
            <RouterAnchor to="/forms/$id" params={{ id: form.id }} search={{ tab: 'build' }} size="sm">
              {form.name}
            </RouterAnchor>
          ) : (
            'of the step'
          )}
          . Put it on the page with the element “Form of the step”.
        </Text>
        <MultiSelect
          size="xs"
          label="Tags that an opt-in adds"
          searchable
          data={choices(data.tags?.nodes)}
          value={tags?.map((each) => each.id) ?? []}
          onChange={async (tagIds) => void report(await update({ input: { id, tagIds } }))}
        />
        <MultiSelect
          size="xs"
          label="Sequences that an opt-in starts"
          searchable
          data={choices(data.sequences?.nodes)}
          value={sequences?.map((each) => each.id) ?? []}
          onChange={async (sequenceIds) => void report(await update({ input: { id, sequenceIds } }))}
        />
      </Stack>
    </Section>
  )
}
