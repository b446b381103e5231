import { t } from '@lingui/core/macro'
import { ActionIcon, Button, Group, SimpleGrid, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import { useQuery } from 'urql'
import {
  MessageTemplatesDocument,
  type MessageTemplatesQuery,
  TemplateDeleteDocument,
} from '../generated/messages.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { ask } from '../shared/actions/confirm.tsx'
import { report } from '../shared/actions/report.ts'
import { useRefusal } from '../shared/layout/permission.tsx'
import { Muted } from '../shared/layout/screen.tsx'

/** What a message begins with: a template of the product or of the account, or one of its three forms without content. */
export type Beginning =
  | { readonly shippedTemplate: NonNullable<MessageTemplatesQuery['shippedTemplates']>[number]['key'] }
  | { readonly templateId: string }
  | 'blocks'
  | 'html'
  | 'text'

/** A change of the body of a message. */
export interface BodyChange {
  readonly content?: object
  readonly html?: string
  readonly text?: string
  readonly shippedTemplate?: Extract<Beginning, { shippedTemplate: unknown }>['shippedTemplate']
  readonly templateId?: string
}

interface TemplatesProps {
  readonly isSaving: boolean
  readonly onChoose: (beginning: Beginning) => void
}

/** The choice of what a message begins with. Each template is shown in the colours of the brand. */
export function Templates({ isSaving, onChoose }: TemplatesProps) {
  const [{ data }, reload] = useQuery({ query: MessageTemplatesDocument, requestPolicy: 'cache-and-network' })
  const [remove] = useAction(TemplateDeleteDocument)
  const mayNot = useRefusal('MAIL_WRITE')
  const erase = async ({ id, name }: { readonly id: string; readonly name: string }) => {
    const consequence = t`Messages that began with it stay as they are.`
    if (!(await ask({ title: t`Delete the template “${name}”?`, consequence, verb: t`Delete`, isRed: true }))) return
    if (report(await remove({ input: { id } }), t`${name} was deleted.`)) reload({ requestPolicy: 'network-only' })
  }
  if (!data) return <Skeleton h={220} />
  const own = data.emailTemplates?.nodes ?? []
  return (
    <Stack gap="md">
      <Group gap="xs">
        <Button
          variant="light"
          loading={isSaving}
          onClick={() => onChoose('blocks')}
        >{t`Begin with a blank message`}</Button>
        <Button variant="subtle" onClick={() => onChoose('text')}>{t`Plain text`}</Button>
        <Button variant="subtle" onClick={() => onChoose('html')}>{t`HTML of your own`}</Button>
      </Group>
      {own.length > 0 && (
        <>
          <Text size="sm" fw={550}>{t`Your templates`}</Text>
          <SimpleGrid component="ul" className="media-grid" cols={{ base: 2, sm: 3, md: 4 }} spacing="md">
            {own.map((template) => (
              <li key={template.id} className="template">
                <Picture {...template} onClick={() => onChoose({ templateId: template.id })} />
                {mayNot === undefined && (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    className="template-action"
                    aria-label={t`Delete the template ${template.name}`}
                    onClick={() => void erase(template)}
                  >
                    <Trash2 size={14} />
                  </ActionIcon>
                )}
              </li>
            ))}
          </SimpleGrid>
        </>
      )}
      <Text size="sm" fw={550}>{t`Templates`}</Text>
      <SimpleGrid component="ul" className="media-grid" cols={{ base: 2, sm: 3, md: 4 }} spacing="md">
        {data.shippedTemplates?.map(({ key, ...template }) => (
          <li key={key}>
            <Picture {...template} onClick={() => onChoose({ shippedTemplate: key })} />
          </li>
        ))}
      </SimpleGrid>
    </Stack>
  )
}

interface PictureProps {
  readonly name: string
  readonly description?: string
  readonly thumbnail: string | null
  readonly onClick: () => void
}

function Picture({ name, description, thumbnail, onClick }: PictureProps) {
  return (
    <UnstyledButton className="media-card" onClick={onClick}>
      {thumbnail && (
        <img className="template-picture" src={`data:image/svg+xml,${encodeURIComponent(thumbnail)}`} alt="" />
      )}
      <Text size="sm" fw={550}>
        {name}
      </Text>
      {description && <Muted>{description}</Muted>}
    </UnstyledButton>
  )
}
