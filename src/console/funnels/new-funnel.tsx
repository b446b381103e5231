import { t } from '@lingui/core/macro'
import { useNavigate } from '@tanstack/react-router'
import { FunnelCreateDocument, StepContentSetDocument, StepCreateDocument } from '../generated/funnels.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { NewMenu } from '../shared/actions/new-menu.tsx'
import { report } from '../shared/actions/report.ts'
import { RouterButton } from '../shared/layout/links.tsx'
import { useRefusal } from '../shared/layout/permission.tsx'
import { useShell } from '../shell/use-shell.ts'
import { firstSteps } from './templates.ts'

const choices = () =>
  [
    { type: 'LEAD', label: t`Lead funnel`, description: t`An opt-in page and a thank-you page` },
    { type: 'SALES', label: t`Sales funnel`, description: t`An order page and a thank-you page` },
    { type: 'BLANK', label: t`Blank funnel`, description: t`Without steps` },
  ] as const

/** Creates a funnel with its first pages, which are not published, and opens it. */
export function NewFunnel() {
  const navigate = useNavigate()
  const { account } = useShell()
  const refusal = useRefusal('FUNNELS_WRITE')
  // Without an account, nothing is known to be missing.
  const isWithoutAddress = account?.subdomain === null
  const [create, isCreating] = useAction(FunnelCreateDocument)
  const [createStep, isAdding] = useAction(StepCreateDocument)
  const [setContent] = useAction(StepContentSetDocument)
  const run = async ({ type }: Pick<ReturnType<typeof choices>[number], 'type'>) => {
    const result = await create({ input: { name: t`New funnel`, type } })
    const id = result.data?.funnelCreate?.funnel?.id
    if (!report(result) || !id) return
    for (const { name, content } of firstSteps[type]) {
      const step = await createStep({ input: { funnelId: id, name } })
      const stepId = step.data?.funnelStepCreate?.step?.id
      if (!report(step) || !stepId) break
      report(await setContent({ input: { id: stepId, content: content(), publish: false } }))
    }
    await navigate({ to: '/funnels/$id', params: { id } })
  }
  // The reason leads to where it can be mended.
  if (refusal === undefined && isWithoutAddress) {
    return <RouterButton to="/settings" hash="subdomain">{t`Choose a subdomain for the first funnel`}</RouterButton>
  }
  return (
    <NewMenu
      label={t`New funnel`}
      choices={choices()}
      loading={isCreating || isAdding}
      refusal={refusal}
      onChoose={(choice) => void run(choice)}
    />
  )
}
