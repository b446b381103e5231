import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Tabs } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { FormChangesDocument, FormDocument, type FormQuery } from '../generated/forms.documents.ts'
import { useLive, useScreen } from '../graph/use-screen.ts'
import { RouterAnchor } from '../shared/layout/links.tsx'
import { Screen } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import { FormActions } from './form-actions.tsx'
import { FormBuilder } from './form-builder.tsx'
import { FormResults } from './form-results.tsx'
import type { FormSearch } from './form-search.ts'

const route = getRouteApi('/forms/$id')

/** A form: its questions and results with a preview, and what was answered. */
export function FormScreen() {
  const { id } = route.useParams()
  const result = useScreen(FormDocument, { id })
  useLive(result.data?.eventCursor, { formIds: [id] }, result.reload, {
    document: FormChangesDocument as never,
    isMerged: true,
  })
  const form = result.data?.form
  return (
    <Screen
      title={form?.name ?? t`Form`}
      subtitle={form && <Subtitle form={form} />}
      parent={{ to: '/forms', label: t`Forms` }}
      result={result}
      actions={form && <FormActions form={form} />}
    >
      {(data) => data.form && <Content form={data.form} customFields={data.customFields ?? []} />}
    </Screen>
  )
}

type Form = NonNullable<FormQuery['form']>

function Subtitle({ form: { status, step } }: { form: Form }) {
  const { funnel } = step ?? {}
  const name = <span>{funnel?.name}</span>
  const page = step && funnel && (
    <RouterAnchor underline="always" to="/funnels/$id/steps/$stepId" params={{ id: funnel.id, stepId: step.id }}>
      {step.name}
    </RouterAnchor>
  )
  return (
    <>
      <Status value={status} />{' '}
      {page && (
        <Trans>
          on the page {page} of {name}
        </Trans>
      )}
    </>
  )
}

function Content({ form, customFields }: { form: Form; customFields: NonNullable<FormQuery['customFields']> }) {
  const { tab = form.submissions.totalCount > 0 ? 'results' : 'build' } = route.useSearch()
  const navigate = route.useNavigate()
  const change = (value: string | null) => {
    if (value) void navigate({ search: { tab: value as NonNullable<FormSearch['tab']> }, replace: true })
  }
  return (
    <Tabs value={tab} keepMounted={false} onChange={change}>
      <Tabs.List mb="md">
        <Tabs.Tab value="build">{t`Build`}</Tabs.Tab>
        <Tabs.Tab value="results">{t`Answers`}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="build">
        <FormBuilder form={form} customFields={customFields} />
      </Tabs.Panel>
      <Tabs.Panel value="results">
        <FormResults form={form} />
      </Tabs.Panel>
    </Tabs>
  )
}
