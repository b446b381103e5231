import { ActionIcon, Button, Group, MultiSelect, Select, Stack, TextInput } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import {
  type Condition,
  type FilterChoices,
  type FilterField,
  filterFields,
  type Operator,
  operatorLabels,
} from './conditions.ts'

interface FilterBuilderProps {
  readonly conditions: readonly Condition[]
  readonly choices: FilterChoices
  readonly onChange: (conditions: readonly Condition[]) => void
}

/** Edits conditions. All of them must hold. */
export function FilterBuilder({ conditions, choices, onChange }: FilterBuilderProps) {
  const fields = filterFields(choices)
  const replace = (index: number, next: Condition) =>
    onChange(conditions.map((each, at) => (at === index ? next : each)))
  return (
    <Stack gap="xs">
      {conditions.map((condition, index) => (
        <ConditionRow
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no identity besides their position
          key={index}
          position={index + 1}
          condition={condition}
          fields={fields}
          onChange={(next) => replace(index, next)}
          onRemove={() => onChange(conditions.filter((_, at) => at !== index))}
        />
      ))}
      <Button
        variant="subtle"
        leftSection={<Plus size={14} />}
        onClick={() => onChange([...conditions, { field: 'email', op: 'contains', value: '' }])}
        style={{ alignSelf: 'start' }}
      >
        Add condition
      </Button>
    </Stack>
  )
}

interface RowProps {
  readonly position: number
  readonly condition: Condition
  readonly fields: readonly FilterField[]
  readonly onChange: (condition: Condition) => void
  readonly onRemove: () => void
}

function ConditionRow({ position, condition, fields, onChange, onRemove }: RowProps) {
  const field = fields.find(({ name }) => name === condition.field)
  const operators = field?.operators ?? []
  const choose = (name: string) => {
    const op = fields.find((each) => each.name === name)?.operators[0] ?? 'eq'
    onChange({ field: name, op, value: isList(op) ? [] : '' })
  }
  return (
    <Group gap="xs" wrap="wrap" role="group" aria-label={`Condition ${position}`}>
      <Select
        size="xs"
        w={150}
        aria-label="Field"
        searchable
        allowDeselect={false}
        value={condition.field}
        onChange={(name) => name && choose(name)}
        data={fields.map(({ name, label }) => ({ value: name, label }))}
      />
      <Select
        size="xs"
        w={120}
        aria-label="Comparison"
        allowDeselect={false}
        value={condition.op}
        onChange={(op) => op && onChange({ ...condition, op: op as Operator })}
        data={operators.map((op) => ({ value: op, label: operatorLabels[op] }))}
      />
      <ValueInput condition={condition} field={field} onChange={onChange} />
      <ActionIcon variant="subtle" color="gray" aria-label={`Remove condition ${position}`} onClick={onRemove}>
        <X size={15} />
      </ActionIcon>
    </Group>
  )
}

const isList = (op: Operator) => op === 'any' || op === 'all' || op === 'none'

function ValueInput({
  condition,
  field,
  onChange,
}: Pick<RowProps, 'condition' | 'onChange'> & { field: FilterField | undefined }) {
  const { op, value } = condition
  if (op === 'isSet' || op === 'isNotSet') return null
  if (isList(op)) {
    return (
      <MultiSelect
        size="xs"
        flex={1}
        miw={160}
        aria-label="Values"
        searchable
        hidePickedOptions
        value={[...value]}
        onChange={(next) => onChange({ ...condition, value: next })}
        data={[...(field?.choices ?? [])]}
      />
    )
  }
  const one = typeof value === 'string' ? value : ''
  if (field?.choices) {
    return (
      <Select
        size="xs"
        flex={1}
        miw={160}
        aria-label="Value"
        value={one || null}
        onChange={(next) => onChange({ ...condition, value: next ?? '' })}
        data={[...field.choices]}
      />
    )
  }
  return (
    <TextInput
      size="xs"
      flex={1}
      miw={160}
      aria-label="Value"
      defaultValue={one}
      onBlur={({ currentTarget }) => onChange({ ...condition, value: currentTarget.value })}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && onChange({ ...condition, value: currentTarget.value })}
    />
  )
}
