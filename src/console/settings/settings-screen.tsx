import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import { Stack, Tabs } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { defaultZone } from '../generated/default-zone.documents.ts'
import { AccountUpdateDocument, SettingsDocument, type SettingsQuery } from '../generated/settings.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { useScreen } from '../graph/use-screen.ts'
import { useFormat, words, zoneName } from '../shared/format.ts'
import { currencies, timeZones } from '../shared/forms/choices.ts'
import { Editable, EditableArea, EditableFields, EditableSearch, EditableSwitch } from '../shared/forms/editable.tsx'
import { Permitted } from '../shared/layout/permission.tsx'
import { Screen, Section } from '../shared/layout/screen.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'
import { actionWords, pathWords } from './audit-words.ts'
import { Domains } from './domains.tsx'
import { Keys } from './keys.tsx'
import { Seller } from './seller.tsx'
import { SendingRules } from './sending-rules.tsx'
import { OwnName, Sessions } from './sessions.tsx'
import { type SettingsTab, settingsTabNames, settingsTabs } from './settings-search.ts'
import { Topics } from './topics.tsx'
import { Users } from './users.tsx'
import { Webhooks } from './webhooks.tsx'

const route = getRouteApi('/settings')

/** The account, its users, keys, webhooks and domains, and what was changed in it. */
export function SettingsScreen() {
  const { tab = 'account' } = route.useSearch()
  const navigate = route.useNavigate()
  const result = useScreen(SettingsDocument, {})
  return (
    <Screen title={t`Settings`} result={result}>
      {(data) => (
        <Tabs
          value={tab}
          keepMounted={false}
          onChange={(value) => void navigate({ search: { tab: value as SettingsTab }, replace: true })}
        >
          <Tabs.List mb="md">
            {settingsTabNames.map((each) => (
              <Tabs.Tab key={each} value={each}>
                {i18n._(settingsTabs[each])}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="account">
            <Permitted scope="ACCOUNT_WRITE">{data.account && <Account account={data.account} />}</Permitted>
          </Tabs.Panel>
          <Tabs.Panel value="sending">
            <Permitted scope="ACCOUNT_WRITE">{data.account && <SendingRules account={data.account} />}</Permitted>
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
          <Tabs.Panel value="topics">
            <Permitted scope="CONTACTS_WRITE">
              <Topics topics={data.topics} onChanged={result.reload} />
            </Permitted>
          </Tabs.Panel>
          <Tabs.Panel value="invoices">
            <Permitted scope="FINANCE_WRITE">
              {data.account && data.billingProfile && (
                <Seller accountId={data.account.id} seller={data.billingProfile} onChanged={result.reload} />
              )}
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

const fields = () =>
  [
    { name: 'name', label: t`Name of the account` },
    { name: 'email', label: t`E-mail of the account`, type: 'email' },
    { name: 'senderName', label: t`Default sender` },
    { name: 'senderEmail', label: t`Default sender address`, type: 'email' },
  ] as const

function Account({ account }: { account: NonNullable<SettingsQuery['account']> }) {
  const [save] = useSave(AccountUpdateDocument, {}, account)
  const zones = useMemo(() => timeZones(account.timezone ?? ''), [account.timezone])
  const money = useMemo(() => currencies(account.currency), [account.currency])
  return (
    <Section title={t`Account`} maw={520}>
      <Stack gap="xs">
        <EditableFields id={account.id} fields={fields()} values={account} onSave={save} />
        <EditableSearch
          label={t`Time zone`}
          description={account.timezone ? undefined : t`None is set, so times are in ${zoneName(defaultZone)}.`}
          value={account.timezone ?? ''}
          data={zones}
          onSave={(timezone) => save({ timezone })}
        />
        <EditableSearch
          label={t`Currency`}
          value={account.currency}
          data={money}
          onSave={(currency) => save({ currency })}
        />
        <Editable
          id="subdomain"
          label={t`Subdomain of public pages`}
          description={t`Part of the address of all pages of funnels, which change their address with it.`}
          draftKey={`${account.id}:subdomain`}
          value={account.subdomain ?? ''}
          onSave={(subdomain) => save({ subdomain: subdomain.trim() || null })}
        />
        <EditableFields
          id={account.id}
          fields={softBounceFields()}
          values={{ softBounceLimit: String(account.softBounceLimit), softBounceDays: String(account.softBounceDays) }}
          onSave={(change) =>
            save(Object.fromEntries(Object.entries(change).map(([name, value]) => [name, Number(value)])))
          }
        />
        <EditableSwitch
          mt={4}
          label={t`New contacts of forms confirm their address`}
          checked={account.doubleOptIn}
          onSave={(doubleOptIn) => save({ doubleOptIn })}
        />
        <EditableSwitch
          label={t`One click in the e-mail is enough to confirm`}
          checked={account.oneClickConfirmation}
          onSave={(oneClickConfirmation) => save({ oneClickConfirmation })}
        />
        <EditableSwitch
          label={t`Contacts that have not confirmed after a day are asked once more`}
          checked={account.confirmationReminder}
          onSave={(confirmationReminder) => save({ confirmationReminder })}
        />
        <EditableArea
          label={t`E-mail domains that pages and forms refuse`}
          description={t`For example of throw-away addresses. Their subdomains are refused as well.`}
          placeholder="example.com"
          draftKey={`${account.id}:refusedDomains`}
          value={account.refusedDomains.join('\n')}
          onSave={(text) => save({ refusedDomains: domainsIn(text) })}
        />
      </Stack>
    </Section>
  )
}

/** Returns the domains of a text, in which they can follow an at sign. */
const domainsIn = (text: string) => text.split(/[\s,;]+/).flatMap((each) => each.replace(/^.*@/, '') || [])

const softBounceFields = () =>
  [
    {
      name: 'softBounceLimit',
      label: t`Soft bounces in a row that suppress an address (0: never)`,
      type: 'number',
      min: 0,
      max: 100,
    },
    { name: 'softBounceDays', label: t`Days over which they must be spread`, type: 'number', min: 0, max: 365 },
  ] as const

/** What receiving domains have against the sender. */
function SenderProblems({ problems }: { problems: SettingsQuery['senderProblems'] }) {
  const format = useFormat()
  return (
    <Section title={t`Problems of receiving domains with the sender`} mt="md" isFlush>
      <DataTable
        label={t`Problems of receiving domains with the sender`}
        rows={problems?.nodes}
        empty={t`No domain refused messages for a fault of the sender in the last 30 days.`}
        columns={({ left, right }) => [
          left(t`Domain`, ({ domain }) => domain),
          left(t`Cause`, ({ cause }) => words(cause)),
          left(t`Last reply`, ({ detail }) => detail, 'sm'),
          right(t`Refusals`, ({ failures }) => format.number(failures)),
          right(t`Last time`, ({ lastAt }) => format.dateTime(lastAt)),
        ]}
      />
    </Section>
  )
}

function AuditLog({ entries }: { entries: SettingsQuery['auditLog'] }) {
  const format = useFormat()
  return (
    <Section title={t`Audit log`} isFlush>
      <DataTable
        label={t`Audit log`}
        rows={entries?.nodes}
        empty={t`Nothing was changed yet.`}
        columns={({ left, right }) => [
          left(t({ message: 'Change', context: 'what was changed' }), ({ action }) =>
            i18n._(action, {}, { message: actionWords(action) }),
          ),
          left(
            t({ message: 'By', context: 'who changed it' }),
            ({ user, apiKey }) => user?.email ?? apiKey?.name ?? t`The server`,
          ),
          left(t`Fields`, (entry) => entry.fields.map(pathWords).join(', '), 'md'),
          left(t({ message: 'Address', context: 'network' }), ({ address }) => address, 'sm'),
          right(t`Time`, ({ createdAt }) => format.dateTime(createdAt)),
        ]}
      />
    </Section>
  )
}
