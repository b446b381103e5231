import { i18n } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import { Checkbox, Select, Stack, TagsInput } from '@mantine/core'
import { useState } from 'react'
import { useClient } from 'urql'
import {
  type ContactDetailsFragment,
  ContactFieldSetDocument,
  type ContactQuery,
  ContactTagAddDocument,
  ContactTagRemoveDocument,
  ContactUpdateDocument,
} from '../generated/contacts.documents.ts'
import { PickTagsDocument, TagCreateDocument } from '../generated/pickers.documents.ts'
import { contactTexts } from '../generated/text-fields.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { reasonOf, useAction } from '../graph/use-screen.ts'
import { NewFieldButton } from '../pickers/new-field.tsx'
import { usePicks } from '../pickers/picker.tsx'
import { Editable, EditableFields, EditableSwitch } from '../shared/forms/editable.tsx'
import { type Save, useSavedChoice } from '../shared/forms/use-saved.ts'
import { Section } from '../shared/layout/screen.tsx'

interface DetailsProps {
  readonly contact: ContactDetailsFragment
  readonly customFields: NonNullable<ContactQuery['customFields']>
}

const texts = () => contactTexts.map(({ name, label, type }) => ({ name, label, type }))

const sourceTexts = {
  OBSERVED: msg`Reported by the browser`,
  DERIVED: msg`Derived from the country`,
  GIVEN: undefined,
} as const

function sourceWords(source: keyof typeof sourceTexts | null): string | undefined {
  const text = source ? sourceTexts[source] : undefined
  return text && i18n._(text)
}

/** The time zone and the language of a contact, with how they are known if they were not set. */
const regionalFields = ({ timeZoneSource, localeSource }: ContactDetailsFragment) =>
  [
    { name: 'timeZone', label: t`Time zone`, description: sourceWords(timeZoneSource) },
    { name: 'locale', label: t`Language`, description: sourceWords(localeSource) },
  ] as const

/** The fields, consents and tags of a contact. Each is saved when it is changed. */
export function ContactDetails({ contact, customFields }: DetailsProps) {
  const [save] = useSave(ContactUpdateDocument, { contact: { id: contact.id } }, contact)
  return (
    <Section title={t`Details`}>
      <Stack gap="xs">
        <EditableFields
          id={contact.id}
          fields={[...texts(), ...regionalFields(contact)]}
          values={contact}
          onSave={save}
        />
        <ContactTags contact={contact} />
        <EditableSwitch
          mt={4}
          label={t`Accepts marketing by e-mail`}
          checked={contact.emailMarketing}
          onSave={(emailMarketing) => save({ emailMarketing })}
        />
        <CustomFields contact={contact} customFields={customFields} />
        <NewFieldButton />
      </Stack>
    </Section>
  )
}

function ContactTags({ contact }: Pick<DetailsProps, 'contact'>) {
  const client = useClient()
  const picks = usePicks({ kind: 'tags', values: [], known: contact.tags })
  const [add] = useAction(ContactTagAddDocument)
  const [remove] = useAction(ContactTagRemoveDocument)
  const [create] = useAction(TagCreateDocument)
  const [error, setError] = useState<string>()
  const shown = contact.tags.map(({ name }) => name)
  const idOf = async (name: string): Promise<string | undefined> => {
    const { data } = await client.query(
      PickTagsDocument,
      { search: name, ids: null },
      { requestPolicy: 'network-only' },
    )
    const known = data?.list?.nodes.find((tag) => tag.name.toLowerCase() === name.toLowerCase())
    if (known) return known.id
    const result = await create({ input: { name } })
    setError(reasonOf(result, 'name'))
    return result.data?.tagCreate?.tag?.id
  }
  const change = async (names: string[]) => {
    setError(undefined)
    for (const name of names.filter((each) => !shown.includes(each))) {
      const tagId = await idOf(name)
      if (tagId) setError(reasonOf(await add({ input: { contact: { id: contact.id }, tagId } }), 'tagId'))
    }
    for (const { id: tagId } of contact.tags.filter(({ name }) => !names.includes(name))) {
      setError(reasonOf(await remove({ input: { contact: { id: contact.id }, tagId } }), 'tagId'))
    }
  }
  return (
    <TagsInput
      size="xs"
      label={t`Tags`}
      placeholder={t`Add a tag`}
      value={shown}
      onChange={(names) => void change(names)}
      data={picks.data.filter(({ value }) => value !== 'more').map(({ label }) => label)}
      onSearchChange={picks.onSearchChange}
      onDropdownOpen={picks.onDropdownOpen}
      onDropdownClose={picks.onDropdownClose}
      error={error}
    />
  )
}

interface ChosenProps {
  readonly name: string
  readonly value: string
  /** Undefined for a field that is true or false. */
  readonly choices: readonly string[] | undefined
  readonly onSave: Save<string>
}

/** A custom field that is chosen. A choice that was not saved is not shown, and the reason is. */
function ChosenValue({ name, value, choices, onSave }: ChosenProps) {
  const { error, save } = useSavedChoice(onSave)
  const shared = { size: 'xs', label: name, error } as const
  if (!choices) {
    const change = (isOn: boolean) => void save(String(isOn))
    return (
      <Checkbox
        {...shared}
        checked={value === 'true'}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />
    )
  }
  return (
    <Select
      {...shared}
      clearable
      value={value || null}
      data={[...choices]}
      onChange={(next) => void save(next ?? '')}
    />
  )
}

function CustomFields({ contact, customFields }: DetailsProps) {
  const [setField] = useAction(ContactFieldSetDocument)
  const save = (customFieldId: string) => async (value: string) =>
    reasonOf(await setField({ input: { contact: { id: contact.id }, customFieldId, value: value || null } }), 'value')
  const storedValue = (id: string) =>
    contact.customFields.find(({ customField }) => customField?.id === id)?.value ?? ''
  return customFields.map(({ id, name, type, values }) => {
    if (type === 'SELECT' || type === 'BOOLEAN') {
      const choices = type === 'SELECT' ? (values ?? []) : undefined
      return <ChosenValue key={id} name={name} value={storedValue(id)} choices={choices} onSave={save(id)} />
    }
    return (
      <Editable
        key={id}
        label={name}
        type={type === 'DATE' ? 'date' : type === 'NUMBER' ? 'number' : type === 'URL' ? 'url' : 'text'}
        draftKey={`${contact.id}:${id}`}
        value={storedValue(id)}
        onSave={save(id)}
      />
    )
  })
}
