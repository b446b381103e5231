import {
  ActionIcon,
  ColorInput,
  Group,
  Input,
  NativeSelect,
  Select,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core'
import { X } from 'lucide-react'
import { AddButton } from '../shared/actions/new-menu.tsx'
import { currencies } from '../shared/forms/choices.ts'
import { type BlockField, valueAt, withValue } from './block-kinds.ts'
import type { Values } from './page-tree.ts'

interface FieldsProps {
  readonly fields: readonly BlockField[]
  readonly values: Values
  readonly errors: Readonly<Record<string, string>> | undefined
  readonly onChange: (values: Values) => void
}

/** The fields of a block, a section or the page. Each change is shown in the preview. */
export function BlockFields({ fields, values, errors, onChange }: FieldsProps) {
  const known = new Set(fields.map(({ name }) => name))
  const others = Object.entries(errors ?? {}).filter(([name]) => !known.has(name))
  return (
    <Stack gap="xs">
      {fields
        .filter(({ isShown }) => isShown?.(values) ?? true)
        .map((field) => (
          <Field
            key={field.name}
            field={field}
            value={valueAt(values, field.name)}
            error={errors?.[field.name]}
            onChange={(value) => onChange(withValue(values, field.name, value))}
          />
        ))}
      {others.map(([name, message]) => (
        <Input.Error key={name} role="alert">
          {name}: {message}
        </Input.Error>
      ))}
    </Stack>
  )
}

interface FieldProps {
  readonly field: BlockField
  readonly value: unknown
  readonly error: string | undefined
  readonly onChange: (value: unknown) => void
}

function Field({ field, value, error, onChange }: FieldProps) {
  const { label, description, isRequired, choices = [] } = field
  const shared = { size: 'xs', label, description, error } as const
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  const setText = (next: string) => onChange(next === '' && !isRequired ? undefined : next)
  switch (field.kind) {
    case 'area':
      return (
        <Textarea
          {...shared}
          autosize
          minRows={2}
          maxRows={14}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )
    case 'number':
      return (
        <TextInput
          {...shared}
          type="number"
          min={0}
          value={text}
          onChange={({ currentTarget: { value: next } }) => onChange(next === '' ? undefined : Number(next))}
        />
      )
    case 'choice':
      return (
        <NativeSelect
          {...shared}
          value={String(value ?? choices[0]?.[0] ?? '')}
          data={choices.map(([each, name]) => ({ value: String(each ?? ''), label: name }))}
          onChange={({ currentTarget }) =>
            onChange(choices.find(([each]) => String(each ?? '') === currentTarget.value)?.[0])
          }
        />
      )
    case 'currency':
      return (
        <Select
          {...shared}
          searchable
          clearable
          placeholder="That of the account"
          nothingFoundMessage="Nothing found"
          value={text || null}
          data={currencies(text)}
          onChange={(next) => onChange(next ?? undefined)}
        />
      )
    case 'switch':
      return (
        <Switch
          size="xs"
          label={label}
          error={error}
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked || undefined)}
        />
      )
    case 'color':
      return <ColorInput {...shared} value={text} withEyeDropper={false} onChange={setText} />
    case 'lines':
      return <Lines {...shared} items={Array.isArray(value) ? value : []} onChange={onChange} />
    case 'links':
      return <Links label={label} error={error} items={Array.isArray(value) ? value : []} onChange={onChange} />
    default:
      return <TextInput {...shared} value={text} onChange={({ currentTarget }) => setText(currentTarget.value)} />
  }
}

interface LinesProps {
  readonly label: string
  readonly error: string | undefined
  readonly items: readonly unknown[]
  readonly onChange: (items: readonly unknown[]) => void
}

/** Entries of a list as lines. An entry with a link keeps it while its text is the same. */
function Lines({ items, onChange, ...input }: LinesProps) {
  const textOf = (item: unknown) => String(Object(item).text ?? item)
  return (
    <Textarea
      {...input}
      size="xs"
      autosize
      minRows={2}
      maxRows={14}
      value={items.map(textOf).join('\n')}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value.split('\n').map((text) => items.find((item) => textOf(item) === text) ?? text))
      }
    />
  )
}

function Links({ label, error, items, onChange }: LinesProps) {
  const links = items.map((item) => Object(item) as { text?: string; href?: string })
  return (
    <Input.Wrapper size="xs" label={label} labelElement="div" error={error}>
      <Stack gap={6} mt={4}>
        {links.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: links have no id, and their texts change while they are typed
          <Group key={index} gap={4} wrap="nowrap">
            <TextInput
              size="xs"
              flex={1}
              aria-label={`Text of link ${index + 1}`}
              value={item.text ?? ''}
              onChange={({ currentTarget }) => onChange(links.with(index, { ...item, text: currentTarget.value }))}
            />
            <TextInput
              size="xs"
              flex={1}
              aria-label={`Target of link ${index + 1}`}
              value={item.href ?? ''}
              onChange={({ currentTarget }) => onChange(links.with(index, { ...item, href: currentTarget.value }))}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove link ${index + 1}`}
              onClick={() => onChange(links.toSpliced(index, 1))}
            >
              <X size={14} />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <AddButton variant="subtle" onClick={() => onChange([...links, { text: 'Link', href: '#' }])}>
            Add link
          </AddButton>
        </Group>
      </Stack>
    </Input.Wrapper>
  )
}
