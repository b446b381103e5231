import { t } from '@lingui/core/macro'
import { Alert, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { ZoneSetDocument } from '../generated/overview.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { useZone, zoneName } from '../shared/format.ts'
import { RouterButton } from '../shared/layout/links.tsx'
import { useRefusal } from '../shared/layout/permission.tsx'
import { ActionError } from '../shared/layout/screen.tsx'

/** Asks for the time zone of an account without one, and suggests that of the browser, which is not taken unasked. */
export function ZoneQuestion() {
  const refusal = useRefusal('ACCOUNT_WRITE')
  const zone = zoneName(useZone())
  const [set, isSetting] = useAction(ZoneSetDocument)
  const [error, setError] = useState<string>()
  if (refusal !== undefined) return null
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const choose = async () => setError((await set({ input: { timezone: own } })).error)
  return (
    <Alert color="gray" title={t`In which time zone do you work?`}>
      <Text size="sm">{t`Times are in ${zone} until the account has a time zone of its own.`}</Text>
      <ActionError>{error}</ActionError>
      <Group gap="sm" mt="xs">
        <Button size="xs" loading={isSetting} onClick={() => void choose()}>{t`Use ${zoneName(own)}`}</Button>
        <RouterButton to="/settings" size="xs" variant="default">{t`Choose another one`}</RouterButton>
      </Group>
    </Alert>
  )
}
