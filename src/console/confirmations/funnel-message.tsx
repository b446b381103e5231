import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import {
  FunnelConfirmationContentSetDocument,
  FunnelConfirmationDocument,
  type FunnelConfirmationQuery,
  FunnelConfirmationResetDocument,
  FunnelConfirmationTestDocument,
} from '../generated/confirmations.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { useAction, useLive, useScreen } from '../graph/use-screen.ts'
import { Permitted } from '../shared/layout/permission.tsx'
import { Screen } from '../shared/layout/screen.tsx'
import { ConfirmationEditor } from './confirmation-editor.tsx'

const route = getRouteApi('/funnels/$id/confirmation')

/** The e-mail with which the forms of a funnel ask to confirm an address. */
export function FunnelMessageScreen() {
  const { id } = route.useParams()
  const result = useScreen(FunnelConfirmationDocument, { id })
  useLive(result.data?.eventCursor, { funnelIds: [id], types: ['FUNNEL_UPDATED'] }, result.reload)
  return (
    <Screen
      title={t`Confirmation e-mail`}
      parent={{ to: `/funnels/${id}`, label: result.data?.funnel?.name ?? t`Funnel` }}
      result={result}
    >
      {(data) =>
        data.funnel && (
          <Permitted scope="FUNNELS_WRITE">
            <Content data={data} funnel={data.funnel} />
          </Permitted>
        )
      }
    </Screen>
  )
}

interface ContentProps {
  readonly data: FunnelConfirmationQuery
  readonly funnel: NonNullable<FunnelConfirmationQuery['funnel']>
}

function Content({ data, funnel }: ContentProps) {
  const { id, confirmationEmail } = funnel
  const [save, isSaving] = useSave(FunnelConfirmationContentSetDocument, { id }, { ...confirmationEmail, ...funnel })
  const [remove, isRemoving] = useAction(FunnelConfirmationResetDocument)
  const [test, isTesting] = useAction(FunnelConfirmationTestDocument)
  return (
    <ConfirmationEditor
      owner={funnel}
      parts={data}
      otherwise={<Trans>The standard message is sent.</Trans>}
      isBusy={isSaving || isRemoving}
      isTesting={isTesting}
      onSave={save}
      onRemove={() => remove({ input: { id } })}
      onTest={(emails) => test({ input: { id, emails } })}
    />
  )
}
