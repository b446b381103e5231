import { t } from '@lingui/core/macro'
import { notifications } from '@mantine/notifications'

/** Shows a short message at the edge of the window. Screen readers announce it. */
export function notify(message: string, color: 'teal' | 'red' | 'blue' = 'teal'): void {
  const closeButtonProps = { 'aria-label': t`Close the message` }
  notifications.show({
    message,
    color,
    withBorder: true,
    autoClose: color === 'red' ? 10_000 : 4_000,
    closeButtonProps,
  })
}
