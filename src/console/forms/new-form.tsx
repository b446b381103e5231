import { t } from '@lingui/core/macro'
import { useNavigate } from '@tanstack/react-router'
import { FormCreateDocument } from '../generated/forms.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { NewMenu } from '../shared/actions/new-menu.tsx'
import { report } from '../shared/actions/report.ts'
import { useRefusal } from '../shared/layout/permission.tsx'
import { type Starter, starters } from './starters.ts'

/** Creates a form of a type, and opens it. */
export function NewForm() {
  const navigate = useNavigate()
  const refusal = useRefusal('FORMS_WRITE')
  const [create, isCreating] = useAction(FormCreateDocument)
  const run = async ({ input }: Pick<Starter, 'input'>) => {
    const result = await create({ input })
    const id = result.data?.formCreate?.form?.id
    if (report(result) && id) await navigate({ to: '/forms/$id', params: { id }, search: { tab: 'build' } })
  }
  return (
    <NewMenu
      label={t`New form`}
      choices={starters()}
      loading={isCreating}
      refusal={refusal}
      onChoose={(choice) => void run(choice)}
    />
  )
}
