import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, plural, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Anchor, Group, List, Stack, Text } from '@mantine/core'
import { MediaDeleteDocument, type MediaFileFragment, MediaUpdateDocument } from '../generated/media.documents.ts'
import { useSave } from '../graph/use-save.ts'
import { useAction } from '../graph/use-screen.ts'
import { PickOne } from '../pickers/picker.tsx'
import { ask } from '../shared/actions/confirm.tsx'
import { CopyTo } from '../shared/actions/copy.tsx'
import { report } from '../shared/actions/report.ts'
import { useFormat } from '../shared/format.ts'
import { EditableFields } from '../shared/forms/editable.tsx'
import { RouterAnchor } from '../shared/layout/links.tsx'
import { ActionButton, Permitted, useRefusal } from '../shared/layout/permission.tsx'

const kindNames = {
  BRAND: msg`The brand`,
  CAMPAIGN: msg`Campaign`,
  EMAIL_TEMPLATE: msg`Template`,
  FORM: msg`Form`,
  FUNNEL: msg`Funnel`,
  FUNNEL_STEP: msg`Page`,
  REUSABLE_BLOCK: msg`Reusable block`,
  SEQUENCE_STAGE: msg`Stage`,
} as const satisfies Record<MediaFileFragment['usedIn'][number]['kind'], MessageDescriptor>

const fields = () =>
  [
    { name: 'name', label: t`Name` },
    {
      name: 'alternativeText',
      label: t`Alternative text`,
      description: t`What the picture shows, for people who do not see it.`,
      isArea: true,
    },
  ] as const

interface MediaDetailsProps {
  readonly file: MediaFileFragment
  readonly onDeleted: () => void
}

/** A media file with its picture, its texts, its address, and the places that use it. */
export function MediaDetails({ file, onDeleted }: MediaDetailsProps) {
  const format = useFormat()
  const [save] = useSave(MediaUpdateDocument, { id: file.id }, file)
  const [remove, isRemoving] = useAction(MediaDeleteDocument)
  const mayNot = useRefusal('MEDIA_WRITE')
  const erase = async (replaceWithId?: string) => {
    const isSure = await ask({
      title: t`Delete “${file.name}”?`,
      consequence: replaceWithId
        ? plural(file.usesCount, {
            one: '# place will have the other file. The address shows nothing from then on.',
            other: '# places will have the other file. The address shows nothing from then on.',
          })
        : t`The address shows nothing from then on.`,
      verb: replaceWithId ? t`Replace and delete` : t`Delete`,
      isRed: true,
    })
    if (!isSure) return
    if (report(await remove({ input: { id: file.id, replaceWithId } }), t`The file was deleted.`)) onDeleted()
  }
  return (
    <Stack gap="sm">
      {file.contentType !== 'PDF' && <img className="media-picture" src={pictureOf(file)} alt={file.alternativeText} />}
      <Permitted scope="MEDIA_WRITE" isSilent>
        <Stack gap="xs">
          <EditableFields id={file.id} fields={fields()} values={file} onSave={save} />
        </Stack>
      </Permitted>
      <Text size="sm">
        {file.contentType}, {t`${format.number(Math.ceil(file.bytes / 1_000))} kB`}
        {file.width !== null && `, ${t`${format.number(file.width)} × ${format.number(file.height ?? 0)} pixels`}`}
      </Text>
      <Anchor size="sm" href={file.url} target="_blank" rel="noopener" className="activity-text">
        {file.url}
      </Anchor>
      <Uses file={file} />
      <Group>
        {file.usesCount === 0 ? (
          <ActionButton
            variant="light"
            color="red"
            loading={isRemoving}
            refusal={mayNot}
            onClick={() => void erase()}
          >{t`Delete`}</ActionButton>
        ) : (
          <PickOne
            kind={file.contentType === 'PDF' ? 'media' : 'pictures'}
            size="sm"
            aria-label={t`Replace with another file, and delete`}
            placeholder={t`Replace and delete…`}
            disabled={mayNot !== undefined || isRemoving}
            onPick={(value) => void erase(value)}
          />
        )}
        <CopyTo value={file.url}>{t`Copy address`}</CopyTo>
      </Group>
    </Stack>
  )
}

function Uses({ file: { usedIn } }: { readonly file: MediaFileFragment }) {
  if (usedIn.length === 0) {
    return (
      <Text size="sm" className="muted">
        <Trans>Not used in a message, a template, a reusable block, a page or the brand.</Trans>
      </Text>
    )
  }
  return (
    <div>
      <Text size="sm" fw={550}>{t`Used in`}</Text>
      <List size="sm">
        {usedIn.map((use, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: places have no other key, and are read together
          <List.Item key={index}>
            {i18n._(kindNames[use.kind])} <Place use={use} />
          </List.Item>
        ))}
      </List>
    </div>
  )
}

function Place({ use: { kind, title, node } }: { readonly use: MediaFileFragment['usedIn'][number] }) {
  if (!node || kind === 'BRAND') return null
  if (kind === 'REUSABLE_BLOCK' || kind === 'EMAIL_TEMPLATE') return title
  if ('funnel' in node && node.funnel) {
    const params = { id: node.funnel.id, stepId: node.id }
    return (
      <RouterAnchor to="/funnels/$id/steps/$stepId" params={params} size="sm" underline="always">
        {title}
      </RouterAnchor>
    )
  }
  const confirmations = { FORM: '/forms/$id/confirmation', FUNNEL: '/funnels/$id/confirmation' } as const
  const [to, id] =
    'sequence' in node && node.sequence
      ? (['/sequences/$id', node.sequence.id] as const)
      : [kind === 'FORM' || kind === 'FUNNEL' ? confirmations[kind] : '/campaigns/$id', node.id]
  return (
    <RouterAnchor to={to} params={{ id }} size="sm" underline="always">
      {title}
    </RouterAnchor>
  )
}

/** The smallest variant of a picture that is large enough for a card. */
export function pictureOf({ url, variants }: Pick<MediaFileFragment, 'url' | 'variants'>): string {
  return variants[0]?.url ?? url
}
