import { t } from '@lingui/core/macro'
import { Alert, Button, Stack, Text, Title } from '@mantine/core'
import type { CombinedError } from 'urql'
import { readErrors } from '../../client/errors.ts'
import { RouterAnchor } from '../shared/layout/links.tsx'

/** Shown for a path without a screen. */
export function NotFound() {
  return (
    <Stack p="xl" gap="xs">
      <Title order={1} size="h3">{t`Not found`}</Title>
      <Text size="sm">{t`There is no such screen, or what it showed was deleted.`}</Text>
      <RouterAnchor to="/" size="sm">{t`To the overview`}</RouterAnchor>
    </Stack>
  )
}

/** Shown when a screen could not be loaded or rendered. */
export function ScreenError() {
  return (
    <Stack p="xl" gap="xs" align="start">
      <Title order={1} size="h3">{t`The screen could not be shown`}</Title>
      <Text size="sm">{t`A new version may have been installed, or the connection was lost.`}</Text>
      <Button onClick={() => location.reload()}>{t`Load again`}</Button>
    </Stack>
  )
}

/** The failures of a screen's query, with the scope that is missing. */
export function GraphProblem({ error, onRetry }: { error: CombinedError; onRetry: () => void }) {
  const errors = readErrors(error)
  const messages =
    errors.length === 0
      ? [t`The server could not be reached.`]
      : [...new Set(errors.map(({ message }) => message))].slice(0, 4)
  return (
    <Alert color="red" title={t`Not everything could be read`} role="alert">
      {messages.map((message) => (
        <Text key={message} size="sm">
          {message}
        </Text>
      ))}
      <Button mt="xs" variant="light" color="red" onClick={onRetry}>{t`Try again`}</Button>
    </Alert>
  )
}
