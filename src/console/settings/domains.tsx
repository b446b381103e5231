import { t } from '@lingui/core/macro'
import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  DomainAddDocument,
  DomainVerifyDocument,
  type SettingsDomainFragment,
} from '../generated/settings.documents.ts'
import { reasonOf, useAction } from '../graph/use-screen.ts'
import { report } from '../shared/actions/report.ts'
import { Listed } from '../shared/layout/listed.tsx'
import { Section } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'

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
                {records.map((record) => (
                  <Text key={record.name} size="xs" className="activity-text" component="div">
                    {record.isFound ? '✓' : '○'} <Code>{record.name}</Code> <Code>{record.value}</Code>
                  </Text>
                ))}
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
