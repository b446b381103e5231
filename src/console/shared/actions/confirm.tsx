import { t } from '@lingui/core/macro'
import { Button, Group, getDefaultZIndex, Modal, Stack, Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'

/** What is asked before an action that cannot be taken back, or that others notice. */
export interface Question {
  /** Names the action and its object: "Delete Autumn sale?". */
  readonly title: string
  /** What happens then. */
  readonly consequence: string
  /** The label of the button that does it. */
  readonly verb: string
  readonly isRed?: boolean
}

interface OpenQuestion extends Question {
  readonly answer: (isConfirmed: boolean) => void
}

let asked: OpenQuestion | undefined
/** What was asked last. The dialog shows it until it is closed. */
let last: OpenQuestion | undefined
const listeners = new Set<() => void>()

function show(question: OpenQuestion | undefined): void {
  asked = question
  last = question ?? last
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Asks a question in a dialog. Returns whether the user confirmed it. A question that is still open is declined. */
export function ask(question: Question): Promise<boolean> {
  asked?.answer(false)
  return new Promise((resolve) => {
    show({
      ...question,
      answer(isConfirmed) {
        show(undefined)
        resolve(isConfirmed)
      },
    })
  })
}

/** The dialog of the questions. The frame of the screens contains it once. */
export function ConfirmDialog() {
  const question = useSyncExternalStore(subscribe, () => asked)
  const { title, consequence, verb, isRed = false } = question ?? last ?? { title: '', consequence: '', verb: '' }
  const decline = () => question?.answer(false)
  return (
    // Above the dialog from which it may be asked.
    <Modal
      opened={question !== undefined}
      onClose={decline}
      title={title}
      zIndex={getDefaultZIndex('overlay')}
      centered
    >
      <Stack gap="md">
        <Text size="sm" className="consequence">
          {consequence}
        </Text>
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={decline} data-autofocus={isRed || undefined}>{t`Cancel`}</Button>
          <Button
            {...(isRed && { color: 'red.9' })}
            onClick={() => question?.answer(true)}
            data-autofocus={isRed ? undefined : true}
          >
            {verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
