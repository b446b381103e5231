import { Button, CopyButton, Menu } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import {
  FormArchiveDocument,
  type FormBuildFragment,
  FormDuplicateDocument,
  FormPublishDocument,
} from '../generated/forms.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { MoreMenu } from '../shared/more-menu.tsx'
import { notify } from '../shared/notify.tsx'
import { ActionButton, useRefusal } from '../shared/permission.tsx'
import { report } from '../shared/report.ts'

/** Publishes, opens, copies and archives a form. */
export function FormActions({ form: { id, name, status, url, questions } }: { form: FormBuildFragment }) {
  const navigate = useNavigate()
  const refusal = useRefusal('FORMS_WRITE')
  const [publish, isPublishing] = useAction(FormPublishDocument)
  const [archive] = useAction(FormArchiveDocument)
  const [duplicate] = useAction(FormDuplicateDocument)
  const run = async () => {
    report(await publish({ input: { id } }), `${name} accepts submissions now.`)
  }
  const stop = async () => {
    if (!confirm(`Archive ${name}? Its page is closed, and its submissions stay.`)) return
    report(await archive({ input: { id } }), `${name} was archived.`)
  }
  const copy = async () => {
    const { data, error } = await duplicate({ input: { id } })
    const created = data?.formDuplicate?.form
    if (!created) return notify(error ?? 'The form could not be copied.', 'red')
    notify(`${created.name} was created.`)
    await navigate({ to: '/forms/$id', params: { id: created.id }, search: { tab: 'build' } })
  }
  const isEmpty = !questions.some(({ type }) => type !== 'STATEMENT')
  return (
    <>
      {status === 'PUBLISHED' ? (
        <>
          <CopyButton value={url}>
            {({ copied, copy: copyUrl }) => (
              <Button variant="default" onClick={copyUrl}>
                {copied ? 'Copied' : 'Copy link'}
              </Button>
            )}
          </CopyButton>
          <Button component="a" variant="default" href={url} target="_blank" rel="noopener">
            Open the page
          </Button>
        </>
      ) : (
        <ActionButton
          loading={isPublishing}
          refusal={refusal ?? (isEmpty ? 'Add a question that takes an answer first.' : undefined)}
          onClick={() => void run()}
        >
          {status === 'ARCHIVED' ? 'Restore' : 'Publish'}
        </ActionButton>
      )}
      <MoreMenu>
        <Menu.Item disabled={refusal !== undefined} onClick={() => void copy()}>
          Duplicate
        </Menu.Item>
        {status === 'PUBLISHED' && (
          <Menu.Item color="red" disabled={refusal !== undefined} onClick={() => void stop()}>
            Archive
          </Menu.Item>
        )}
      </MoreMenu>
    </>
  )
}
