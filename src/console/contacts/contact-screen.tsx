import { t } from '@lingui/core/macro'
import { Badge, Button, Group, SimpleGrid, Stack, Tabs } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { ContactDocument, type ContactQuery } from '../generated/contacts.documents.ts'
import { useLive, useScreen } from '../graph/use-screen.ts'
import { Figure } from '../shared/figures/figures.tsx'
import { personName, useFormat } from '../shared/format.ts'
import { Permitted } from '../shared/layout/permission.tsx'
import { Columns, Screen, Section } from '../shared/layout/screen.tsx'
import { ContactDetails } from './contact-details.tsx'
import { ConsentList, OrderList, SubmissionList } from './contact-lists.tsx'
import { ContactMenu } from './contact-menu.tsx'
import { ContactTopics } from './contact-topics.tsx'
import { Enrolments } from './enrolments.tsx'
import { Timeline } from './timeline.tsx'

const route = getRouteApi('/contacts/$id')

/** A contact: its fields, tags, figures and timeline, and what it has bought and answered. */
export function ContactScreen() {
  const { id } = route.useParams()
  const [timeline, setTimeline] = useState(25)
  const result = useScreen(ContactDocument, { id, timeline })
  useLive(result.data?.eventCursor, { contactIds: [id] }, result.reload)
  const { contact } = result.data ?? {}
  const format = useFormat()
  return (
    <Screen
      title={contact ? personName(contact) : t`Contact`}
      subtitle={contact && t`${contact.email} · added ${format.date(contact.createdAt)}`}
      parent={{ to: '/contacts', label: t`Contacts` }}
      result={result}
      actions={contact && <ContactMenu id={id} name={personName(contact)} />}
    >
      {(data) =>
        data.contact && (
          <Content data={data} contact={data.contact} onMore={() => setTimeline(Math.min(timeline + 25, 100))} />
        )
      }
    </Screen>
  )
}

interface ContentProps {
  readonly data: ContactQuery
  readonly contact: NonNullable<ContactQuery['contact']>
  readonly onMore: () => void
}

function Content({ data, contact, onMore }: ContentProps) {
  const format = useFormat()
  const { stats, purchases, segments, timeline, submissions, orders, invoices } = contact
  return (
    <Columns first={4}>
      <Stack gap="md">
        <Permitted scope="CONTACTS_WRITE">
          <ContactDetails contact={contact} customFields={data.customFields ?? []} />
        </Permitted>
        {segments && segments.length > 0 && (
          <Section title={t`Segments`}>
            <Group gap={4}>
              {segments.map(({ id, name }) => (
                <Badge key={id} color="gray">
                  {name}
                </Badge>
              ))}
            </Group>
          </Section>
        )}
      </Stack>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
          <Figure label={t`E-mails`} value={format.number(stats?.sent ?? 0)} />
          <Figure label={t`Opened`} value={format.number(stats?.opened ?? 0)} />
          <Figure label={t`Clicked`} value={format.number(stats?.clicked ?? 0)} />
          <Figure
            label={t`Lifetime value`}
            value={purchases?.lifetimeValue.map((each) => format.money(each)).join(' + ') || '–'}
          />
        </SimpleGrid>
        <Section title={t({ message: 'Record', context: 'what is known of a contact' })}>
          <Tabs defaultValue="timeline" keepMounted={false}>
            <Tabs.List mb="sm">
              <Tabs.Tab value="timeline">{t`Timeline`}</Tabs.Tab>
              <Tabs.Tab value="sequences">{t`Sequences`}</Tabs.Tab>
              <Tabs.Tab value="orders">{t`Orders`}</Tabs.Tab>
              <Tabs.Tab value="submissions">{t`Answers`}</Tabs.Tab>
              <Tabs.Tab value="consents">{t`Consents`}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="timeline">
              <Timeline entries={timeline?.nodes} />
              {timeline?.pageInfo.hasNextPage && timeline.nodes.length < 100 && (
                <Button variant="subtle" mt="xs" onClick={onMore}>{t`Show older entries`}</Button>
              )}
            </Tabs.Panel>
            <Tabs.Panel value="sequences">
              <Permitted scope="SEQUENCES_WRITE">
                <Enrolments contact={contact} />
              </Permitted>
            </Tabs.Panel>
            <Tabs.Panel value="orders">
              <OrderList orders={orders?.nodes} invoices={invoices?.nodes} />
            </Tabs.Panel>
            <Tabs.Panel value="submissions">
              <SubmissionList submissions={submissions?.nodes} />
            </Tabs.Panel>
            <Tabs.Panel value="consents">
              <Permitted scope="CONTACTS_WRITE">
                <ContactTopics contact={contact} />
              </Permitted>
              <ConsentList consents={contact.consents.nodes} />
            </Tabs.Panel>
          </Tabs>
        </Section>
      </Stack>
    </Columns>
  )
}
