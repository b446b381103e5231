import { t } from '@lingui/core/macro'
import { Button, Checkbox, Group, Indicator, Menu, Paper, Select, Stack, TextInput } from '@mantine/core'
import { useDebouncedCallback, useDisclosure, useLocalStorage } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { Columns3, Download, Filter, Plus, Search, Upload } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useClient } from 'urql'
import { type ContactFilter, toFilter } from '../filters/conditions.ts'
import { FilterBuilder } from '../filters/filter-builder.tsx'
import {
  type ContactListRowFragment,
  ContactsDocument,
  ContactsExportDocument,
  type ContactsQuery,
} from '../generated/contacts.documents.ts'
import { useLive, useScreen } from '../graph/use-screen.ts'
import { notify } from '../shared/actions/notify.tsx'
import { useFormat } from '../shared/format.ts'
import { RouterButton } from '../shared/layout/links.tsx'
import { ActionButton, Permitted, useRefusal } from '../shared/layout/permission.tsx'
import { Screen } from '../shared/layout/screen.tsx'
import { DataTable, Pager } from '../shared/tables/data-table.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { contactColumns, defaultColumns } from './columns.tsx'
import { type ContactsSearch, orders } from './contacts-search.ts'
import { NewContact } from './new-contact.tsx'
import { SaveSegment } from './save-segment.tsx'

const route = getRouteApi('/contacts')
const liveTypes = [
  'CONTACT_CREATED',
  'CONTACT_UPDATED',
  'CONTACT_DELETED',
  'CONTACT_TAG_ADDED',
  'CONTACT_TAG_REMOVED',
] as const

/** The list of contacts: search, conditions, columns, selection. The address contains what is shown. */
export function ContactsScreen() {
  const search = route.useSearch()
  const [isNew, dialog] = useDisclosure()
  const refusal = useRefusal('CONTACTS_WRITE')
  const filter = useMemo(() => toFilter(search.q, search.where ?? []), [search.q, search.where])
  const orderBy = search.sort && search.direction ? { field: search.sort, direction: search.direction } : null
  const result = useScreen(ContactsDocument, { filter, orderBy, after: search.after ?? null })
  useLive(result.data?.eventCursor, { types: [...liveTypes] }, result.reload, { isMerged: !filter && !orderBy })
  const client = useClient()
  const download = async () => {
    const { data } = await client.query(
      ContactsExportDocument,
      { filter: filter ?? {} },
      { requestPolicy: 'network-only' },
    )
    if (data?.exportLink) location.assign(data.exportLink.url)
    else notify(t`The export could not be started.`, 'red')
  }
  return (
    <Screen
      title={t`Contacts`}
      result={result}
      actions={
        <>
          {refusal === undefined && (
            <RouterButton
              to="/contacts/import"
              variant="default"
              leftSection={<Upload size={14} />}
            >{t`Import`}</RouterButton>
          )}
          <Button variant="default" leftSection={<Download size={14} />} onClick={download}>{t`Export`}</Button>
          <ActionButton
            refusal={refusal}
            leftSection={<Plus size={14} />}
            onClick={dialog.open}
          >{t`New contact`}</ActionButton>
          <NewContact isOpen={isNew} onClose={dialog.close} />
        </>
      }
    >
      {(data) => <Content data={data} search={search} filter={filter} />}
    </Screen>
  )
}

function Content({
  data,
  search,
  filter,
}: {
  data: ContactsQuery
  search: ContactsSearch
  filter: ContactFilter | null
}) {
  const format = useFormat()
  const navigate = route.useNavigate()
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const [shown, setShown] = useLocalStorage<string[]>({ key: 'contacts:columns', defaultValue: [...defaultColumns] })
  const columns = useMemo(
    () => contactColumns(format).filter(({ key }) => key === 'name' || shown.includes(key)),
    [format, shown],
  )
  const change = (next: Partial<ContactsSearch>) => {
    setSelection(new Set())
    return navigate({ search: ({ after: _, ...rest }) => ({ ...rest, ...next }), replace: true })
  }
  const { contacts } = data
  const total = contacts?.totalCount ?? 0
  return (
    <Paper>
      <Toolbar search={search} filter={filter} shown={shown} onShown={setShown} onChange={change} />
      {selection.size > 0 && (
        <Permitted scope="CONTACTS_WRITE">
          <BulkBar selection={selection} total={total} filter={filter} onDone={() => setSelection(new Set())} />
        </Permitted>
      )}
      <DataTable<ContactListRowFragment>
        label={t`Contacts`}
        rows={contacts?.nodes}
        columns={columns}
        empty={filter ? t`No contact matches.` : t`There are no contacts yet.`}
        selection={selection}
        onSelect={setSelection}
        nameOf={({ email }) => email}
      />
      <Pager page={contacts} />
    </Paper>
  )
}

interface ToolbarProps {
  readonly search: ContactsSearch
  readonly filter: ContactFilter | null
  readonly shown: string[]
  readonly onShown: (columns: string[]) => void
  readonly onChange: (search: Partial<ContactsSearch>) => void
}

function Toolbar({ search, filter, shown, onShown, onChange }: ToolbarProps) {
  const format = useFormat()
  const conditions = search.where ?? []
  const [isOpen, { toggle }] = useDisclosure(conditions.length > 0)
  const searchFor = useDebouncedCallback((q: string) => onChange({ q: q.trim() || undefined }), 300)
  return (
    <Stack gap="xs" p="sm">
      <Group gap="xs">
        <TextInput
          key={search.q === undefined ? 'empty' : 'search'}
          size="xs"
          flex={1}
          miw={180}
          type="search"
          aria-label={t`Search contacts`}
          placeholder={t`Name, e-mail, company…`}
          leftSection={<Search size={14} />}
          defaultValue={search.q ?? ''}
          autoFocus={search.q !== undefined}
          onChange={({ currentTarget }) => searchFor(currentTarget.value)}
        />
        <Indicator disabled={conditions.length === 0} label={conditions.length} size={16}>
          <Button
            variant="default"
            leftSection={<Filter size={14} />}
            onClick={toggle}
            aria-expanded={isOpen}
          >{t`Conditions`}</Button>
        </Indicator>
        <Select
          size="xs"
          w={160}
          aria-label={t({ message: 'Order', context: 'of a list' })}
          placeholder={search.q ? t`Best match` : t`Newest first`}
          value={search.sort ? `${search.sort} ${search.direction}` : null}
          onChange={(value) => {
            const [sort, direction] = (value ?? '').split(' ') as [ContactsSearch['sort'], ContactsSearch['direction']]
            onChange(value ? { sort, direction } : { sort: undefined, direction: undefined })
          }}
          data={[...orders()]}
          clearable
        />
        <Menu closeOnItemClick={false} position="bottom-end">
          <Menu.Target>
            <Button variant="default" leftSection={<Columns3 size={14} />}>{t`Columns`}</Button>
          </Menu.Target>
          <Menu.Dropdown p="sm">
            <Checkbox.Group value={shown} onChange={onShown} label={t`Columns`}>
              <Stack gap={6} mt="xs">
                {contactColumns(format)
                  .filter(({ key }) => key !== 'name')
                  .map(({ key, title }) => (
                    <Checkbox key={key} size="xs" value={key} label={title} />
                  ))}
              </Stack>
            </Checkbox.Group>
          </Menu.Dropdown>
        </Menu>
      </Group>
      {isOpen && (
        <Group align="end" justify="space-between" gap="xs">
          <FilterBuilder
            conditions={conditions}
            onChange={(where) => onChange({ where: where.length > 0 ? where : undefined })}
          />
          {filter && (
            <Permitted scope="CONTACTS_WRITE" isSilent>
              <SaveSegment filter={filter} />
            </Permitted>
          )}
        </Group>
      )}
    </Stack>
  )
}
