import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import { ActionIcon, Button, Group, Select, Stack, TextInput, type TextInputProps } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { useQuery } from 'urql'
import { FilterFieldsDocument } from '../generated/pickers.documents.ts'
import { PickMany } from '../pickers/picker.tsx'
import { Muted } from '../shared/layout/screen.tsx'
import {
  type Condition,
  type FilterField,
  filterFields,
  isComplete,
  isOfDay,
  isOfDays,
  isOfNumber,
  type Operator,
  operatorLabels,
} from './conditions.ts'

interface FilterBuilderProps {
  readonly conditions: readonly Condition[]
  readonly onChange: (conditions: readonly Condition[]) => void
  /** Whether the conditions are those of a segment, which cannot refer to other segments. */
  readonly isOfSegment?: boolean
}

/** Edits conditions. All of them must hold. */
export function FilterBuilder({ conditions, onChange, isOfSegment = false }: FilterBuilderProps) {
  const [{ data }] = useQuery({ query: FilterFieldsDocument, requestPolicy: 'cache-first' })
  const fields = filterFields(data?.customFields ?? []).filter(({ kind }) => !isOfSegment || kind !== 'segments')
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
      >{t`Add condition`}</Button>
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
    onChange({ field: name, op, value: emptyOf(op) })
  }
  const compare = (op: Operator) => {
    const isKept = inputOf(op) === inputOf(condition.op)
    onChange({ ...condition, op, value: isKept ? condition.value : emptyOf(op) })
  }
  return (
    <Group gap="xs" wrap="wrap" role="group" aria-label={t`Condition ${position}`}>
      <Select
        size="xs"
        w={190}
        aria-label={t`Field`}
        searchable
        allowDeselect={false}
        value={condition.field}
        onChange={(name) => name && choose(name)}
        data={fields.map(({ name, label }) => ({ value: name, label }))}
      />
      <Select
        size="xs"
        w={120}
        aria-label={t`Comparison`}
        allowDeselect={false}
        value={condition.op}
        onChange={(op) => op && compare(op as Operator)}
        data={operators.map((op) => ({ value: op, label: i18n._(operatorLabels[op]) }))}
      />
      <ValueInput condition={condition} field={field} onChange={onChange} />
      <ActionIcon variant="subtle" color="gray" aria-label={t`Remove condition ${position}`} onClick={onRemove}>
        <X size={15} />
      </ActionIcon>
      {!isComplete(condition) && <Muted role="status">{t`It needs a value, and does not apply until then.`}</Muted>}
    </Group>
  )
}

const isList = (op: Operator) => op === 'any' || op === 'all' || op === 'none'
const isChoice = (op: Operator) => op === 'is' || op === 'oneOf' || op === 'period'

/** The value of an operator before one is chosen. */
const emptyOf = (op: Operator): Condition['value'] => (isList(op) ? [] : op === 'between' ? ['', ''] : '')

/** Operators with the same input keep their value when one replaces the other. */
function inputOf(op: Operator) {
  if (isList(op)) return 'list'
  if (isChoice(op)) return `choice of ${op}`
  if (op === 'between') return 'range'
  if (isOfDay(op)) return 'day'
  return isOfDays(op) || isOfNumber(op) ? 'number' : 'text'
}

function ValueInput({
  condition,
  field,
  onChange,
}: Pick<RowProps, 'condition' | 'onChange'> & { field: FilterField | undefined }) {
  const { op, value } = condition
  if (op === 'isSet' || op === 'isNotSet') return null
  if (isList(op)) {
    return (
      field?.kind && (
        <PickMany
          key={field.name}
          flex={1}
          miw={160}
          aria-label={t`Values`}
          kind={field.kind}
          values={[...value]}
          onPick={(next) => onChange({ ...condition, value: next })}
        />
      )
    )
  }
  const one = typeof value === 'string' ? value : ''
  if (field?.choices && isChoice(op)) {
    return (
      <Select
        size="xs"
        flex={1}
        miw={160}
        aria-label={t`Value`}
        value={one || null}
        onChange={(next) => onChange({ ...condition, value: next ?? '' })}
        data={[...field.choices]}
      />
    )
  }
  if (op === 'between') {
    const [from = '', to = ''] = value
    return (
      <>
        <TypedInput
          type="date"
          label={t`First day`}
          value={from}
          onCommit={(day) => onChange({ ...condition, value: [day, to] })}
        />
        <TypedInput
          type="date"
          label={t`Last day`}
          value={to}
          onCommit={(day) => onChange({ ...condition, value: [from, day] })}
        />
      </>
    )
  }
  const isNumber = isOfDays(op) || isOfNumber(op)
  return (
    <TypedInput
      type={isOfDay(op) ? 'date' : isNumber ? 'number' : 'text'}
      label={t`Value`}
      value={one}
      onCommit={(next) => onChange({ ...condition, value: next })}
    />
  )
}

interface TypedInputProps extends Pick<TextInputProps, 'type'> {
  readonly label: string
  readonly value: string
  readonly onCommit: (value: string) => void
}

/** An input of a text, a number or a day, which is applied when it is left. */
function TypedInput({ type, label, value, onCommit }: TypedInputProps) {
  return (
    <TextInput
      key={type}
      size="xs"
      flex={1}
      miw={130}
      type={type}
      {...(type === 'number' && { step: 'any' })}
      aria-label={label}
      defaultValue={value}
      onBlur={({ currentTarget }) => onCommit(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && onCommit(currentTarget.value)}
    />
  )
}
