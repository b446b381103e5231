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
  const role = viewer?.role ? `The role ${words(viewer.role).toLowerCase()}` : 'Your key'
  if (scope === 'FULL_ACCESS') return `${role} cannot manage users and keys.`
  const [module] = scope.split('_') as [keyof typeof moduleNames]
  return `${role} can read ${moduleNames[module]}, but not change anything there.`
}

/** What the data of a module is called on the screens. */
const moduleNames = {
  ACCOUNT: 'the settings of the account',
  CAMPAIGNS: 'campaigns',
  CONTACTS: 'contacts',
  EVENTS: 'events and webhooks',
  FINANCE: 'sales',
  FORMS: 'forms',
  FUNNELS: 'funnels',
  MAIL: 'e-mail and its domains',
  SEQUENCES: 'sequences',
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
