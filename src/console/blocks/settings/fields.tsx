import { t } from '@lingui/core/macro'
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
import { AddButton } from '../../shared/actions/new-menu.tsx'
import { currencies } from '../../shared/forms/choices.ts'
import type { BlockField } from '../model/kinds.ts'
import { networkNames } from '../model/networks.ts'
import { type Values, valueAt, withValue } from '../model/tree.ts'
import { type ChosenPicture, PictureField } from './picture-field.tsx'
import './settings.css'

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
    <div className="field-grid">
      {fields
        .filter(({ isShown }) => isShown?.(values) ?? true)
        .map((field) => (
          <Field
            key={field.name}
            field={field}
            value={valueAt(values, field.name)}
            error={errors?.[field.name]}
            onChange={(value) => onChange(withValue(values, field.name, value))}
            onPick={({ src, alt }) => onChange({ ...withValue(values, field.name, src), alt })}
          />
        ))}
      {others.map(([name, message]) => (
        <Input.Error key={name} role="alert">
          {name}: {message}
        </Input.Error>
      ))}
    </div>
  )
}

interface FieldProps {
  readonly field: BlockField
  readonly value: unknown
  readonly error: string | undefined
  readonly onChange: (value: unknown) => void
  /** Sets a picture together with its alternative text. */
  readonly onPick: (picture: ChosenPicture) => void
}

function Field({ field, value, error, onChange, onPick }: FieldProps) {
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
          placeholder={t`That of the account`}
          nothingFoundMessage={t`Nothing found`}
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
    case 'picture':
      return <PictureField label={label} error={error} src={text} onPick={onPick} onAddress={setText} />
    case 'networks':
      return (
        <Networks {...{ label, description, error }} items={Array.isArray(value) ? value : []} onChange={onChange} />
      )
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
              aria-label={t`Text of link ${index + 1}`}
              value={item.text ?? ''}
              onChange={({ currentTarget }) => onChange(links.with(index, { ...item, text: currentTarget.value }))}
            />
            <TextInput
              size="xs"
              flex={1}
              aria-label={t`Target of link ${index + 1}`}
              value={item.href ?? ''}
              onChange={({ currentTarget }) => onChange(links.with(index, { ...item, href: currentTarget.value }))}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t`Remove link ${index + 1}`}
              onClick={() => onChange(links.toSpliced(index, 1))}
            >
              <X size={14} />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <AddButton
            variant="subtle"
            onClick={() => onChange([...links, { text: 'Link', href: '#' }])}
          >{t`Add link`}</AddButton>
        </Group>
      </Stack>
    </Input.Wrapper>
  )
}

const networks = Object.entries(networkNames).map(([value, label]) => ({ value, label }))

interface NetworksProps extends Omit<LinesProps, 'onChange'> {
  readonly description: string | undefined
  readonly onChange: (items: readonly unknown[] | undefined) => void
}

/** Links to social networks. Without any, the block has those of the brand. */
function Networks({ label, description, error, items, onChange }: NetworksProps) {
  const links = items.map((item) => Object(item) as { network?: string; href?: string })
  const change = (next: readonly unknown[]) => onChange(next.length > 0 ? next : undefined)
  return (
    <Input.Wrapper size="xs" label={label} labelElement="div" description={description} error={error}>
      <Stack gap={6} mt={4}>
        {links.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: links have no id, and their addresses change while they are typed
          <Group key={index} gap={4} wrap="nowrap">
            <NativeSelect
              size="xs"
              w={110}
              aria-label={t`Network of link ${index + 1}`}
              value={item.network ?? 'WEBSITE'}
              data={networks}
              onChange={({ currentTarget }) => change(links.with(index, { ...item, network: currentTarget.value }))}
            />
            <TextInput
              size="xs"
              flex={1}
              aria-label={t`Address of link ${index + 1}`}
              placeholder="https://"
              value={item.href ?? ''}
              onChange={({ currentTarget }) => change(links.with(index, { ...item, href: currentTarget.value }))}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t`Remove link ${index + 1}`}
              onClick={() => change(links.toSpliced(index, 1))}
            >
              <X size={14} />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <AddButton
            variant="subtle"
            onClick={() => change([...links, { network: 'WEBSITE', href: '' }])}
          >{t`Add link`}</AddButton>
        </Group>
      </Stack>
    </Input.Wrapper>
  )
}
