import { t } from '@lingui/core/macro'
import { Anchor } from '@mantine/core'
import { useMemo } from 'react'
import type { CampaignQuery } from '../generated/campaigns.documents.ts'
import { useFormat } from '../shared/format.ts'
import { Section } from '../shared/layout/screen.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'

type Campaign = NonNullable<CampaignQuery['campaign']>

/** The links of a message, with those that no one has followed. */
export function LinkList({ campaign: { links, email } }: { campaign: Campaign }) {
  const format = useFormat()
  const html = email?.html ?? ''
  const rows = useMemo(() => {
    const clicked = new Set(links.map(({ url }) => url))
    const others = linksIn(html).filter((url) => !clicked.has(url))
    return [...links, ...others.map((url) => ({ url, clicks: 0, uniqueClicks: 0 }))]
  }, [links, html])
  return (
    <Section title={t`Links`} isFlush>
      <DataTable
        label={t`Links`}
        rows={rows.map((link) => ({ id: link.url, ...link }))}
        empty={t`The message has no links that are counted.`}
        columns={({ left, right }) => [
          left(t`Link`, ({ url }) => (
            <Anchor href={url} size="sm" target="_blank" rel="noopener noreferrer" className="activity-text">
              {url.replace(/^https?:\/\//, '')}
            </Anchor>
          )),
          right(t`People`, ({ uniqueClicks }) => format.number(uniqueClicks)),
          right(t`Clicks`, ({ clicks }) => format.number(clicks), 'sm'),
        ]}
      />
    </Section>
  )
}

/** Returns the different targets of the links in HTML that lead to the web. Others are not counted. */
function linksIn(html: string): string[] {
  // The document is never shown, so nothing in it runs or loads.
  const anchors = new DOMParser().parseFromString(html, 'text/html').querySelectorAll('a[href], area[href]')
  const urls = [...anchors].map((each) => each.getAttribute('href')?.trim() ?? '')
  return [...new Set(urls)].filter((url) => /^https?:\/\//i.test(url))
}
