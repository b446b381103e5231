import { Button, type ButtonProps, Menu, type MenuProps } from '@mantine/core'
import { type LucideIcon, Plus } from 'lucide-react'
import type { MouseEventHandler, ReactElement } from 'react'
import { ActionButton } from '../layout/permission.tsx'
import { Muted } from '../layout/screen.tsx'

/** A small button that adds something to a list. */
export function AddButton(button: ButtonProps & { readonly onClick?: MouseEventHandler<HTMLButtonElement> }) {
  return <Button size="compact-xs" variant="light" leftSection={<Plus size={13} aria-hidden="true" />} {...button} />
}

type LabelledChoice<Choice> = Choice & {
  readonly label: string
  readonly description?: string
  readonly icon?: LucideIcon
}

interface ChoiceMenuProps<Choice> extends Pick<MenuProps, 'position'> {
  readonly button: ReactElement
  readonly choices: readonly LabelledChoice<Choice>[]
  readonly onChoose: (choice: Choice) => void
}

/** A button with a choice of what it does. */
export function ChoiceMenu<Choice>({ button, choices, onChoose, position = 'bottom-end' }: ChoiceMenuProps<Choice>) {
  return (
    <Menu position={position}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown mah={380} className="scrolling">
        {choices.map((choice) => (
          <Menu.Item
            key={choice.label}
            leftSection={choice.icon && <choice.icon size={14} />}
            onClick={() => onChoose(choice)}
          >
            {choice.label}
            {choice.description && <Muted>{choice.description}</Muted>}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

interface NewMenuProps<Choice> extends Omit<ChoiceMenuProps<Choice>, 'button'> {
  readonly label: string
  readonly loading: boolean
  readonly refusal: string | undefined
}

/** The button that creates what a list contains, with a choice of what to begin with. */
export function NewMenu<Choice>({ label, loading, refusal, ...menu }: NewMenuProps<Choice>) {
  const button = { leftSection: <Plus size={14} aria-hidden="true" />, children: label }
  if (refusal !== undefined) return <ActionButton {...button} refusal={refusal} />
  return <ChoiceMenu {...menu} button={<Button {...button} loading={loading} />} />
}
