import { t } from '@lingui/core/macro'
import { Button, Text } from '@mantine/core'
import {
  SessionRevokeDocument,
  SessionRevokeOthersDocument,
  type SettingsQuery,
  type SettingsUserFragment,
  ViewerUpdateDocument,
} from '../generated/settings.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { useAction } from '../graph/use-screen.ts'
import { report } from '../shared/actions/report.ts'
import { useFormat } from '../shared/format.ts'
import { Editable } from '../shared/forms/editable.tsx'
import { Section } from '../shared/layout/screen.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'
import { browserWords } from './browser-words.ts'

type Session = NonNullable<NonNullable<NonNullable<SettingsQuery['viewer']>['user']>['sessions']>[number]

/** The name by which others know the user. */
export function OwnName({ user }: { user: SettingsUserFragment }) {
  const [save] = useSave(ViewerUpdateDocument, {}, user)
  return (
    <Section title={t`You`}>
      <Editable
        label={t`Your name`}
        maw={320}
        draftKey={`${user.id}:name`}
        value={user.name}
        onSave={(name) => save({ name })}
      />
    </Section>
  )
}

/** The browsers in which the user is signed in. */
export function Sessions({
  sessions,
  onChanged,
}: {
  sessions: readonly Session[] | null | undefined
  onChanged: () => void
}) {
  const format = useFormat()
  const [revoke] = useAction(SessionRevokeDocument)
  const [revokeOthers, isRevoking] = useAction(SessionRevokeOthersDocument)
  const endOthers = async () => {
    if (report(await revokeOthers({}), t`All other sessions were ended.`)) onChanged()
  }
  const end = async (id: string) => {
    if (report(await revoke({ input: { id } }))) onChanged()
  }
  return (
    <Section
      title={t`Your sessions`}
      isFlush
      aside={
        (sessions?.length ?? 0) > 1 && (
          <Button
            variant="default"
            size="compact-xs"
            loading={isRevoking}
            onClick={() => void endOthers()}
          >{t`End all others`}</Button>
        )
      }
    >
      <DataTable
        label={t`Your sessions`}
        rows={sessions}
        empty={t`You are not signed in with a session.`}
        columns={({ left, right }) => [
          left(t`Browser`, ({ userAgent }) => (
            <Text size="xs" title={userAgent}>
              {browserWords(userAgent)}
            </Text>
          )),
          left(t({ message: 'Address', context: 'network' }), ({ address }) => address, 'sm'),
          right(t`Last used`, ({ usedAt }) => format.relative(usedAt)),
          right('', ({ id, userAgent, isCurrent }) =>
            isCurrent ? (
              <Text size="xs">{t`This one`}</Text>
            ) : (
              <Button
                variant="subtle"
                size="compact-xs"
                color="red"
                aria-label={t`End the session of ${browserWords(userAgent)}`}
                onClick={() => void end(id)}
              >
                {t({ message: 'End', context: 'a session' })}
              </Button>
            ),
          ),
        ]}
      />
    </Section>
  )
}
