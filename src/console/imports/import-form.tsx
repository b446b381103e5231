import { t } from '@lingui/core/macro'
import { Button, FileInput, Group, Select, Stack, Switch, Text } from '@mantine/core'
import { FileUp } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ImportCreateDocument, type ImportsQuery } from '../generated/imports.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { NewField } from '../pickers/new-field.tsx'
import { PickMany } from '../pickers/picker.tsx'
import { ActionError, Section } from '../shared/layout/screen.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'
import { type FileColumn, readFileHead } from './file-head.ts'
import { customTarget, type FoundColumn, fieldLabel, guess, newTarget, targets, toMapping } from './mapping.ts'

interface ImportFormProps {
  readonly customFields: NonNullable<ImportsQuery['customFields']>
  /** The columns of the file as the server read them, if it has. */
  readonly found: readonly FoundColumn[]
  readonly onStarted: (importId: string) => void
  readonly onChosen: () => void
}

/** What can be chosen if the server does not detect it. */
const encodings = () =>
  [
    { value: 'UTF_8', label: t`UTF-8` },
    { value: 'WINDOWS_1252', label: t`Windows-1252 (CSV of Excel)` },
    { value: 'UTF_16LE', label: t`UTF-16 (Unicode text of Excel)` },
    { value: 'UTF_16BE', label: t`UTF-16, big-endian` },
  ] as const
const dateOrders = () =>
  [
    { value: 'DMY', label: t`Day, month, year` },
    { value: 'MDY', label: t`Month, day, year` },
    { value: 'YMD', label: t`Year, month, day` },
  ] as const

type Encoding = ReturnType<typeof encodings>[number]['value']
type DateOrder = ReturnType<typeof dateOrders>[number]['value']

interface MappedColumn extends FileColumn {
  readonly id: string
  readonly target: string
}

/** The file, the mapping of its columns, and the options of an import. */
export function ImportForm({ customFields, found, onStarted, onChosen }: ImportFormProps) {
  const [file, setFile] = useState<File | null>(null)
  const [columns, setColumns] = useState<readonly MappedColumn[]>([])
  const [options, setOptions] = useState({ updateExisting: true, emailMarketing: false })
  const [encoding, setEncoding] = useState<Encoding | null>(null)
  const [dateOrder, setDateOrder] = useState<DateOrder | null>(null)
  const [tagIds, setTagIds] = useState<string[]>([])
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [isUploading, setUploading] = useState(false)
  const [create] = useAction(ImportCreateDocument)

  const choose = async (chosen: File | null, chosenEncoding = encoding) => {
    setFile(chosen)
    onChosen()
    setErrors({})
    const head = chosen ? await readFileHead(chosen, chosenEncoding) : []
    const guessed = guess(
      head.map(({ name }) => name),
      customFields,
    )
    setColumns(head.map((column, index) => ({ ...column, id: String(index), target: guessed[index] ?? '' })))
  }
  const start = async () => {
    if (!file) return setErrors({ csv: t`Choose a file first.` })
    setUploading(true)
    try {
      const input = {
        fileName: file.name,
        mapping: toMapping(columns),
        encoding,
        dateOrder,
        addTagIds: tagIds,
        review: true,
        ...options,
      }
      const result = await create({ input })
      if (result.error !== undefined) return setErrors({ ...result.fields, all: result.error })
      const { contactImport, uploadUrl } = result.data.contactImportCreate ?? {}
      if (!contactImport || !uploadUrl) return setErrors({ all: t`The import could not be started.` })
      if (await upload(uploadUrl, file)) onStarted(contactImport.id)
      else setErrors({ all: t`The upload was interrupted. Please try again.` })
    } finally {
      setUploading(false)
    }
  }
  return (
    <Section title={t`File`}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        <Stack gap="sm">
          <ActionError>{errors['csv'] ? undefined : errors['all']}</ActionError>
          <FileInput
            size="sm"
            maw={420}
            label={t`CSV file`}
            description={t`With the names of the columns in the first line. Maximum 256 MB.`}
            placeholder={t`Choose a file`}
            accept=".csv,.txt,text/csv"
            leftSection={<FileUp size={16} />}
            clearable
            clearButtonProps={{ 'aria-label': t`Remove the file` }}
            value={file}
            error={errors['csv']}
            onChange={(chosen) => void choose(chosen)}
          />
          <Group gap="sm" align="flex-start">
            <Select
              size="sm"
              w={220}
              clearable
              label={t`Encoding`}
              placeholder={t`Detected`}
              data={encodings()}
              value={encoding}
              error={errors['encoding']}
              onChange={(chosen) => {
                setEncoding(chosen)
                if (file) void choose(file, chosen)
              }}
            />
            <Select
              size="sm"
              w={190}
              clearable
              label={t`Order of dates`}
              placeholder={t`Detected`}
              data={dateOrders()}
              value={dateOrder}
              error={errors['dateOrder']}
              onChange={setDateOrder}
            />
          </Group>
          {columns.length > 0 && (
            <Mapping
              columns={columns}
              customFields={customFields}
              found={found}
              errors={errors}
              onChange={setColumns}
            />
          )}
          <Switch
            size="sm"
            label={t`Update contacts that already exist`}
            checked={options.updateExisting}
            onChange={({ currentTarget }) => setOptions({ ...options, updateExisting: currentTarget.checked })}
          />
          <Switch
            size="sm"
            label={t`New contacts accept marketing by e-mail`}
            description={t`Only those of whom the file says nothing else. A refusal in the file always applies.`}
            checked={options.emailMarketing}
            onChange={({ currentTarget }) => setOptions({ ...options, emailMarketing: currentTarget.checked })}
          />
          <PickMany
            kind="tags"
            mayCreate
            size="sm"
            maw={420}
            label={t`Tags for all imported contacts`}
            values={tagIds}
            onPick={setTagIds}
          />
          <Group>
            <Button type="submit" loading={isUploading}>{t`Check the file`}</Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

/** Sends the file. Returns whether the server has received it. What is wrong with it is shown by the progress. */
async function upload(url: string, file: File): Promise<boolean> {
  // The server has the same paths on all its hosts, and the policy allows requests to this one only.
  const { pathname } = new URL(url)
  const response = await fetch(pathname, { method: 'PUT', body: file }).catch(() => undefined)
  return response !== undefined && (response.ok || response.status === 422)
}

interface MappingProps {
  readonly columns: readonly MappedColumn[]
  readonly customFields: ImportFormProps['customFields']
  readonly found: ImportFormProps['found']
  readonly errors: Readonly<Record<string, string>>
  readonly onChange: (columns: readonly MappedColumn[]) => void
}

function Mapping({ columns, customFields, found, errors, onChange }: MappingProps) {
  const choices = useMemo(() => targets(customFields), [customFields])
  const [unmapped, setUnmapped] = useState<MappedColumn>()
  const map = (column: MappedColumn, target: string) =>
    onChange(columns.map((each) => (each.id === column.id ? { ...each, target } : each)))
  const choicesOf = ({ position }: MappedColumn) => {
    const own = found.find((each) => each.position === position)
    return own ? targets(customFields, fieldLabel(own)) : choices
  }
  const mapping = (
    <DataTable
      label={t`Columns of the file`}
      rows={columns}
      empty={t`The file has no columns.`}
      columns={({ left }) => [
        left(t`Column`, ({ name }) => name),
        left(
          t`First row`,
          ({ sample }) => (
            <Text size="xs" lineClamp={1} maw={260}>
              {sample}
            </Text>
          ),
          'sm',
        ),
        left(t`Field`, (column) => (
          <Select
            size="xs"
            w={160}
            searchable
            allowDeselect={false}
            aria-label={t`Field of the column ${column.name}`}
            value={column.target}
            data={choicesOf(column)}
            error={errorOf(errors, columns, column)}
            onChange={(target) => (target === newTarget ? setUnmapped(column) : map(column, target as string))}
          />
        )),
      ]}
    />
  )
  return (
    <>
      {mapping}
      <NewField
        name={unmapped?.name}
        onClose={() => setUnmapped(undefined)}
        onCreated={(field) => unmapped && map(unmapped, customTarget(field))}
      />
    </>
  )
}

/** Errors name the position in the mapping, which leaves out the columns that are mapped by name. */
function errorOf(errors: Readonly<Record<string, string>>, columns: readonly MappedColumn[], column: MappedColumn) {
  const [own] = toMapping([column])
  const position = own ? toMapping(columns).findIndex((each) => each.position === column.position) : -1
  const found = Object.entries(errors).find(([name]) => name.split('.').slice(0, 2).join('.') === `mapping.${position}`)
  return found?.[1]
}
