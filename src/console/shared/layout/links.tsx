import { t } from '@lingui/core/macro'
import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
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
  return <RouterAnchor to="/developer" size="sm" underline="always">{t`API`}</RouterAnchor>
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
