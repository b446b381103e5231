import { t } from '@lingui/core/macro'
import { ColorSwatch, SimpleGrid, Stack } from '@mantine/core'
import { type BrandFieldsFragment, BrandSettingsDocument, BrandUpdateDocument } from '../generated/brand.documents.ts'
import { reasonOf, useAction, useLive, useScreen } from '../graph/use-screen.ts'
import { Editable, EditableArea, EditableFields, EditableSelect } from '../shared/forms/editable.tsx'
import { Permitted } from '../shared/layout/permission.tsx'
import { Preview } from '../shared/layout/preview.tsx'
import { Screen, Section } from '../shared/layout/screen.tsx'

const colors = () =>
  [
    { name: 'contentColor', label: t`Background of the content` },
    { name: 'textColor', label: t({ message: 'Text', context: 'colour' }) },
    { name: 'accentColor', label: t`Buttons and links` },
    { name: 'backgroundColor', label: t`Around the content` },
  ] as const

const fonts = () =>
  [
    { value: 'ARIAL', label: t`Arial` },
    { value: 'VERDANA', label: t`Verdana` },
    { value: 'TAHOMA', label: t`Tahoma` },
    { value: 'TREBUCHET', label: t`Trebuchet` },
    { value: 'GEORGIA', label: t`Georgia` },
    { value: 'TIMES', label: t`Times` },
    { value: 'COURIER', label: t`Courier` },
    { value: 'SYSTEM', label: t`The font of the device` },
  ] as const satisfies readonly { value: BrandFieldsFragment['font']; label: string }[]

const logo = () =>
  [
    { name: 'logoUrl', label: t`Address of the logo`, type: 'url' },
    { name: 'logoAlt', label: t`Alternative text of the logo` },
  ] as const

/** How messages and pages look, with a sample that follows each change. */
export function BrandScreen() {
  const result = useScreen(BrandSettingsDocument, {})
  useLive(result.data?.eventCursor, { types: ['BRAND_UPDATED'] }, result.reload)
  return (
    <Screen
      title={t`Brand`}
      subtitle={t`How messages and pages look. Messages have it when their content is saved the next time.`}
      result={result}
    >
      {({ brand }) => brand && <BrandForm brand={brand} onChanged={result.reload} />}
    </Screen>
  )
}

interface BrandFormProps {
  readonly brand: BrandFieldsFragment
  readonly onChanged: () => void
}

function BrandForm({ brand, onChanged }: BrandFormProps) {
  const [update] = useAction(BrandUpdateDocument)
  const save = async (change: Partial<Omit<BrandFieldsFragment, 'sample'>>) => {
    const outcome = await update({ input: change as object })
    if (outcome.error === undefined) onChanged()
    return reasonOf(outcome, ...Object.keys(change))
  }
  const shownColors = colors().map((field) => ({
    ...field,
    leftSection: <ColorSwatch size={16} color={brand[field.name]} />,
  }))
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Permitted scope="MAIL_WRITE">
        <Stack gap="md">
          <Section title={t`Colours and font`}>
            <Stack gap="xs">
              <EditableFields id="brand" fields={shownColors} values={brand} onSave={save} />
              <EditableSelect
                label={t`Font`}
                data={[...fonts()]}
                value={brand.font}
                onSave={(font) => save({ font: font as BrandFieldsFragment['font'] })}
              />
            </Stack>
          </Section>
          <Section title={t`Logo and address`}>
            <Stack gap="xs">
              <EditableFields id="brand" fields={logo()} values={brand} onSave={save} />
              <EditableArea
                label={t`Postal address`}
                draftKey="brand:address"
                value={brand.address}
                onSave={(address) => save({ address })}
              />
              <Editable
                label={t`Domains whose links get no UTM parameters`}
                placeholder={t`example.com, example.org`}
                draftKey="brand:domains"
                value={brand.utmExcludedDomains.join(', ')}
                onSave={(text) => save({ utmExcludedDomains: text.split(/[\s,]+/).filter(Boolean) })}
              />
            </Stack>
          </Section>
        </Stack>
      </Permitted>
      <Section title={t`Sample`}>
        <Preview isMessage title={t`Sample message`} html={brand.sample} />
      </Section>
    </SimpleGrid>
  )
}
