import { SimpleGrid, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { FunnelDocument, type FunnelQuery, FunnelUpdateDocument } from '../generated/funnels.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { useLive, useScreen } from '../graph/use-screen.ts'
import { Bar, Figure, SeriesPlot } from '../shared/figures/figures.tsx'
import { namedSeries } from '../shared/figures/series.ts'
import { useFormat } from '../shared/format.ts'
import { Editable } from '../shared/forms/editable.tsx'
import { Permitted } from '../shared/layout/permission.tsx'
import { Columns, Screen, Section } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import { FunnelActions } from './funnel-actions.tsx'
import { Steps } from './steps.tsx'

const route = getRouteApi('/funnels/$id')

type Funnel = NonNullable<FunnelQuery['funnel']>

/** A funnel: its steps, how many visitors reach each of them, and what they do there. */
export function FunnelScreen() {
  const { id } = route.useParams()
  const result = useScreen(FunnelDocument, { id })
  useLive(result.data?.eventCursor, { funnelIds: [id] }, result.reload)
  const funnel = result.data?.funnel
  return (
    <Screen
      title={funnel?.name ?? 'Funnel'}
      subtitle={funnel?.archivedAt ? <Status value="ARCHIVED" /> : 'Figures of the last 30 days'}
      parent={{ to: '/funnels', label: 'Funnels' }}
      result={result}
      actions={funnel && <FunnelActions funnel={funnel} />}
    >
      {(data) => data.funnel && <Content funnel={data.funnel} />}
    </Screen>
  )
}

function Content({ funnel }: { funnel: Funnel }) {
  const format = useFormat()
  const { id, name, stats, visits, optIns } = funnel
  const { totals } = stats
  const [save] = useSave(FunnelUpdateDocument, { id }, funnel)
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <Figure label="Visitors" value={format.number(totals.visitors)} />
        <Figure label="Opt-ins" value={format.number(totals.optIns)} note={format.percent(totals.optInRate)} />
        <Figure label="Orders" value={format.number(totals.orders)} note={format.percent(totals.orderRate)} />
        <Figure label="Revenue" value={totals.revenue.map((each) => format.money(each)).join(' + ') || '–'} />
      </SimpleGrid>
      <Columns first={6}>
        <Permitted scope="FUNNELS_WRITE">
          <Stack gap="md">
            <Steps funnel={funnel} />
            <Section title="Funnel">
              <Editable
                label="Name"
                description="Visitors do not see it."
                draftKey={`${id}:name`}
                value={name}
                onSave={(name) => save({ name })}
              />
            </Section>
          </Stack>
        </Permitted>
        <Stack gap="md">
          <Section title="Visits and opt-ins">
            <SeriesPlot label="Visits and opt-ins" series={namedSeries({ Visits: visits, 'Opt-ins': optIns })} />
          </Section>
          <Conversion steps={stats.steps} />
        </Stack>
      </Columns>
    </Stack>
  )
}

function Conversion({ steps }: Pick<Funnel['stats'], 'steps'>) {
  const format = useFormat()
  const most = Math.max(1, ...steps.map(({ figures }) => figures.visitors))
  return (
    <Section title="Conversion">
      {steps.map(({ step, figures, conversion }) => (
        <div key={step.id}>
          <Text size="xs">
            {step.name}: {format.count(figures.visitors, 'visitor')}, {format.percent(conversion.nextRate)} go on
          </Text>
          <Bar my={6} value={figures.visitors} of={most} label={`Visitors of ${step.name}`} />
        </div>
      ))}
    </Section>
  )
}
