import { Stack, Tabs, TextInput } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { AccountUpdateDocument, SettingsDocument, type SettingsQuery } from '../generated/settings.documents.ts'
import { useSave, useScreen } from '../graph/use-screen.ts'
import { DataTable } from '../shared/data-table.tsx'
import { EditableFields, EditableSwitch } from '../shared/editable.tsx'
import { useFormat, words } from '../shared/format.ts'
import { Permitted } from '../shared/permission.tsx'
import { Screen, Section } from '../shared/screen.tsx'
import { Domains } from './domains.tsx'
import { Keys } from './keys.tsx'
import { Sessions } from './sessions.tsx'
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
                <Users users={data.users?.nodes ?? []} onChanged={result.reload} />
              </Permitted>
              <Sessions sessions={data.viewer?.user?.sessions ?? []} onChanged={result.reload} />
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="keys">
            <Permitted scope="FULL_ACCESS">
              <Keys keys={data.apiKeys?.nodes ?? []} />
            </Permitted>
          </Tabs.Panel>
          <Tabs.Panel value="webhooks">
            <Webhooks webhooks={data.webhooks?.nodes ?? []} onChanged={result.reload} />
          </Tabs.Panel>
          <Tabs.Panel value="domains">
            <Permitted scope="MAIL_WRITE">
              <Domains domains={data.senderDomains ?? []} onChanged={result.reload} />
            </Permitted>
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
  { name: 'timezone', label: 'Time zone', description: 'A name such as Europe/Paris.' },
  { name: 'currency', label: 'Currency', description: 'A code such as EUR.' },
] as const

function Account({ account }: { account: NonNullable<SettingsQuery['account']> }) {
  const [save] = useSave(AccountUpdateDocument, {})
  return (
    <Section title="Account" maw={520}>
      <Stack gap="xs">
        <EditableFields id={account.id} fields={fields} values={account} onSave={save} />
        <TextInput size="xs" label="Subdomain of public pages" value={account.subdomain ?? ''} readOnly />
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

function AuditLog({ entries }: { entries: SettingsQuery['auditLog'] }) {
  const format = useFormat()
  return (
    <Section title="Audit log" isFlush>
      <DataTable
        label="Audit log"
        rows={entries?.nodes ?? []}
        empty="Nothing was changed yet."
        columns={({ left, right }) => [
          left('Change', ({ action }) => action),
          left('By', ({ user, apiKey }) => user?.email ?? apiKey?.name ?? 'The server'),
          left('Fields', (entry) => entry.fields.join(', '), 'md'),
          left('Address', ({ address }) => address, 'sm'),
          right('Time', ({ createdAt }) => format.dateTime(createdAt)),
        ]}
      />
    </Section>
  )
}
