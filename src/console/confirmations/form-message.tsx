import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import {
  FormConfirmationContentSetDocument,
  FormConfirmationDocument,
  type FormConfirmationQuery,
  FormConfirmationResetDocument,
  FormConfirmationTestDocument,
} from '../generated/confirmations.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { useAction, useLive, useScreen } from '../graph/use-screen.ts'
import { RouterAnchor } from '../shared/layout/links.tsx'
import { Permitted } from '../shared/layout/permission.tsx'
import { Screen } from '../shared/layout/screen.tsx'
import { ConfirmationEditor } from './confirmation-editor.tsx'

const route = getRouteApi('/forms/$id/confirmation')

/** The e-mail with which a form asks to confirm an address. */
export function FormMessageScreen() {
  const { id } = route.useParams()
  const result = useScreen(FormConfirmationDocument, { id })
  useLive(result.data?.eventCursor, { formIds: [id], types: ['FORM_UPDATED'] }, result.reload)
  return (
    <Screen
      title={t`Confirmation e-mail`}
      parent={{ to: `/forms/${id}`, label: result.data?.form?.name ?? t`Form` }}
      result={result}
    >
      {(data) =>
        data.form && (
          <Permitted scope="FORMS_WRITE">
            <Content data={data} form={data.form} />
          </Permitted>
        )
      }
    </Screen>
  )
}

interface ContentProps {
  readonly data: FormConfirmationQuery
  readonly form: NonNullable<FormConfirmationQuery['form']>
}

function Content({ data, form }: ContentProps) {
  const { id, confirmationEmail } = form
  const [save, isSaving] = useSave(FormConfirmationContentSetDocument, { id }, { ...confirmationEmail, ...form })
  const [remove, isRemoving] = useAction(FormConfirmationResetDocument)
  const [test, isTesting] = useAction(FormConfirmationTestDocument)
  return (
    <ConfirmationEditor
      owner={form}
      parts={data}
      otherwise={<Otherwise form={form} />}
      isBusy={isSaving || isRemoving}
      isTesting={isTesting}
      onSave={save}
      onRemove={() => remove({ input: { id } })}
      onTest={(emails) => test({ input: { id, emails } })}
    />
  )
}

/** What is sent if the form has no message of its own. */
function Otherwise({ form: { step } }: Pick<ContentProps, 'form'>) {
  const { funnel } = step ?? {}
  if (!funnel?.confirmationEmail) return <Trans>The standard message is sent.</Trans>
  const link = (
    <RouterAnchor underline="always" to="/funnels/$id/confirmation" params={{ id: funnel.id }}>
      {funnel.name}
    </RouterAnchor>
  )
  return <Trans>The message of the funnel {link} is sent.</Trans>
}
