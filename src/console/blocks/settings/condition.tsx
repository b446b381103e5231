import { plural, t } from '@lingui/core/macro'
import { Alert, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useQuery } from 'urql'
import { type Condition, isComplete, toFilter } from '../../filters/conditions.ts'
import { FilterBuilder } from '../../filters/filter-builder.tsx'
import { fromFilter } from '../../filters/stored-filter.ts'
import { BlockContactsDocument, type BlockContactsQueryVariables } from '../../generated/blocks.documents.ts'
import { Muted } from '../../shared/layout/screen.tsx'

interface ConditionProps {
  readonly filter: unknown
  readonly onChange: (filter: unknown) => void
}

const countAfterMs = 400

/** The filter of conditions. Undefined until one is complete. */
const filterOf = (conditions: readonly Condition[]) => toFilter(undefined, conditions) ?? undefined

/** Who sees a block or a section: all readers, or the contacts that match conditions, with their number. */
export function ShownTo({ filter, onChange }: ConditionProps) {
  const [conditions, setConditions] = useState(() => fromFilter(filter))
  const [isLimited, setLimited] = useState(filter !== undefined)
  return (
    <Stack gap={6}>
      <Group gap="xs">
        <Text size="xs" fw={500}>{t`Shown to`}</Text>
        <SegmentedControl
          size="xs"
          aria-label={t`Shown to`}
          value={isLimited ? 'some' : 'all'}
          data={[
            { value: 'all', label: t`All readers` },
            { value: 'some', label: t`Some contacts` },
          ]}
          onChange={(value) => {
            setLimited(value === 'some')
            onChange(value === 'some' ? filterOf(conditions ?? []) : undefined)
          }}
        />
        {isLimited && filter !== undefined && <Count filter={filter} />}
      </Group>
      {isLimited &&
        (conditions ? (
          <FilterBuilder
            conditions={conditions}
            onChange={(next) => {
              setConditions(next)
              // What is stored stays while a condition is written: without it, others would see the block.
              if (next.every(isComplete)) onChange(filterOf(next))
            }}
          />
        ) : (
          <Alert color="gray" title={t`This condition was written through the API`}>
            <Text size="xs" ff="monospace" className="activity-text">
              {JSON.stringify(filter)}
            </Text>
          </Alert>
        ))}
      {isLimited && filter === undefined && <Muted>{t`All readers see it until a condition is complete.`}</Muted>}
    </Stack>
  )
}

function Count({ filter }: { readonly filter: unknown }) {
  const [settled] = useDebouncedValue(filter, countAfterMs)
  const [{ data, fetching }] = useQuery({
    query: BlockContactsDocument,
    variables: { filter: settled as BlockContactsQueryVariables['filter'] },
  })
  const count = data?.contacts?.totalCount
  return (
    <Muted role="status">
      {count === undefined || fetching
        ? t`Counting…`
        : plural(count, { one: '# contact of the account', other: '# contacts of the account' })}
    </Muted>
  )
}
