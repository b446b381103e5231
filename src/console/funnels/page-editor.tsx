import { Alert, Button, Group, List, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Redo2, Undo2 } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useClient } from 'urql'
import { readErrors } from '../../client/errors.ts'
import { StepContentSetDocument, StepPreviewDocument, type StepQuery } from '../generated/funnels.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { AddButton } from '../shared/actions/new-menu.tsx'
import { report } from '../shared/actions/report.ts'
import { useFormat } from '../shared/format.ts'
import { ActionButton, IconAction, Permitted, useRefusal } from '../shared/layout/permission.tsx'
import { Preview } from '../shared/layout/preview.tsx'
import { Columns, Muted, Section } from '../shared/layout/screen.tsx'
import { BlockFields } from './block-fields.tsx'
import { pageFields } from './block-kinds.ts'
import { PageOutline } from './page-outline.tsx'
import { type Faults, faultsOf, fromDocument, newSection, type PageTree, toDocument } from './page-tree.ts'
import { templates } from './templates.ts'

type Step = NonNullable<StepQuery['funnelStep']>

/** Edits the page of a step beside its preview. What is not saved stays in the browser. */
export function PageEditor({ step }: { step: Step }) {
  const { tree, change, undo, redo, isChanged, forget } = usePage(step)
  const preview = usePreview(step, tree, isChanged)
  if (tree.sections.length === 0 && !step.latestVersion && !isChanged) {
    return <Templates onChoose={(next) => change(() => next)} />
  }
  return (
    <Columns first={5}>
      <Permitted scope="FUNNELS_WRITE">
        <Stack gap="md">
          <Section
            title="Page"
            aside={
              <Group gap={4}>
                <IconAction label="Undo" disabled={!undo} icon={<Undo2 size={15} />} onClick={() => undo?.()} />
                <IconAction label="Redo" disabled={!redo} icon={<Redo2 size={15} />} onClick={() => redo?.()} />
                <AddButton
                  onClick={() => change((page) => ({ ...page, sections: [...page.sections, newSection([[]])] }))}
                >
                  Add section
                </AddButton>
              </Group>
            }
          >
            <PageOutline tree={tree} faults={preview.faults} onChange={change} />
          </Section>
          <Section title="Colours and width">
            <BlockFields
              fields={pageFields}
              values={tree.values}
              errors={undefined}
              onChange={(values) => change((page) => ({ ...page, values }))}
            />
          </Section>
        </Stack>
      </Permitted>
      <Section title="Preview" className="sticky wide" aside={<Saving {...{ step, tree, isChanged, forget }} />}>
        {preview.messages.length > 0 && (
          <Alert color="red" py="xs" mb="xs" role="alert" title="The page cannot be saved like this">
            <List size="xs">
              {preview.messages.map((message) => (
                <List.Item key={message}>{message}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        <Preview title="Preview of the page" html={preview.html} />
      </Section>
    </Columns>
  )
}

interface History {
  readonly past: readonly PageTree[]
  readonly now: PageTree
  readonly future: readonly PageTree[]
}

const maxHistory = 50

/** The page that is edited: the draft in this browser, or else the newest version. */
function usePage({ id, latestVersion }: Step) {
  const name = `draft:${id}:page`
  const [{ past, now, future }, setHistory] = useState<History>(() => ({
    past: [],
    now: fromDocument(JSON.parse(localStorage.getItem(name) ?? 'null') ?? latestVersion?.content),
    future: [],
  }))
  const [isChanged, setChanged] = useState(() => localStorage.getItem(name) !== null)
  const show = useCallback(
    (next: History) => {
      setHistory(next)
      setChanged(true)
      localStorage.setItem(name, JSON.stringify(toDocument(next.now)))
    },
    [name],
  )
  const [before] = past.slice(-1)
  const [after] = future
  return {
    tree: now,
    isChanged,
    change: (edit: (tree: PageTree) => PageTree) =>
      show({ past: [...past, now].slice(-maxHistory), now: edit(now), future: [] }),
    undo: before && (() => show({ past: past.slice(0, -1), now: before, future: [now, ...future] })),
    redo: after && (() => show({ past: [...past, now], now: after, future: future.slice(1) })),
    forget: () => {
      setChanged(false)
      localStorage.removeItem(name)
    },
  }
}

const previewAfterMs = 350

interface PagePreview {
  readonly html: string
  readonly messages: readonly string[]
  readonly faults: Faults
}

/** Renders the page on the server after each change. Returns the last HTML that could be rendered, and what is wrong. */
function usePreview({ id, preview }: Step, tree: PageTree, isChanged: boolean): PagePreview {
  const client = useClient()
  const [settled] = useDebouncedValue(tree, previewAfterMs)
  const [html, setHtml] = useState(preview ?? '')
  // The query of the screen contains the preview of what is stored.
  const shown = useRef(isChanged ? undefined : tree)
  const [messages, setMessages] = useState<readonly string[]>([])
  useEffect(() => {
    if (shown.current === settled) return
    let isCurrent = true
    const variables = { id, content: toDocument(settled) }
    void client.query(StepPreviewDocument, variables, { requestPolicy: 'network-only' }).then(({ data, error }) => {
      if (!isCurrent) return
      shown.current = settled
      const errors = readErrors(error)
      const reasons = errors.flatMap(({ fields, message }) =>
        fields.length > 0 ? fields.map((each) => each.message) : message,
      )
      setMessages(reasons)
      if (data?.funnelStep?.preview) setHtml(data.funnelStep.preview)
    })
    return () => {
      isCurrent = false
    }
  }, [client, id, settled])
  return { html, messages, faults: faultsOf(tree, messages) }
}

interface SavingProps {
  readonly step: Step
  readonly tree: PageTree
  readonly isChanged: boolean
  readonly forget: () => void
}

function Saving({ step: { id, latestVersion, publishedVersion }, tree, isChanged, forget }: SavingProps) {
  const format = useFormat()
  const refusal = useRefusal('FUNNELS_WRITE')
  const [setContent, isSaving] = useAction(StepContentSetDocument)
  const save = async (publish: boolean) => {
    const result = await setContent({ input: { id, content: toDocument(tree), publish } })
    if (report(result, publish ? 'The page is public.' : 'The page was saved.')) forget()
  }
  const isPublished = publishedVersion !== null && publishedVersion === latestVersion?.version && !isChanged
  const saved = latestVersion ? `Saved ${format.relative(latestVersion.createdAt)}` : 'Not saved'
  return (
    <Group gap="xs">
      <Muted role="status">{isChanged ? 'Not saved' : isPublished ? 'Published' : saved}</Muted>
      <ActionButton
        variant="default"
        loading={isSaving}
        refusal={refusal ?? (isChanged ? undefined : 'Nothing was changed.')}
        onClick={() => void save(false)}
      >
        Save
      </ActionButton>
      <ActionButton
        loading={isSaving}
        refusal={refusal ?? (isPublished ? 'The page is public as it is.' : undefined)}
        onClick={() => void save(true)}
      >
        Publish
      </ActionButton>
    </Group>
  )
}

function Templates({ onChoose }: { onChoose: (tree: PageTree) => void }) {
  return (
    <Permitted scope="FUNNELS_WRITE">
      <Section title="Begin with a page">
        <Group gap="xs">
          {Object.values(templates).map(({ label, tree }) => (
            <Button key={label} variant="default" onClick={() => onChoose(tree())}>
              {label}
            </Button>
          ))}
        </Group>
      </Section>
    </Permitted>
  )
}
