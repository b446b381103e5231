import { Badge, Group } from '@mantine/core'
import type { ContactListRowFragment } from '../generated/contacts.documents.ts'
import { contactTexts } from '../generated/text-fields.documents.ts'
import { type Format, personName } from '../shared/format.ts'
import { PersonLink } from '../shared/layout/links.tsx'
import { Muted } from '../shared/layout/screen.tsx'
import { Consent } from '../shared/layout/status.tsx'
import { type Column, left, right } from '../shared/tables/data-table.tsx'

/** Columns that are shown until others are chosen. */
export const defaultColumns = ['Company', 'Place', 'Tags', 'E-mail', 'Added'] as const

const shownTags = 3

/** Texts that the columns of names and places do not show. */
const otherTexts = contactTexts.filter(
  ({ name }) => !['email', 'firstName', 'lastName', 'city', 'country'].includes(name),
)

/** Returns the columns of the list of contacts. The first one cannot be hidden. */
export function contactColumns(format: Format): Column<ContactListRowFragment>[] {
  return [
    left('Contact', (contact) => (
      <>
        <PersonLink contact={contact} size="sm" />
        {personName(contact) !== contact.email && <Muted>{contact.email}</Muted>}
      </>
    )),
    ...otherTexts.map(({ name, label }) => left<ContactListRowFragment>(label, (contact) => contact[name], 'lg')),
    left('Place', ({ city, country }) => [city, country].filter(Boolean).join(', '), 'md'),
    left(
      'Tags',
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
    left('E-mail', ({ emailMarketing }) => <Consent isGiven={emailMarketing} />, 'xs'),
    right('Added', ({ createdAt }) => format.date(createdAt), 'md'),
    right('Changed', ({ updatedAt }) => format.dateTime(updatedAt), 'md'),
  ]
}
