import { t } from '@lingui/core/macro'
import { Alert, Button, type ButtonProps, Code, Group } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useEffect } from 'react'
import { notify } from './notify.tsx'

/** Copies a text, and says so. A browser that does not allow it, as without TLS, shows the text instead. */
export function CopyTo({
  value,
  children,
  ...button
}: ButtonProps & { value: string; 'aria-label'?: string | undefined }) {
  const { copy, copied, error } = useClipboard()
  useEffect(() => {
    if (error) notify(t`The browser does not allow copying. Copy it from here: ${value}`, 'red')
  }, [error, value])
  return (
    <Button variant="default" {...button} onClick={() => copy(value)}>
      {copied ? t`Copied` : children}
    </Button>
  )
}

/** Copies and opens the address of a public page. */
export function PublicLink({ url, name }: { url: string; name?: string }) {
  return (
    <>
      <CopyTo value={url} aria-label={name && t`Copy link of ${name}`}>{t`Copy link`}</CopyTo>
      <Button
        component="a"
        variant="default"
        href={url}
        target="_blank"
        rel="noopener"
        aria-label={name && t`Open the page ${name}`}
      >{t`Open the page`}</Button>
    </>
  )
}

/** A secret that the server does not return again. */
export function Secret({ title, value }: { title: string; value: string }) {
  return (
    <Alert color="teal" title={title} role="status">
      <Group gap="xs">
        <Code>{value}</Code>
        <CopyTo value={value} variant="light">{t`Copy`}</CopyTo>
      </Group>
    </Alert>
  )
}
