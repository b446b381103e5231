import { Button, Menu, Text } from '@mantine/core'
import { Plus } from 'lucide-react'
import { ActionButton } from './permission.tsx'

interface NewMenuProps<Choice> {
  readonly label: string
  readonly choices: readonly (Choice & { readonly label: string; readonly description: string })[]
  readonly loading: boolean
  readonly refusal: string | undefined
  readonly onChoose: (choice: Choice) => void
}

/** The button that creates what a list contains, with a choice of what to begin with. */
export function NewMenu<Choice>({ label, choices, loading, refusal, onChoose }: NewMenuProps<Choice>) {
  const icon = <Plus size={14} aria-hidden="true" />
  if (refusal !== undefined) {
    return (
      <ActionButton leftSection={icon} refusal={refusal}>
        {label}
      </ActionButton>
    )
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button leftSection={icon} loading={loading}>
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map((choice) => (
          <Menu.Item key={choice.label} onClick={() => onChoose(choice)}>
            {choice.label}
            <Text size="xs" className="muted">
              {choice.description}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
