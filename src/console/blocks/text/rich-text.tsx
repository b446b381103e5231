import { t } from '@lingui/core/macro'
import { Button, Group, Menu, Popover, TextInput, UnstyledButton } from '@mantine/core'
import { RichTextEditor } from '@mantine/tiptap'
import '@mantine/tiptap/styles.css'
import { type Editor, type JSONContent, mergeAttributes, Node } from '@tiptap/core'
import TextAlign from '@tiptap/extension-text-align'
import { NodeViewWrapper, type ReactNodeViewProps, ReactNodeViewRenderer, useEditor } from '@tiptap/react'
import StarterKit from '@tiptap/starter-kit'
import { Braces } from 'lucide-react'
import { memo, useContext, useEffect, useRef } from 'react'
import { once, type RichDocument, type RichNode } from '../model/kinds.ts'
import { LinkControl } from './link-control.tsx'
import { MessageLinks, useFieldLabel, useMergeFields } from './merge-fields.ts'
import { FieldChip } from './rich-view.tsx'

/** A merge field in the text: a chip, whose fallback is changed by a click or with Enter. */
const MergeField = Node.create({
  name: 'mergeField',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({ name: { default: '' }, fallback: { default: null } }),
  parseHTML: () => [
    {
      tag: 'span[data-merge-field]',
      getAttrs: (element) => ({ name: element.dataset['mergeField'], fallback: element.dataset['fallback'] ?? null }),
    },
  ],
  renderHTML: ({ node: { attrs }, HTMLAttributes: _ }) => [
    'span',
    mergeAttributes({
      'data-merge-field': attrs['name'],
      ...(attrs['fallback'] && { 'data-fallback': attrs['fallback'] }),
    }),
    textOf(attrs),
  ],
  renderText: ({ node: { attrs } }) => textOf(attrs),
  addNodeView: () => ReactNodeViewRenderer(Chip, { as: 'span' }),
})

const textOf = ({ name, fallback }: Readonly<Record<string, unknown>>) =>
  fallback ? `{{${String(name)}:${String(fallback)}}}` : `{{${String(name)}}}`

function Chip({ node: { attrs }, updateAttributes, deleteNode, selected }: ReactNodeViewProps) {
  const name = String(attrs['name'])
  const label = useFieldLabel(name)
  return (
    <NodeViewWrapper as="span">
      <Popover position="bottom" withArrow trapFocus>
        <Popover.Target>
          <UnstyledButton component="span" role="button" tabIndex={0} data-selected={selected}>
            <FieldChip name={name} fallback={attrs['fallback']} />
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown>
          <Group gap="xs" align="end">
            <TextInput
              size="xs"
              label={t`If ${label} is empty`}
              placeholder={t`Nothing`}
              value={String(attrs['fallback'] ?? '')}
              onChange={({ currentTarget: { value } }) =>
                updateAttributes({ fallback: value.replace(/[{}]/g, '') || null })
              }
            />
            <Button size="xs" variant="subtle" color="red" onClick={deleteNode}>{t`Remove`}</Button>
          </Group>
        </Popover.Dropdown>
      </Popover>
    </NodeViewWrapper>
  )
}

/** The attributes that documents have. The text editor adds others, such as where lists begin. */
const attributes: Readonly<Record<string, readonly string[]>> = {
  paragraph: ['textAlign'],
  mergeField: ['name', 'fallback'],
  link: ['href'],
}

/** Returns a node as it is stored. */
function stored({ type = '', text, attrs, marks, content }: JSONContent): RichNode {
  const kept = Object.entries(attrs ?? {}).filter(
    ([name, value]) => attributes[type]?.includes(name) && value !== null && value !== undefined,
  )
  return {
    type,
    ...(kept.length > 0 && { attrs: Object.fromEntries(kept) }),
    ...(text !== undefined && { text }),
    ...(marks && { marks: marks.map(stored) }),
    ...(content && { content: content.map(stored) }),
  }
}

/** Links that messages and pages may have. */
const isLink = (url: string) => /^(?:https?:|mailto:|tel:|\{\{|[/#?])/i.test(url)

const lists = { bulletList: false, orderedList: false, listItem: false, listKeymap: false } as const

const extensionsOf = (isLine: boolean) => [
  StarterKit.configure({
    ...{ heading: false, blockquote: false, code: false, codeBlock: false, horizontalRule: false, strike: false },
    // The history of the document takes these changes back too.
    ...{ undoRedo: false, trailingNode: false },
    link: { openOnClick: false, isAllowedUri: isLink, HTMLAttributes: { target: null, rel: null } },
    ...(isLine && lists),
  }),
  MergeField,
  ...(isLine ? [] : [TextAlign.configure({ types: ['paragraph'] })]),
]

const labels = once(() => ({
  boldControlLabel: t`Bold`,
  italicControlLabel: t`Italic`,
  underlineControlLabel: t`Underline`,
  unlinkControlLabel: t`Remove link`,
  bulletListControlLabel: t`Bullet list`,
  orderedListControlLabel: t`Ordered list`,
  alignLeftControlLabel: t`Align text: left`,
  alignCenterControlLabel: t`Align text: center`,
  alignRightControlLabel: t`Align text: right`,
}))

interface RichTextProps {
  readonly label: string
  readonly isLine: boolean
  readonly document: RichDocument
  readonly onChange: (document: RichDocument) => void
  /** Whether writing begins here, because the block was just chosen. */
  readonly isFocused: boolean
}

/** Formatted text where it stands in the document, with a bar of formats above it. */
export const RichText = memo(function RichText({ label, isLine, document, onChange, isFocused }: RichTextProps) {
  const shown = useRef(document)
  /** What was reported and has not come back yet, oldest first. */
  const reported = useRef<RichDocument[]>([])
  const report = useRef(onChange)
  report.current = onChange
  const editor = useEditor({
    extensions: extensionsOf(isLine),
    content: document as JSONContent,
    // The policy of the console allows no styles that scripts add.
    injectCSS: false,
    autofocus: isFocused ? 'end' : false,
    shouldRerenderOnTransaction: false,
    editorProps: {
      attributes: { 'aria-label': label, role: 'textbox', 'aria-multiline': String(!isLine) },
      handleKeyDown: (_view, event) => isLine && event.key === 'Enter' && !event.shiftKey,
    },
    onUpdate: ({ editor: changed }) => {
      shown.current = stored(changed.getJSON()) as RichDocument
      reported.current.push(shown.current)
      report.current(shown.current)
    },
  })
  useEffect(() => {
    // What comes back while more is written is older than what is shown.
    const place = reported.current.indexOf(document)
    if (place >= 0) reported.current.splice(0, place + 1)
    if (place >= 0 || document === shown.current) return
    // What was undone, or came from elsewhere.
    shown.current = document
    reported.current = []
    editor.commands.setContent(document as JSONContent, { emitUpdate: false })
  }, [editor, document])
  return (
    <RichTextEditor
      editor={editor}
      labels={labels()}
      withTypographyStyles={false}
      variant="subtle"
      className="rich-text"
    >
      <RichTextEditor.Toolbar sticky>
        <RichTextEditor.ControlsGroup>
          <RichTextEditor.Bold />
          <RichTextEditor.Italic />
          <RichTextEditor.Underline />
        </RichTextEditor.ControlsGroup>
        <RichTextEditor.ControlsGroup>
          {editor && <LinkControl editor={editor} />}
          <RichTextEditor.Unlink />
        </RichTextEditor.ControlsGroup>
        {!isLine && (
          <>
            <RichTextEditor.ControlsGroup>
              <RichTextEditor.BulletList />
              <RichTextEditor.OrderedList />
            </RichTextEditor.ControlsGroup>
            <RichTextEditor.ControlsGroup>
              <RichTextEditor.AlignLeft />
              <RichTextEditor.AlignCenter />
              <RichTextEditor.AlignRight />
            </RichTextEditor.ControlsGroup>
          </>
        )}
        <FieldMenu editor={editor} />
      </RichTextEditor.Toolbar>
      <RichTextEditor.Content />
    </RichTextEditor>
  )
})

/** Inserts a merge field, or a link of the message. */
function FieldMenu({ editor }: { readonly editor: Editor }) {
  const groups = useMergeFields()
  const links = useContext(MessageLinks)
  return (
    <Menu position="bottom-start" returnFocus={false}>
      <Menu.Target>
        <Button size="compact-xs" variant="subtle" leftSection={<Braces size={13} />}>{t`Insert a field`}</Button>
      </Menu.Target>
      <Menu.Dropdown className="scrolling" mah={320}>
        {groups.map(({ group, fields }) => (
          <div key={group}>
            <Menu.Label>{group}</Menu.Label>
            {fields.map(({ name, label }) => (
              <Menu.Item
                key={name}
                onClick={() =>
                  editor
                    .chain()
                    .focus()
                    .insertContent({ type: 'mergeField', attrs: { name, fallback: null } })
                    .run()
                }
              >
                {label}
              </Menu.Item>
            ))}
          </div>
        ))}
        <Menu.Label>{t`Links`}</Menu.Label>
        {links().map(({ href, label, text }) => (
          <Menu.Item
            key={href}
            onClick={() =>
              editor
                .chain()
                .focus()
                .insertContent({ type: 'text', text, marks: [{ type: 'link', attrs: { href } }] })
                .run()
            }
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
