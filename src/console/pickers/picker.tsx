import { t } from '@lingui/core/macro'
import { MultiSelect, type MultiSelectProps, Select, type SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useQuery } from 'urql'
import { TagCreateDocument } from '../generated/pickers.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { report } from '../shared/actions/report.ts'
import { type Choice, choicesIn, documents, type PickKind, pageOf } from './picks.ts'

const searchAfterMs = 250

interface Picks {
  readonly kind: PickKind
  /** What is chosen. */
  readonly values: readonly string[]
  /** Objects whose names need not be read. */
  readonly known: readonly Choice[]
  /** The text of the closed list, which is no search. */
  readonly label?: string | undefined
  /** Whether a name that no object has can be chosen, which creates a tag. */
  readonly mayCreate?: boolean | undefined
}

/** Begins the value of a tag that is created when it is chosen. The rest is its name. */
const newTag = 'new:'

/**
 * Returns the properties of a list that contains the objects whose names match what is typed. The server searches, so that
 * there can be any number of them. Nothing is read until the list opens, except names that are neither known nor cached.
 */
export function usePicks({ kind, values, known, label, mayCreate }: Picks) {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [term] = useDebouncedValue(text.trim(), searchAfterMs)
  const query = documents[kind] as typeof documents.tags
  const search = isOpen && term !== '' && term !== label ? term : null
  const hasNames = (picks: readonly Choice[]) => values.every((value) => picks.some((each) => pickId(each) === value))
  const [{ data, fetching }] = useQuery({
    query,
    variables: { search, ids: null },
    requestPolicy: isOpen ? 'cache-and-network' : 'cache-first',
    pause: !isOpen && hasNames(known),
  })
  const page = pageOf(data?.list, search)
  const found = choicesIn(page?.nodes)
  const [{ data: named }] = useQuery({
    query,
    variables: { search: null, ids: [...values] },
    pause: fetching || hasNames([...known, ...found]),
  })
  // The names of parts are known if those of their objects are among the first.
  const unnamed = values.map((value) => ({ databaseId: Number(value), name: `#${value}` }))
  const picks = [...unnamed, ...known, ...choicesIn(pageOf(named?.list, null)?.nodes), ...found]
  const options = [...new Map(picks.map((each) => [pickId(each), each.name]))].map(([value, name]) => ({
    value,
    label: name,
  }))
  if (page?.pageInfo.hasNextPage) options.push(more())
  const listed = new Set([...found.map(pickId), more().value])
  const isNamed = (name: string) => options.some((each) => each.label.toLowerCase() === name.toLowerCase())
  if (mayCreate && search !== null && !fetching && !isNamed(search)) {
    options.push({ value: `${newTag}${search}`, label: t`Create “${search}”` })
    listed.add(`${newTag}${search}`)
  }
  return {
    data: options,
    searchable: true,
    // What is chosen keeps its name, but is listed only if the search finds it.
    filter: ({ options: given }) => given.filter((each) => 'value' in each && listed.has(each.value)),
    onSearchChange: setText,
    onDropdownOpen: () => setOpen(true),
    onDropdownClose: () => setOpen(false),
    nothingFoundMessage: fetching ? t`Searching…` : t`Nothing found`,
  } satisfies Partial<MultiSelectProps>
}

const more = () => ({ value: 'more', label: t`Type a part of the name to find others`, disabled: true })

/** The value of an object in a list: its database id, which conditions in an address contain too. */
export const pickId = ({ databaseId }: Choice): string => String(databaseId)

/** Returns a function that returns the value of what was chosen, once it exists. Says why there is none. */
function useChosen() {
  const [create] = useAction(TagCreateDocument)
  return async (value: string): Promise<string | undefined> => {
    if (!value.startsWith(newTag)) return value
    const result = await create({ input: { name: value.slice(newTag.length) } })
    report(result)
    const tag = result.data?.tagCreate?.tag
    return tag ? pickId(tag) : undefined
  }
}

type SearchProp = 'data' | 'value' | 'onChange' | 'searchable' | 'searchValue' | 'onSearchChange' | 'filter'

interface PickOneProps extends Omit<SelectProps, SearchProp> {
  readonly kind: PickKind
  /** What is chosen. Undefined if the list only starts an action. */
  readonly picked?: Choice | null | undefined
  readonly mayCreate?: boolean | undefined
  readonly onPick: (value: string) => void
}

/** Chooses one object of a kind. */
export function PickOne({ kind, picked, mayCreate, onPick, ...input }: PickOneProps) {
  const picks = usePicks({ kind, values: [], known: picked ? [picked] : [], label: picked?.name, mayCreate })
  const chosen = useChosen()
  const pick = async (value: string | null) => {
    const id = value && (await chosen(value))
    if (id) onPick(id)
  }
  return (
    <Select
      size="xs"
      allowDeselect={false}
      {...input}
      {...picks}
      value={picked ? pickId(picked) : null}
      onChange={(value) => void pick(value)}
    />
  )
}

interface PickManyProps extends Omit<MultiSelectProps, SearchProp> {
  readonly kind: PickKind
  readonly values: readonly string[]
  /** Objects whose names are known. */
  readonly known?: readonly Choice[] | undefined
  readonly mayCreate?: boolean | undefined
  readonly onPick: (values: string[]) => void
}

/** Chooses objects of a kind. */
export function PickMany({ kind, values, known = [], mayCreate, onPick, ...input }: PickManyProps) {
  const picks = usePicks({ kind, values, known, mayCreate })
  const chosen = useChosen()
  const pick = async (all: string[]) => {
    const ids = await Promise.all(all.map(chosen))
    onPick(ids.filter((id) => id !== undefined))
  }
  return (
    <MultiSelect
      size="xs"
      hidePickedOptions
      {...input}
      {...picks}
      value={[...values]}
      onChange={(all) => void pick(all)}
    />
  )
}
