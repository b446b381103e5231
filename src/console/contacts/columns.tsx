import { t } from '@lingui/core/macro'
import { Badge, Group } from '@mantine/core'
import type { ContactListRowFragment } from '../generated/contacts.documents.ts'
import { contactTexts } from '../generated/text-fields.documents.ts'
import { type Format, personName } from '../shared/format.ts'
import { PersonLink } from '../shared/layout/links.tsx'
import { Muted } from '../shared/layout/screen.tsx'
import { Consent } from '../shared/layout/status.tsx'
import { type Column, left, right } from '../shared/tables/data-table.tsx'

/** Columns that are shown until others are chosen. */
export const defaultColumns = ['companyName', 'place', 'tags', 'email', 'added'] as const

const shownTags = 3

/** Texts that the columns of names and places do not show. */
const otherTexts = contactTexts.filter(
  ({ name }) => !['email', 'firstName', 'lastName', 'city', 'country'].includes(name),
)

/** Returns the columns of the list of contacts by their keys. The first one, `name`, cannot be hidden. */
export function contactColumns(format: Format): Column<ContactListRowFragment>[] {
  const columns: Readonly<Record<string, Column<ContactListRowFragment>>> = {
    name: left(t`Contact`, (contact) => (
      <>
        <PersonLink contact={contact} size="sm" />
        {personName(contact) !== contact.email && <Muted>{contact.email}</Muted>}
      </>
    )),
    ...Object.fromEntries(otherTexts.map(({ name, label }) => [name, left(label, (contact) => contact[name], 'lg')])),
    place: left(
      t({ message: 'Place', context: 'of a contact' }),
      ({ city, country }) => [city, country].filter(Boolean).join(', '),
      'md',
    ),
    tags: left(
      t`Tags`,
      ({ tags }) => (
        <Group gap={4}>
          {tags.slice(0, shownTags).map(({ id, name }) => (
            <Badge key={id} color="gray">
              {name}
            </Badge>
          ))}
          {tags.length > shownTags && <Muted>+{tags.length - shownTags}</Muted>}
        </Group>
      ),
      'sm',
    ),
    email: left(t`E-mail`, ({ emailMarketing }) => <Consent isGiven={emailMarketing} />, 'xs'),
    added: right(t`Added`, ({ createdAt }) => format.date(createdAt), 'md'),
    changed: right(t`Changed`, ({ updatedAt }) => format.dateTime(updatedAt), 'md'),
  }
  return Object.entries(columns).map(([key, column]) => ({ ...column, key }))
}
