import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import { Alert, Button, Group, List } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useClient } from 'urql'
import { readErrors } from '../../client/errors.ts'
import { type Faults, faultsOf } from '../blocks/model/kinds.ts'
import type { Tree } from '../blocks/model/tree.ts'
import { useHistory } from '../blocks/model/use-history.ts'
import type { EditorPartsFragment } from '../generated/blocks.documents.ts'
import { StepContentSetDocument, StepPreviewDocument, type StepQuery } from '../generated/funnels.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { ask } from '../shared/actions/confirm.tsx'
import { report } from '../shared/actions/report.ts'
import { useFormat } from '../shared/format.ts'
import { findDraft, forgetDraft, keepDraft } from '../shared/forms/drafts.ts'
import { ActionButton, Permitted, useRefusal } from '../shared/layout/permission.tsx'
import { Preview } from '../shared/layout/preview.tsx'
import { Columns, Muted, Section } from '../shared/layout/screen.tsx'
import { pageModel } from './page-kinds.ts'
import { templates } from './templates.ts'

type Step = NonNullable<StepQuery['funnelStep']>

const PageBlocks = lazy(() => import('./page-blocks.tsx').then((module) => ({ default: module.PageBlocks })))

interface PageEditorProps {
  readonly step: Step
  readonly parts: EditorPartsFragment
}

/** Edits the page of a step beside its preview. What is not saved stays in the browser. */
export function PageEditor({ step, parts }: PageEditorProps) {
  const { isChanged, isOutdated, forget, ...history } = usePage(step)
  const { tree, change } = history
  const preview = usePreview(step, tree, isChanged)
  if (tree.sections.length === 0 && !step.latestVersion && !isChanged) {
    return <Templates onChoose={(next) => change(() => next)} />
  }
  return (
    <Columns first={8}>
      <Permitted scope="FUNNELS_WRITE">
        <Section title={t`Page`}>
          <Suspense>
            <PageBlocks parts={parts} history={history} faults={preview.faults} />
          </Suspense>
        </Section>
      </Permitted>
      <Section
        title={t`Preview`}
        className="sticky wide"
        aside={<Saving {...{ step, tree, isChanged, isOutdated, forget }} />}
      >
        {preview.messages.length > 0 && (
          <Alert color="red" py="xs" mb="xs" role="alert" title={t`The page cannot be saved like this`}>
            <List size="xs">
              {preview.messages.map((message) => (
                <List.Item key={message}>{message}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        <Preview title={t`Preview of the page`} html={preview.html} />
      </Section>
    </Columns>
  )
}

/** The page that is edited: the draft in this browser, or else the newest version. */
function usePage({ id, latestVersion }: Step) {
  const key = `${id}:page`
  const [found] = useState(() => findDraft(key))
  const history = useHistory(() => pageModel.read(found ? JSON.parse(found.text) : latestVersion?.content))
  const version = String(latestVersion?.version ?? 0)
  // The version that what is shown is based on.
  const base = useRef(found?.base ?? version)
  const { tree } = history
  const [isChanged, setChanged] = useState(found !== undefined)
  const kept = useRef(tree)
  useEffect(() => {
    if (tree === kept.current) return
    kept.current = tree
    setChanged(true)
    keepDraft(key, { text: JSON.stringify(pageModel.write(tree)), base: base.current })
  }, [tree, key])
  const forget = (saved: string) => {
    base.current = saved
    setChanged(false)
    forgetDraft(key, found)
  }
  const { reset } = history
  useEffect(() => {
    if (isChanged || version === base.current) return
    base.current = version
    kept.current = pageModel.read(latestVersion?.content)
    reset(kept.current)
  }, [isChanged, version, latestVersion, reset])
  return { ...history, isChanged, isOutdated: isChanged && version !== base.current, forget }
}

const previewAfterMs = 350

interface PagePreview {
  readonly html: string
  readonly messages: readonly string[]
  readonly faults: Faults
}

/** Renders the page on the server after each change. Returns the last HTML that could be rendered, and what is wrong. */
function usePreview({ id, preview }: Step, tree: Tree, isChanged: boolean): PagePreview {
  const client = useClient()
  const [settled] = useDebouncedValue(tree, previewAfterMs)
  const [html, setHtml] = useState(preview ?? '')
  // The query of the screen contains the preview of what is stored.
  const shown = useRef(isChanged ? undefined : tree)
  const [messages, setMessages] = useState<readonly string[]>([])
  useEffect(() => {
    if (shown.current === settled) return
    let isCurrent = true
    const variables = { id, content: pageModel.write(settled) }
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
  const faults = useMemo(() => faultsOf(tree, pageModel, messages), [tree, messages])
  return { html, messages, faults }
}

interface SavingProps {
  readonly step: Step
  readonly tree: Tree
  readonly isChanged: boolean
  /** Whether another person, or another tab, saved a version since the changes were begun. */
  readonly isOutdated: boolean
  readonly forget: (version: string) => void
}

function Saving({
  step: { id, updatedAt, latestVersion, publishedVersion },
  tree,
  isChanged,
  isOutdated,
  forget,
}: SavingProps) {
  const format = useFormat()
  const refusal = useRefusal('FUNNELS_WRITE')
  const [setContent, isSaving] = useAction(StepContentSetDocument)
  const save = async (publish: boolean) => {
    const question = {
      title: t`Overwrite the page?`,
      consequence: t`A version was saved meanwhile, by another person or in another tab. Yours becomes the newest one.`,
      verb: t`Overwrite`,
    }
    if (isOutdated && !(await ask(question))) return
    const input = { id, content: pageModel.write(tree), publish, expectedUpdatedAt: updatedAt }
    const result = await setContent({ input })
    const done = publish ? t`The page is public.` : t`The page was saved.`
    if (report(result, done) && result.data) forget(String(result.data.funnelStepContentSet?.version))
  }
  const isPublished = publishedVersion !== null && publishedVersion === latestVersion?.version && !isChanged
  const saved = latestVersion ? t`Saved ${format.relative(latestVersion.createdAt)}` : t`Not saved`
  return (
    <Group gap="xs">
      <Muted role="status">{isChanged ? t`Not saved` : isPublished ? t`Published` : saved}</Muted>
      <ActionButton
        variant="default"
        loading={isSaving}
        refusal={refusal ?? (isChanged ? undefined : t`Nothing was changed.`)}
        onClick={() => void save(false)}
      >{t`Save`}</ActionButton>
      <ActionButton
        loading={isSaving}
        refusal={refusal ?? (isPublished ? t`The page is public as it is.` : undefined)}
        onClick={() => void save(true)}
      >{t`Publish`}</ActionButton>
    </Group>
  )
}

function Templates({ onChoose }: { onChoose: (tree: Tree) => void }) {
  return (
    <Permitted scope="FUNNELS_WRITE">
      <Section title={t`Begin with a page`}>
        <Group gap="xs">
          {Object.values(templates).map(({ label, tree }) => (
            <Button key={label.id} variant="default" onClick={() => onChoose(tree())}>
              {i18n._(label)}
            </Button>
          ))}
        </Group>
      </Section>
    </Permitted>
  )
}
