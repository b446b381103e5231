import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Button, Center, Paper, Stack, Text, Title } from '@mantine/core'
import { useSyncExternalStore } from 'react'

let isSignedOut = false
const listeners = new Set<() => void>()

/** Whether a request was refused because there is no session. */
export const signedOut = {
  get: () => isSignedOut,
  set(value: boolean): void {
    isSignedOut = value
    for (const listener of listeners) listener()
  },
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns whether a request was refused because there is no session. */
export const useSignedOut = (): boolean => useSyncExternalStore(subscribe, signedOut.get)

/** Replaces the screens when there is no session. */
export function SignedOut() {
  return (
    <Center mih="100vh" p="md">
      <Paper p="xl" maw={420}>
        <Stack gap="sm">
          <Title order={1} size="h3">{t`You are not signed in`}</Title>
          <Text size="sm" className="muted">
            <Trans>
              Open your sign-in link again, or request a new one. What you typed and did not save is kept in this
              browser.
            </Trans>
          </Text>
          <Button component="a" href="/console/sign-in" size="sm">{t`Sign in`}</Button>
        </Stack>
      </Paper>
    </Center>
  )
}
