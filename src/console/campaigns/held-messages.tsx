import { t } from '@lingui/core/macro'
import { Table } from '@mantine/core'
import type { CampaignQuery } from '../generated/campaigns.documents.ts'
import { useFormat, words } from '../shared/format.ts'
import { Section } from '../shared/layout/screen.tsx'

type Campaign = NonNullable<CampaignQuery['campaign']>

/** Why contacts do not get a campaign, or not yet. */
export function HeldMessages({ campaign: { skips, delays } }: { campaign: Campaign }) {
  if (skips.length === 0 && delays.length === 0) return null
  return (
    <Section title={t`Contacts that did not get it`} isFlush>
      <Table aria-label={t`Contacts that did not get it`}>
        <Table.Tbody>
          {delays.map(({ reason, count }) => (
            <Line key={`delay ${reason}`} label={t`Waits: ${words(reason)}`} count={count} />
          ))}
          {skips.map(({ reason, count }) => (
            <Line key={`skip ${reason}`} label={t`Skipped: ${words(reason)}`} count={count} />
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  )
}

function Line({ label, count }: { readonly label: string; readonly count: number }) {
  const format = useFormat()
  return (
    <Table.Tr>
      <Table.Td>{label}</Table.Td>
      <Table.Td ta="right">{format.number(count)}</Table.Td>
    </Table.Tr>
  )
}
