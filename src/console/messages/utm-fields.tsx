import { t } from '@lingui/core/macro'
import { Stack } from '@mantine/core'
import type { MessageContentFragment } from '../generated/messages.documents.ts'
import { EditableFields } from '../shared/forms/editable.tsx'

const fields = () =>
  [
    {
      name: 'source',
      label: t({ message: 'Source', context: 'UTM parameter' }),
      description: t`Where visitors come from, such as newsletter.`,
    },
    {
      name: 'medium',
      label: t({ message: 'Medium', context: 'UTM parameter' }),
      description: t`The kind of link, such as email.`,
    },
    { name: 'campaign', label: t({ message: 'Campaign', context: 'UTM parameter' }) },
    { name: 'term', label: t({ message: 'Term', context: 'UTM parameter' }) },
    { name: 'content', label: t({ message: 'Content', context: 'UTM parameter' }) },
  ] as const

interface UtmFieldsProps {
  readonly id: string
  readonly utm: MessageContentFragment['utm']
  readonly onSave: (change: {
    utm: Partial<Record<ReturnType<typeof fields>[number]['name'], string>>
  }) => Promise<string | undefined>
}

/** The parameters by which web analytics recognise visitors that come from the links of a message. */
export function UtmFields({ id, utm, onSave }: UtmFieldsProps) {
  return (
    <details className="more">
      <summary>{t`UTM parameters of links`}</summary>
      <Stack gap="xs">
        <EditableFields id={`${id}:utm`} fields={fields()} values={utm} onSave={(change) => onSave({ utm: change })} />
      </Stack>
    </details>
  )
}
