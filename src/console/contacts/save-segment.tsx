import { t } from '@lingui/core/macro'
import { Button, Group, Popover, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { ContactFilter } from '../filters/conditions.ts'
import { SaveSegmentDocument } from '../generated/contacts.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { notify } from '../shared/actions/notify.tsx'

/** Saves the conditions of the list as a segment. */
export function SaveSegment({ filter }: { filter: ContactFilter }) {
  const [isOpen, { toggle, close }] = useDisclosure()
  const [error, setError] = useState<string>()
  const [save, isSaving] = useAction(SaveSegmentDocument)
  const submit = async (form: FormData) => {
    const result = await save({ input: { name: String(form.get('name')), filter } })
    if (result.error !== undefined) return setError(result.fields['name'] ?? result.error)
    close()
    notify(t`The segment was saved.`)
  }
  return (
    <Popover opened={isOpen} onChange={toggle} trapFocus withArrow position="bottom-end">
      <Popover.Target>
        <Button variant="light" onClick={toggle}>{t`Save as segment`}</Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form action={submit}>
          <Group align="start" gap="xs">
            <TextInput
              size="xs"
              name="name"
              placeholder={t`Name`}
              aria-label={t`Name of the segment`}
              required
              error={error}
              data-autofocus
            />
            <Button type="submit" loading={isSaving}>{t`Save`}</Button>
          </Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
