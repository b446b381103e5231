import { Autocomplete, type AutocompleteProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useClient } from 'urql'
import { PickContactsDocument } from '../generated/pickers.documents.ts'
import { personName } from '../shared/format.ts'

/** A contact that was chosen. */
export interface PickedContact {
  readonly id: string
  /** Name and address, which tell apart contacts with the same name. */
  readonly label: string
}

interface PickContactProps extends Omit<AutocompleteProps, 'data' | 'filter' | 'onChange'> {
  /** A contact that cannot be chosen. */
  readonly without?: string
  /** Called with undefined when what was chosen is removed or changed. */
  readonly onPick: (contact: PickedContact | undefined) => void
}

/** Chooses a contact. The server finds it by what is typed. */
export function PickContact({ without, onPick, ...input }: PickContactProps) {
  const client = useClient()
  const [found, setFound] = useState<readonly PickedContact[]>([])
  const search = useDebouncedCallback(async (text: string) => {
    const { data } = await client.query(PickContactsDocument, { search: text })
    const people = data?.contacts?.nodes.filter(({ id }) => id !== without) ?? []
    setFound(people.map((each) => ({ id: each.id, label: `${personName(each)} <${each.email}>` })))
  }, 250)
  return (
    <Autocomplete
      size="xs"
      {...input}
      data={found.map(({ label }) => label)}
      filter={({ options }) => options}
      onChange={(text) => {
        const chosen = found.find(({ label }) => label === text)
        onPick(chosen)
        if (!chosen && text !== '') search(text)
      }}
    />
  )
}
