import { Stack, Tabs } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { AccountUpdateDocument, SettingsDocument, type SettingsQuery } from '../generated/settings.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { useScreen } from '../graph/use-screen.ts'
import { useFormat, words } from '../shared/format.ts'
import { currencies, timeZones } from '../shared/forms/choices.ts'
import { Editable, EditableFields, EditableSearch, EditableSwitch } from '../shared/forms/editable.tsx'
import { Permitted } from '../shared/layout/permission.tsx'
import { Screen, Section } from '../shared/layout/screen.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'
import { actionWords, pathWords } from './audit-words.ts'
import { Domains } from './domains.tsx'
import { Keys } from './keys.tsx'
import { OwnName, Sessions } from './sessions.tsx'
import { type SettingsTab, settingsTabs } from './settings-search.ts'
import { Users } from './users.tsx'
import { Webhooks } from './webhooks.tsx'

const route = getRouteApi('/settings')

/** The account, its users, keys, webhooks and domains, and what was changed in it. */
export function SettingsScreen() {
  const { tab = 'account' } = route.useSearch()
  const navigate = route.useNavigate()
  const result = useScreen(SettingsDocument, {})
  return (
    <Screen title="Settings" result={result}>
      {(data) => (
        <Tabs
          value={tab}
          keepMounted={false}
          onChange={(value) => void navigate({ search: { tab: value as SettingsTab }, replace: true })}
        >
          <Tabs.List mb="md">
            {settingsTabs.map((each) => (
              <Tabs.Tab key={each} value={each}>
                {words(each)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="account">
            <Permitted scope="ACCOUNT_WRITE">{data.account && <Account account={data.account} />}</Permitted>
          </Tabs.Panel>
          <Tabs.Panel value="users">
            <Stack gap="md">
              <Permitted scope="FULL_ACCESS">
                <Users users={data.users?.nodes} onChanged={result.reload} />
              </Permitted>
              {data.viewer?.user && <OwnName user={data.viewer.user} />}
              <Sessions sessions={data.viewer?.user?.sessions} onChanged={result.reload} />
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="keys">
            <Permitted scope="FULL_ACCESS">
              <Keys keys={data.apiKeys?.nodes} />
            </Permitted>
          </Tabs.Panel>
          <Tabs.Panel value="webhooks">
            <Webhooks webhooks={data.webhooks?.nodes} onChanged={result.reload} />
          </Tabs.Panel>
          <Tabs.Panel value="domains">
            <Permitted scope="MAIL_WRITE">
              <Domains domains={data.senderDomains} onChanged={result.reload} />
            </Permitted>
            <SenderProblems problems={data.senderProblems} />
          </Tabs.Panel>
          <Tabs.Panel value="audit log">
            <AuditLog entries={data.auditLog} />
          </Tabs.Panel>
        </Tabs>
      )}
    </Screen>
  )
}

const fields = [
  { name: 'name', label: 'Name of the account' },
  { name: 'email', label: 'E-mail of the account', type: 'email' },
  { name: 'senderName', label: 'Default sender' },
  { name: 'senderEmail', label: 'Default sender address', type: 'email' },
] as const

function Account({ account }: { account: NonNullable<SettingsQuery['account']> }) {
  const [save] = useSave(AccountUpdateDocument, {}, account)
  const zones = useMemo(() => timeZones(account.timezone ?? ''), [account.timezone])
  const money = useMemo(() => currencies(account.currency), [account.currency])
  return (
    <Section title="Account" maw={520}>
      <Stack gap="xs">
        <EditableFields id={account.id} fields={fields} values={account} onSave={save} />
        <EditableSearch
          label="Time zone"
          value={account.timezone ?? ''}
          data={zones}
          onSave={(timezone) => save({ timezone })}
        />
        <EditableSearch
          label="Currency"
          value={account.currency}
          data={money}
          onSave={(currency) => save({ currency })}
        />
        <Editable
          id="subdomain"
          label="Subdomain of public pages"
          description="Part of the address of all pages of funnels, which change their address with it."
          draftKey={`${account.id}:subdomain`}
          value={account.subdomain ?? ''}
          onSave={(subdomain) => save({ subdomain: subdomain.trim() || null })}
        />
        <EditableFields
          id={account.id}
          fields={softBounceFields}
          values={{ softBounceLimit: String(account.softBounceLimit), softBounceDays: String(account.softBounceDays) }}
          onSave={(change) =>
            save(Object.fromEntries(Object.entries(change).map(([name, value]) => [name, Number(value)])))
          }
        />
        <EditableSwitch
          mt={4}
          label="New contacts of forms confirm their address"
          checked={account.doubleOptIn}
          onSave={(doubleOptIn) => save({ doubleOptIn })}
        />
      </Stack>
    </Section>
  )
}

const softBounceFields = [
  {
    name: 'softBounceLimit',
    label: 'Soft bounces in a row that suppress an address (0: never)',
    type: 'number',
    min: 0,
    max: 100,
  },
  { name: 'softBounceDays', label: 'Days over which they must be spread', type: 'number', min: 0, max: 365 },
] as const

/** What receiving domains have against the sender. */
function SenderProblems({ problems }: { problems: SettingsQuery['senderProblems'] }) {
  const format = useFormat()
  return (
    <Section title="Problems of receiving domains with the sender" mt="md" isFlush>
      <DataTable
        label="Problems of receiving domains with the sender"
        rows={problems?.nodes}
        empty="No domain refused messages for a fault of the sender in the last 30 days."
        columns={({ left, right }) => [
          left('Domain', ({ domain }) => domain),
          left('Cause', ({ cause }) => words(cause)),
          left('Last reply', ({ detail }) => detail, 'sm'),
          right('Refusals', ({ failures }) => format.number(failures)),
          right('Last time', ({ lastAt }) => format.dateTime(lastAt)),
        ]}
      />
    </Section>
  )
}

function AuditLog({ entries }: { entries: SettingsQuery['auditLog'] }) {
  const format = useFormat()
  return (
    <Section title="Audit log" isFlush>
      <DataTable
        label="Audit log"
        rows={entries?.nodes}
        empty="Nothing was changed yet."
        columns={({ left, right }) => [
          left('Change', ({ action }) => actionWords(action)),
          left('By', ({ user, apiKey }) => user?.email ?? apiKey?.name ?? 'The server'),
          left('Fields', (entry) => entry.fields.map(pathWords).join(', '), 'md'),
          left('Address', ({ address }) => address, 'sm'),
          right('Time', ({ createdAt }) => format.dateTime(createdAt)),
        ]}
      />
    </Section>
  )
}
