import { t } from '@lingui/core/macro'
import { Combobox, ScrollArea, useCombobox } from '@mantine/core'
import { type ReactElement, useEffect, useState } from 'react'
import { copiedBlock } from '../model/clipboard.ts'
import { type Block, newBlock, newSection } from '../model/tree.ts'
import { useEditing, useParts } from './editor.ts'

interface InsertMenuProps {
  /** The button that opens the menu. */
  readonly button: (open: () => void) => ReactElement
  readonly onInsert: (block: Block) => void
  /** Whether sections can be inserted here. */
  readonly hasSections?: boolean
}

interface Entry {
  readonly value: string
  readonly label: string
  /** Other words by which it is found. */
  readonly words?: string | undefined
  readonly make: () => Block
}

/** A menu of what can be inserted, found by typing a part of its name. */
export function InsertMenu({ button, onInsert, hasSections = false }: InsertMenuProps) {
  const { model } = useEditing()
  const { reusableBlocks } = useParts()
  const [search, setSearch] = useState('')
  const combobox = useCombobox({
    onDropdownClose: () => {
      combobox.resetSelectedOption()
      setSearch('')
    },
    onDropdownOpen: () => combobox.focusSearchInput(),
  })
  const copied = combobox.dropdownOpened ? copiedBlock() : undefined
  const isPasted = copied && (copied.type === 'section' ? hasSections : copied.type in model.kinds)
  const groups: { readonly label: string; readonly entries: readonly Entry[] }[] = [
    {
      label: t`Blocks`,
      entries: Object.entries(model.kinds)
        .filter(([type]) => type !== 'reusable')
        .map(([type, { label, words, initial }]) => ({
          ...{ value: type, label, words },
          make: () => newBlock(type, initial),
        })),
    },
    {
      label: t`Sections`,
      entries: hasSections
        ? [1, 2, 3, 4].map((count) => ({
            value: `section ${count}`,
            label: count === 1 ? t`Section` : t`Section with ${count} columns`,
            words: t`row layout`,
            make: () => newSection(Array.from({ length: count }, () => [])),
          }))
        : [],
    },
    {
      label: t`Reusable blocks`,
      entries:
        'reusable' in model.kinds
          ? reusableBlocks.map(({ id, name }) => ({
              value: id,
              label: name,
              make: () => newBlock('reusable', { reusableBlockId: id }),
            }))
          : [],
    },
    {
      label: t`Copied`,
      entries: isPasted ? [{ value: 'paste', label: t`Paste the copied block`, make: () => copied }] : [],
    },
  ]
  // The text of a block can have the focus while the menu is open.
  const { dropdownOpened, closeDropdown } = combobox
  useEffect(() => {
    if (!dropdownOpened) return
    const close = ({ key }: KeyboardEvent) => key === 'Escape' && closeDropdown()
    window.addEventListener('keydown', close)
    return () => window.removeEventListener('keydown', close)
  }, [dropdownOpened, closeDropdown])
  const term = search.trim().toLowerCase()
  // Enter adds the first of those that were found.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the options change with the term
  useEffect(() => {
    if (term === '') combobox.resetSelectedOption()
    else combobox.selectFirstOption()
  }, [term])
  const shown = groups
    .map(({ label, entries }) => ({
      label,
      entries: entries.filter((each) => `${each.label} ${each.words ?? ''}`.toLowerCase().includes(term)),
    }))
    .filter(({ entries }) => entries.length > 0)
  return (
    <Combobox
      store={combobox}
      width={260}
      position="bottom-start"
      withinPortal
      keepMounted={false}
      onOptionSubmit={(value) => {
        const entry = groups.flatMap(({ entries }) => entries).find((each) => each.value === value)
        combobox.closeDropdown()
        if (entry) onInsert(entry.make())
      }}
    >
      <Combobox.Target withAriaAttributes={false}>{button(() => combobox.toggleDropdown())}</Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          aria-label={t`Search blocks`}
          placeholder={t`Search blocks`}
          value={search}
          onKeyDown={({ key }) => key === 'Escape' && combobox.focusTarget()}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <Combobox.Options>
          <ScrollArea.Autosize mah={300} type="auto">
            {shown.length === 0 && <Combobox.Empty>{t`Nothing found`}</Combobox.Empty>}
            {shown.map(({ label, entries }) => (
              <Combobox.Group key={label} label={label}>
                {entries.map((each) => (
                  <Combobox.Option key={each.value} value={each.value}>
                    {each.label}
                  </Combobox.Option>
                ))}
              </Combobox.Group>
            ))}
          </ScrollArea.Autosize>
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
