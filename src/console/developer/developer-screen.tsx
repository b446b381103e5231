import { t } from '@lingui/core/macro'
import { Button, Code, Group, Stack } from '@mantine/core'
import { useMemo, useRef } from 'react'
import { useSubscription } from 'urql'
import { DeveloperDocument, DeveloperEventsDocument, type LogEventFragment } from '../generated/developer.documents.ts'
import { useScreen } from '../graph/use-screen.ts'
import { useFormat } from '../shared/format.ts'
import { Listed } from '../shared/layout/listed.tsx'
import { Columns, Muted, Screen, Section } from '../shared/layout/screen.tsx'

/** The tools of developers, and all events as they are written. */
export function DeveloperScreen() {
  const result = useScreen(DeveloperDocument, {})
  return (
    <Screen title={t`Developer`} subtitle={t`The console is one client of the same graph.`} result={result}>
      {({ eventCursor, events }) => (
        <Columns first={8}>
          <Section title={t`Events`} aside={<Muted>{t({ message: 'Live', context: 'activity' })}</Muted>}>
            <EventLog after={eventCursor} events={events?.nodes} />
          </Section>
          <Section title={t`Interfaces`}>
            <Stack gap="xs">
              <Tool href="/graphql" name="GraphiQL" text={t`Explore the graph. Needs an API key.`} />
              <Tool href="/docs" name={t`REST reference`} text={t`The endpoints of /v1.`} />
              <Tool href="/openapi.json" name="OpenAPI" text={t`The description of /v1 for generators.`} />
            </Stack>
          </Section>
        </Columns>
      )}
    </Screen>
  )
}

function Tool({ href, name, text }: { href: string; name: string; text: string }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <Button component="a" href={href} target="_blank" rel="noopener" variant="light" miw={130}>
        {name}
      </Button>
      <Muted>{text}</Muted>
    </Group>
  )
}

const shownEvents = 50

function EventLog({ after, events }: { after: string | null; events: readonly LogEventFragment[] | undefined }) {
  const format = useFormat()
  const start = useRef(after)
  const [{ data: live }] = useSubscription<{ events: LogEventFragment }, LogEventFragment[]>(
    { query: DeveloperEventsDocument, variables: { after: start.current }, pause: !start.current },
    (before: LogEventFragment[] | undefined, { events: event }) => [event, ...(before ?? [])].slice(0, shownEvents),
  )
  const shown = useMemo(() => {
    if (!live && !events) return undefined
    const all = [...(live ?? []), ...(events ?? [])]
    return [...new Map(all.map((event) => [event.cursor, event])).values()].slice(0, shownEvents)
  }, [live, events])
  return (
    <Listed items={shown} empty={t`No event is stored.`}>
      {(listed) => (
        <Stack component="ol" gap={4} className="timeline-list">
          {listed.map(({ cursor, name, occurredAt }) => (
            <Group component="li" key={cursor} gap="sm" wrap="nowrap">
              <Code>{name}</Code>
              <Muted className="activity-time" ml="auto">
                {format.dateTime(occurredAt)}
              </Muted>
            </Group>
          ))}
        </Stack>
      )}
    </Listed>
  )
}
