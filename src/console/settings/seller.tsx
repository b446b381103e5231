import { t } from '@lingui/core/macro'
import { Stack } from '@mantine/core'
import { useRef } from 'react'
import {
  SellerUpdateDocument,
  type SellerUpdateMutationVariables,
  type SettingsSellerFragment,
} from '../generated/settings.documents.ts'
import { reasonOf, useAction } from '../graph/use-screen.ts'
import { EditableFields, EditableSelect } from '../shared/forms/editable.tsx'
import { Section } from '../shared/layout/screen.tsx'

interface SellerProps {
  readonly accountId: string
  readonly seller: SettingsSellerFragment
  readonly onChanged: () => void
}

/** What new invoices and credit notes say about the seller, and how they are numbered. */
export function Seller({ accountId, seller, onChanged }: SellerProps) {
  const [update] = useAction(SellerUpdateDocument)
  // The next field can be left before the screen has read the change of the last one.
  const latest = useRef(seller.updatedAt)
  if (seller.updatedAt > latest.current) latest.current = seller.updatedAt
  const save = async (change: SellerUpdateMutationVariables['input']) => {
    const outcome = await update({ input: { ...change, expectedUpdatedAt: latest.current } })
    latest.current = outcome.data?.billingProfileUpdate?.billingProfile?.updatedAt ?? latest.current
    onChanged()
    return reasonOf(outcome, ...Object.keys(change))
  }
  return (
    <Section title={t`Seller on invoices`} maw={520}>
      <Stack gap="xs">
        <EditableFields id={`${accountId}:seller`} fields={fields()} values={seller} onSave={save} />
        <EditableSelect
          label={t`VAT is rounded`}
          value={seller.vatRounding}
          data={[
            { value: 'RATE', label: t`for each rate` },
            { value: 'LINE', label: t`for each line` },
          ]}
          onSave={(vatRounding) => save({ vatRounding: vatRounding as typeof seller.vatRounding })}
        />
      </Stack>
    </Section>
  )
}

const fields = () =>
  [
    { name: 'companyName', label: t`Name of the seller` },
    { name: 'address', label: t`Postal address`, isArea: true },
    { name: 'vatNumber', label: t`VAT number` },
    { name: 'footer', label: t`Footer of each page`, description: t`Three lines at most.`, isArea: true },
    {
      name: 'invoicePrefix',
      label: t`Prefix of invoice numbers`,
      description: t`The numbers of each prefix begin at 1. Invoices that were issued keep theirs.`,
    },
    { name: 'creditNotePrefix', label: t`Prefix of credit note numbers` },
  ] as const
