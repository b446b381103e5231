import { Badge, Group, Text } from '@mantine/core'
import type { ContactListRowFragment } from '../generated/contacts.documents.ts'
import type { Column } from '../shared/data-table.tsx'
import { type Format, personName } from '../shared/format.ts'
import { PersonLink } from '../shared/links.tsx'
import { Consent } from '../shared/status.tsx'

/** Columns that are shown until others are chosen. */
export const defaultColumns = ['company', 'place', 'tags', 'mail', 'created'] as const

const shownTags = 3

/** Returns the columns of the list of contacts. The first one cannot be hidden. */
export function contactColumns(format: Format): Column<ContactListRowFragment>[] {
  return [
    {
      key: 'name',
      title: 'Contact',
      render: (contact) => (
        <>
          <PersonLink contact={contact} size="sm" />
          {personName(contact) !== contact.email && (
            <Text size="xs" className="muted">
              {contact.email}
            </Text>
          )}
        </>
      ),
    },
    { key: 'company', title: 'Company', from: 'lg', render: ({ companyName }) => companyName },
    {
      key: 'place',
      title: 'Place',
      from: 'md',
      render: ({ city, country }) => [city, country].filter(Boolean).join(', '),
    },
    { key: 'phone', title: 'Phone', from: 'md', render: ({ phone }) => phone },
    {
      key: 'tags',
      title: 'Tags',
      from: 'sm',
      render: ({ tags }) => (
        <Group gap={4}>
          {tags.slice(0, shownTags).map(({ id, name }) => (
            <Badge key={id} color="gray">
              {name}
            </Badge>
          ))}
          {tags.length > shownTags && (
            <Text size="xs" className="muted">
              +{tags.length - shownTags}
            </Text>
          )}
        </Group>
      ),
    },
    {
      key: 'mail',
      title: 'E-mail',
      from: 'xs',
      render: ({ emailMarketing }) => <Consent isGiven={emailMarketing} />,
    },
    { key: 'created', title: 'Added', from: 'md', align: 'right', render: ({ createdAt }) => format.date(createdAt) },
    {
      key: 'updated',
      title: 'Changed',
      from: 'md',
      align: 'right',
      render: ({ updatedAt }) => format.dateTime(updatedAt),
    },
  ]
}
