import { t } from '@lingui/core/macro'
import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  ContactDeleteDocument,
  ContactEraseDocument,
  ContactExportDocument,
  ContactMergeDocument,
} from '../generated/contacts.documents.ts'
import { type Outcome, useAction } from '../graph/use-screen.ts'
import { PickContact, type PickedContact } from '../pickers/pick-contact.tsx'
import { MoreMenu } from '../shared/actions/more-menu.tsx'
import { report } from '../shared/actions/report.ts'
import { whileLeaving } from '../shared/layout/leaving.ts'
import { useRefusal } from '../shared/layout/permission.tsx'
import { Muted } from '../shared/layout/screen.tsx'

interface ContactProps {
  readonly id: string
  readonly name: string
}

interface DialogProps extends ContactProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** What is done with a contact as a whole: its data is exported, it becomes one with another, or it is deleted or erased. */
export function ContactMenu({ id, name }: ContactProps) {
  const navigate = useNavigate()
  const refusal = useRefusal('CONTACTS_WRITE')
  const [opened, setOpened] = useState<'merge' | 'erase'>()
  const [download] = useAction(ContactExportDocument)
  const [remove] = useAction(ContactDeleteDocument)
  const open = (dialog: 'merge' | 'erase') => async (): Promise<Outcome<unknown>> => {
    setOpened(dialog)
    return { data: dialog }
  }
  const exportAll = async () => {
    const result = await download({ input: { contact: { id } } })
    if (result.data?.contactExport) location.assign(result.data.contactExport.url)
    return result
  }
  const removeContact = async () => {
    const result = await remove({ input: { contact: { id } } })
    const { deleted = true, reason } = result.data?.contactDelete ?? {}
    return deleted ? result : { error: reason ?? t`The contact is kept.`, fields: {} }
  }
  const dialog = { id, name, onClose: () => setOpened(undefined) }
  return (
    <>
      <MoreMenu
        refusal={refusal}
        actions={[
          { label: t`Export all data`, isForAll: true, run: exportAll },
          { label: t`Merge into another contact`, run: open('merge') },
          {
            label: t`Delete contact`,
            isRed: true,
            question: {
              title: t`Delete ${name}?`,
              consequence: t`The contact leaves all sequences, and its data is deleted. This cannot be undone.`,
            },
            done: t`${name} was deleted.`,
            run: removeContact,
            after: () => navigate({ to: '/contacts' }),
          },
          { label: t`Erase this person`, isRed: true, run: open('erase') },
        ]}
      />
      <MergeDialog {...dialog} isOpen={opened === 'merge'} />
      <EraseDialog {...dialog} isOpen={opened === 'erase'} />
    </>
  )
}

/** Chooses the contact that remains, and says what it gets. */
function MergeDialog({ id, name, isOpen, onClose }: DialogProps) {
  const navigate = useNavigate()
  const [merge, isMerging] = useAction(ContactMergeDocument)
  const [into, setInto] = useState<PickedContact>()
  const submit = async (remaining: PickedContact) => {
    await whileLeaving(true, async () => {
      const result = await merge({ input: { contact: { id }, into: { id: remaining.id } } })
      if (!report(result, t`${name} was merged into ${remaining.label}.`)) return
      onClose()
      await navigate({ to: '/contacts/$id', params: { id: remaining.id } })
    })
  }
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Merge ${name} into another contact`}>
      <Stack gap="sm">
        <PickContact
          label={t`Contact that remains`}
          placeholder={t`Name or e-mail address`}
          without={id}
          onPick={setInto}
          data-autofocus
        />
        <Text size="sm">
          {t`It gets the messages, sequences, answers, orders, consents and tags of ${name}, whose fields fill those that are empty. If ${name} unsubscribed, so does it, unless it consented later.`}
        </Text>
        <Text size="sm">{t`${name} is deleted. This cannot be undone.`}</Text>
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={onClose}>{t`Cancel`}</Button>
          <Button
            color="red.9"
            disabled={!into}
            loading={isMerging}
            onClick={() => into && void submit(into)}
          >{t`Merge`}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** Says what an erasure removes that a deletion does not. */
function EraseDialog({ id, name, isOpen, onClose }: DialogProps) {
  const navigate = useNavigate()
  const refusal = useRefusal('FINANCE_WRITE')
  const [erase, isErasing] = useAction(ContactEraseDocument)
  const [redactSales, setRedactSales] = useState(false)
  const submit = async () => {
    await whileLeaving(true, async () => {
      const result = await erase({ input: { contact: { id }, redactSales } })
      if (!report(result, t`${name} was deleted. Copies of the data are being removed.`)) return
      onClose()
      await navigate({ to: '/contacts' })
    })
  }
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Erase ${name}?`}>
      <Stack gap="sm">
        <Text size="sm">
          {t`The contact is deleted at once, also if it has orders. Its data is then removed from events, webhooks, imports and files. An address that unsubscribed is still not written to. This cannot be undone.`}
        </Text>
        <Checkbox
          size="xs"
          label={t`Also remove the name and the addresses from orders and invoices`}
          description={refusal ?? t`Only after the time has ended for which the law requires you to keep invoices.`}
          disabled={refusal !== undefined}
          checked={redactSales}
          onChange={({ currentTarget }) => setRedactSales(currentTarget.checked)}
        />
        <Muted>{t`Export the data before, if the person asked for it.`}</Muted>
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>{t`Cancel`}</Button>
          <Button color="red.9" loading={isErasing} onClick={() => void submit()}>{t`Erase`}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
