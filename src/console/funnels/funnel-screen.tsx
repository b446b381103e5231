import { t } from '@lingui/core/macro'
import { Plural, Trans } from '@lingui/react/macro'
import { SimpleGrid, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { ConfirmationSummary } from '../confirmations/confirmation-summary.tsx'
import { FunnelDocument, type FunnelQuery, FunnelUpdateDocument } from '../generated/funnels.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { useLive, useScreen } from '../graph/use-screen.ts'
import { Bar, Figure } from '../shared/figures/figures.tsx'
import { Plot } from '../shared/figures/plot.tsx'
import { namedSeries } from '../shared/figures/series.ts'
import { useFormat } from '../shared/format.ts'
import { Editable } from '../shared/forms/editable.tsx'
import { RouterAnchor } from '../shared/layout/links.tsx'
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
      title={funnel?.name ?? t`Funnel`}
      subtitle={funnel?.archivedAt ? <Status value="ARCHIVED" /> : t`Figures of the last 30 days`}
      parent={{ to: '/funnels', label: t`Funnels` }}
      result={result}
      actions={funnel && <FunnelActions funnel={funnel} />}
    >
      {(data) => data.funnel && <Content funnel={data.funnel} />}
    </Screen>
  )
}

function Content({ funnel }: { funnel: Funnel }) {
  const format = useFormat()
  const { id, name, stats, visits, optIns, confirmations, confirmationEmail } = funnel
  const { totals } = stats
  const [save] = useSave(FunnelUpdateDocument, { id }, funnel)
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, sm: 5 }} spacing="sm">
        <Figure label={t`Visitors`} value={format.number(totals.visitors)} />
        <Figure label={t`Opt-ins`} value={format.number(totals.optIns)} note={format.percent(totals.optInRate)} />
        <Figure label={t`Orders placed`} value={format.number(totals.ordersPlaced)} />
        <Figure
          label={t`Orders completed`}
          value={format.number(totals.orders)}
          note={format.percent(totals.orderRate)}
        />
        <Figure label={t`Revenue`} value={totals.revenue.map((each) => format.money(each)).join(' + ') || '–'} />
      </SimpleGrid>
      <Columns first={6}>
        <Permitted scope="FUNNELS_WRITE">
          <Stack gap="md">
            <Steps funnel={funnel} />
            <Section title={t`Funnel`}>
              <Editable
                label={t`Name`}
                description={t`Visitors do not see it.`}
                draftKey={`${id}:name`}
                value={name}
                onSave={(name) => save({ name })}
              />
            </Section>
          </Stack>
        </Permitted>
        <Stack gap="md">
          <Section title={t`Visits and opt-ins`}>
            <Plot label={t`Visits and opt-ins`} series={namedSeries({ [t`Visits`]: visits, [t`Opt-ins`]: optIns })} />
          </Section>
          <Conversion steps={stats.steps} />
          <ConfirmationSummary counts={confirmations}>
            <RouterAnchor to="/funnels/$id/confirmation" params={{ id }} size="sm">
              {confirmationEmail ? t`Edit the confirmation e-mail` : t`Write a confirmation e-mail of your own`}
            </RouterAnchor>
          </ConfirmationSummary>
        </Stack>
      </Columns>
    </Stack>
  )
}

function Conversion({ steps }: Pick<Funnel['stats'], 'steps'>) {
  const format = useFormat()
  const most = Math.max(1, ...steps.map(({ figures }) => figures.visitors))
  return (
    <Section title={t`Conversion`}>
      {steps.map(({ step, figures, conversion }, index) => (
        <div key={step.id}>
          <Text size="xs">
            <Trans>
              {step.name}: <Plural value={figures.visitors} one="# visitor" other="# visitors" />
            </Trans>
            {/* Nothing follows the last step, so that no share of its visitors goes on. */}
            {index < steps.length - 1 && t`, ${format.percent(conversion.nextRate)} go on`}
          </Text>
          <Bar my={6} value={figures.visitors} of={most} label={t`Visitors of ${step.name}`} />
        </div>
      ))}
    </Section>
  )
}
