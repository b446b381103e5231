import { t } from '@lingui/core/macro'
import { useNavigate } from '@tanstack/react-router'
import {
  FormArchiveDocument,
  type FormBuildFragment,
  FormDuplicateDocument,
  FormPublishDocument,
  FormRestoreDocument,
} from '../generated/forms.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { PublicLink } from '../shared/actions/copy.tsx'
import { duplication, MoreMenu } from '../shared/actions/more-menu.tsx'
import { report } from '../shared/actions/report.ts'
import { ActionButton, useRefusal } from '../shared/layout/permission.tsx'

/** Publishes, opens, copies and archives a form. */
export function FormActions({ form: { id, name, status, url, questions } }: { form: FormBuildFragment }) {
  const navigate = useNavigate()
  const refusal = useRefusal('FORMS_WRITE')
  const [publish, isPublishing] = useAction(FormPublishDocument)
  const [restore, isRestoring] = useAction(FormRestoreDocument)
  const [archive] = useAction(FormArchiveDocument)
  const [duplicate] = useAction(FormDuplicateDocument)
  const variables = { input: { id } }
  const isEmpty = !questions.some(({ type }) => type !== 'STATEMENT')
  return (
    <>
      {status === 'PUBLISHED' ? (
        <PublicLink url={url} />
      ) : (
        <ActionButton
          loading={isPublishing || isRestoring}
          refusal={refusal ?? (isEmpty ? t`Add a question that takes an answer first.` : undefined)}
          onClick={async () => {
            const open = status === 'ARCHIVED' ? restore : publish
            report(await open(variables), t`${name} accepts submissions now.`)
          }}
        >
          {status === 'ARCHIVED' ? t`Restore` : t`Publish`}
        </ActionButton>
      )}
      <MoreMenu
        refusal={refusal}
        actions={[
          duplication(
            () => duplicate(variables),
            (copy) => navigate({ to: '/forms/$id', params: { id: copy }, search: { tab: 'build' } }),
          ),
          status === 'PUBLISHED' && {
            label: t`Archive`,
            isRed: true,
            question: { title: t`Archive “${name}”?`, consequence: t`Its page is closed, and its submissions stay.` },
            done: t`${name} was archived.`,
            run: () => archive(variables),
          },
        ]}
      />
    </>
  )
}
