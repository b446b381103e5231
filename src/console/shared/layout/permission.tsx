import { i18n } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import { ActionIcon, type ActionIconProps, Alert, Button, type ButtonProps, Fieldset, Tooltip } from '@mantine/core'
import type { MouseEventHandler, ReactNode } from 'react'
import type { ShellStateQuery } from '../../generated/shell.documents.ts'
import { useShell } from '../../shell/use-shell.ts'
import { words } from '../format.ts'

type Scope = NonNullable<NonNullable<ShellStateQuery['viewer']>['scopes']>[number]

/** Returns the reason why the user must not change data of a module, or undefined if the user may. */
export function useRefusal(scope: Scope): string | undefined {
  const { viewer } = useShell()
  const scopes = viewer?.scopes
  if (!scopes || scopes.includes(scope) || scopes.includes('FULL_ACCESS')) return undefined
  const role = viewer?.role ? t`The role ${words(viewer.role)}` : t`Your key`
  if (scope === 'FULL_ACCESS') return t`${role} cannot manage users and keys.`
  const [module] = scope.split('_') as [keyof typeof moduleNames]
  const name = i18n._(moduleNames[module])
  return t`${role} can read ${name}, but not change anything there.`
}

/** What the data of a module is called on the screens. */
const moduleNames = {
  ACCOUNT: msg`the settings of the account`,
  CAMPAIGNS: msg`campaigns`,
  CONTACTS: msg`contacts`,
  EVENTS: msg`events and webhooks`,
  FINANCE: msg`sales`,
  FORMS: msg`forms`,
  FUNNELS: msg`funnels`,
  MAIL: msg`e-mail and its domains`,
  MEDIA: msg`media files`,
  SEQUENCES: msg`sequences`,
} as const

interface PermittedProps {
  readonly scope: Scope
  /** Whether the reason is shown elsewhere on the screen. */
  readonly isSilent?: boolean
  readonly children: ReactNode
}

/** Fields and buttons that need a scope. Without it, they are disabled, and the reason is shown above them. */
export function Permitted({ scope, isSilent = false, children }: PermittedProps) {
  const refusal = useRefusal(scope)
  return (
    <>
      {refusal && !isSilent && (
        <Alert color="gray" py="xs" mb="md">
          {refusal}
        </Alert>
      )}
      <Fieldset variant="unstyled" miw={0} m={0} p={0} disabled={refusal !== undefined}>
        {children}
      </Fieldset>
    </>
  )
}

interface ActionProps {
  /** Why the action is not possible. The button stays focusable, so that screen readers find the reason. */
  readonly refusal?: string | undefined
  readonly onClick?: MouseEventHandler<HTMLButtonElement> | undefined
}

const disabledProps = { 'data-disabled': true, 'aria-disabled': true, onClick: undefined } as const

/** A button that is disabled with a reason. */
export function ActionButton({ refusal, onClick, ...button }: ButtonProps & ActionProps) {
  if (refusal === undefined) return <Button {...button} onClick={onClick} />
  return (
    <Tooltip label={refusal} events={{ hover: true, focus: true, touch: true }}>
      <Button {...button} {...disabledProps} aria-description={refusal} />
    </Tooltip>
  )
}

interface IconActionProps extends Omit<ActionIconProps, 'onClick' | 'children'> {
  readonly label: string
  readonly disabled?: boolean
  readonly icon: ReactNode
  readonly onClick: MouseEventHandler<HTMLButtonElement>
}

/** A small button with an icon, and its name as a tooltip. */
export function IconAction({ label, icon, ...button }: IconActionProps) {
  return (
    <Tooltip label={label} openDelay={400}>
      <ActionIcon variant="subtle" color="gray" size="md" className="icon-action" aria-label={label} {...button}>
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}
