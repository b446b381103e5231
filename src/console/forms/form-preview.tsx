import { t } from '@lingui/core/macro'
import { useEffect, useRef } from 'react'
import { useQuery } from 'urql'
import { FormPreviewDocument, type FormQuery } from '../generated/forms.documents.ts'
import { Preview } from '../shared/layout/preview.tsx'
import { Muted, Section } from '../shared/layout/screen.tsx'

/** The page that is previewed: that of a question or a result, or else the first one. */
export interface PreviewTarget {
  readonly questionId?: string
  readonly outcomeId?: string
}

interface PreviewProps {
  readonly form: NonNullable<FormQuery['form']>
  readonly target: PreviewTarget
}

/** A page of the form as a new visitor sees it. Rendered by the server again after each change. */
export function FormPreview({ form: { id, updatedAt, preview }, target }: PreviewProps) {
  const first = useRef(updatedAt)
  const { questionId = null, outcomeId = null } = target
  const isFirst = questionId === null && outcomeId === null && updatedAt === first.current
  const [{ data }, execute] = useQuery({
    query: FormPreviewDocument,
    variables: { id, questionId, outcomeId },
    pause: isFirst,
  })
  useEffect(() => {
    if (updatedAt !== first.current) execute({ requestPolicy: 'network-only' })
  }, [updatedAt, execute])
  return (
    <Section title={t`Preview`} className="sticky" aside={<Muted>{t`What visitors see`}</Muted>}>
      <Preview title={t`Preview of the form`} html={(isFirst ? preview : data?.form?.preview) ?? preview ?? ''} />
    </Section>
  )
}
