import { t } from '@lingui/core/macro'
import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  DomainAddDocument,
  DomainVerifyDocument,
  type SettingsDomainFragment,
} from '../generated/settings.documents.ts'
import { reasonOf, useAction } from '../graph/use-screen.ts'
import { CopyTo } from '../shared/actions/copy.tsx'
import { report } from '../shared/actions/report.ts'
import { Listed } from '../shared/layout/listed.tsx'
import { Section } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'

type DnsRecord = SettingsDomainFragment['records'][number]

/** The DNS records of a domain, each as the forms of providers ask for it. */
function Records({ domain, records }: { domain: string; records: readonly DnsRecord[] }) {
  const copied = (text: string, label: string) => (
    <Group gap={6} wrap="nowrap">
      <Code className="activity-text">{text}</Code>
      <CopyTo value={text} size="compact-xs" aria-label={label}>{t`Copy`}</CopyTo>
    </Group>
  )
  return (
    <DataTable
      label={t`DNS records of ${domain}`}
      rows={records.map((record) => ({ id: record.name, ...record }))}
      empty=""
      columns={({ left }) => [
        left(t({ message: 'Type', context: 'of a DNS record' }), () => 'TXT'),
        left(t`Name`, ({ name }) => copied(name, t`Copy the name ${name}`)),
        left(t`Value`, ({ name, value }) => copied(value, t`Copy the value of ${name}`)),
        left(t`Status`, ({ isFound }) => (isFound ? t`Found` : t`Not found`)),
      ]}
    />
  )
}

interface DomainsProps {
  readonly domains: readonly SettingsDomainFragment[] | null
  readonly onChanged: () => void
}

/** The domains of senders, with the DNS records that prove them. */
export function Domains({ domains, onChanged }: DomainsProps) {
  const [add, isAdding] = useAction(DomainAddDocument)
  const [verify, isVerifying] = useAction(DomainVerifyDocument)
  const [domain, setDomain] = useState('')
  const [error, setError] = useState<string>()
  const create = async () => {
    const result = await add({ input: { domain } })
    setError(reasonOf(result, 'domain'))
    if (result.error !== undefined) return
    setDomain('')
    onChanged()
  }
  const check = async (name: string) => {
    report(await verify({ input: { domain: name } }))
    onChanged()
  }
  return (
    <Stack gap="md">
      <Group gap="xs" align="start">
        <TextInput
          size="xs"
          aria-label={t`New domain`}
          placeholder="example.com"
          value={domain}
          error={error}
          onChange={({ currentTarget }) => setDomain(currentTarget.value)}
        />
        <Button loading={isAdding} onClick={() => void create()}>{t`Add domain`}</Button>
      </Group>
      <Listed items={domains} empty={t`No domain was added.`}>
        {(listed) =>
          listed.map(({ domain: name, status, problem, records }) => (
            <Section key={name} title={name} aside={<Status value={status} />}>
              <Stack gap={4}>
                {problem && <Text size="sm">{problem}</Text>}
                <Records domain={name} records={records} />
                <Group>
                  <Button
                    variant="default"
                    loading={isVerifying}
                    onClick={() => void check(name)}
                  >{t`Check again`}</Button>
                </Group>
              </Stack>
            </Section>
          ))
        }
      </Listed>
    </Stack>
  )
}
