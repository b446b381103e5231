import { t } from '@lingui/core/macro'
import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ConfirmationCountsFragment } from '../generated/confirmations.documents.ts'
import { useFormat } from '../shared/format.ts'
import { Muted, Section } from '../shared/layout/screen.tsx'

interface SummaryProps {
  readonly counts: ConfirmationCountsFragment
  /** Link to the message. */
  readonly children: ReactNode
}

/** How many visitors confirmed their address in the last 30 days, and the way to the message that asks them. */
export function ConfirmationSummary({ counts, children }: SummaryProps) {
  const format = useFormat()
  const { sent, confirmed, waiting, lost } = counts
  const figures = [
    [t`Asked`, sent],
    [t`Confirmed`, confirmed],
    [t`Waiting`, waiting],
    [t`Lost`, lost],
  ] as const
  return (
    <Section title={t`Confirmed addresses`}>
      <Stack gap="xs">
        <Group component="dl" gap="lg" m={0}>
          {figures.map(([label, count]) => (
            <div key={label}>
              <Text component="dt" size="xs" className="muted">
                {label}
              </Text>
              <Text component="dd" m={0} fw={600}>
                {format.number(count)}
              </Text>
            </div>
          ))}
        </Group>
        <Muted>{t`In the last 30 days. An address is lost if it was not confirmed within seven days.`}</Muted>
        {children}
      </Stack>
    </Section>
  )
}
