import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import { forwardRef } from 'react'

/** A link to another screen. */
export const RouterAnchor = createLink(
  forwardRef<HTMLAnchorElement, Omit<AnchorProps, 'href'>>(function RouterAnchor(props, ref) {
    return <Anchor ref={ref} {...props} />
  }),
)

/** A button that leads to another screen. */
export const RouterButton = createLink(
  forwardRef<HTMLAnchorElement, ButtonProps>(function RouterButton(props, ref) {
    return <Button ref={ref} component="a" {...props} />
  }),
)
