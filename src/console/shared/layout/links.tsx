import { Alert, Anchor, type AnchorProps, Button, type ButtonProps, Code, CopyButton, Group } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import { forwardRef } from 'react'
import { type Person, personName } from '../format.ts'

/** A link to another screen. */
export const RouterAnchor = createLink(
  forwardRef<HTMLAnchorElement, Omit<AnchorProps, 'href'>>(function RouterAnchor(props, ref) {
    return <Anchor ref={ref} {...props} />
  }),
)

/** Leads to the interfaces through which records come that the console does not create. */
export function ApiLink() {
  return (
    <RouterAnchor to="/developer" size="sm" underline="always">
      API
    </RouterAnchor>
  )
}

/** A button that leads to another screen. */
export const RouterButton = createLink(
  forwardRef<HTMLAnchorElement, ButtonProps>(function RouterButton(props, ref) {
    return <Button ref={ref} component="a" {...props} />
  }),
)

interface PersonProps {
  readonly contact: { readonly id: string } & Person
  readonly size?: AnchorProps['size']
}

/** The name of a contact, which leads to it. */
export function PersonLink({ contact, size }: PersonProps) {
  return (
    <RouterAnchor to="/contacts/$id" params={{ id: contact.id }} size={size} className="row-link">
      {personName(contact)}
    </RouterAnchor>
  )
}

/** Copies a text. */
function CopyTo({ value, children, ...button }: ButtonProps & { value: string; 'aria-label'?: string | undefined }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button variant="default" {...button} onClick={copy}>
          {copied ? 'Copied' : children}
        </Button>
      )}
    </CopyButton>
  )
}

/** Copies and opens the address of a public page. */
export function PublicLink({ url, name }: { url: string; name?: string }) {
  return (
    <>
      <CopyTo value={url} aria-label={name && `Copy link of ${name}`}>
        Copy link
      </CopyTo>
      <Button
        component="a"
        variant="default"
        href={url}
        target="_blank"
        rel="noopener"
        aria-label={name && `Open the page ${name}`}
      >
        Open the page
      </Button>
    </>
  )
}

/** A secret that the server does not return again. */
export function Secret({ title, value }: { title: string; value: string }) {
  return (
    <Alert color="teal" title={title} role="status">
      <Group gap="xs">
        <Code>{value}</Code>
        <CopyTo value={value} variant="light">
          Copy
        </CopyTo>
      </Group>
    </Alert>
  )
}
