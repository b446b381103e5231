import { t } from '@lingui/core/macro'
import { Button, Group, Input, Modal, SimpleGrid, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useClient, useQuery } from 'urql'
import {
  type LibraryPictureFragment,
  LibraryPicturesDocument,
  UploadedPictureDocument,
} from '../../generated/blocks.documents.ts'
import { UploadArea } from '../../media/upload-area.tsx'
import { Listed } from '../../shared/layout/listed.tsx'
import { isOfLibrary } from '../model/kinds.ts'
import { CropPicture } from './crop-picture.tsx'
import { sourceOf } from './picture-source.ts'

/** A picture of the library, as a block has it. */
export interface ChosenPicture {
  readonly src: string
  readonly alt: string
}

interface PictureFieldProps {
  readonly label: string
  readonly error?: ReactNode
  readonly src: string
  readonly onPick: (picture: ChosenPicture) => void
  readonly onAddress: (src: string) => void
}

/** The picture of a block: one of the library, or one at another address. */
export function PictureField({ label, error, src, onPick, onAddress }: PictureFieldProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Input.Wrapper size="xs" label={label} labelElement="div" error={error}>
      <Stack gap={6} mt={4}>
        <Group gap="xs">
          {isOfLibrary(src) && <img className="picture-thumb" src={src} alt="" />}
          <Button size="xs" variant="light" onClick={() => setOpen(true)}>
            {src === '' ? t`Choose a picture` : t`Choose another picture`}
          </Button>
        </Group>
        <details className="more">
          <summary>{t`Address of the picture`}</summary>
          <TextInput
            size="xs"
            aria-label={t`Address of the picture`}
            placeholder="https://"
            value={src}
            onChange={({ currentTarget }) => onAddress(currentTarget.value)}
          />
        </details>
      </Stack>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t`Choose a picture`} size="lg">
        <PictureDialog
          onPick={(picture) => {
            setOpen(false)
            onPick(picture)
          }}
        />
      </Modal>
    </Input.Wrapper>
  )
}

const searchAfterMs = 250

function PictureDialog({ onPick }: { readonly onPick: (picture: ChosenPicture) => void }) {
  const client = useClient()
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), searchAfterMs)
  const [after, setAfter] = useState<string | null>(null)
  const [{ data }] = useQuery({
    query: LibraryPicturesDocument,
    variables: { search: search || null, after },
    requestPolicy: 'cache-and-network',
  })
  const [chosen, setChosen] = useState<LibraryPictureFragment>()
  const show = async (id: number) => {
    const found = await client.query(UploadedPictureDocument, { id }, { requestPolicy: 'network-only' })
    if (found.data?.mediaItem) setChosen(found.data.mediaItem)
  }
  if (chosen) {
    return (
      <ChosenDetails
        key={chosen.id}
        picture={chosen}
        onStored={(id) => void show(id)}
        onBack={() => setChosen(undefined)}
        onPick={onPick}
      />
    )
  }
  const { nodes, pageInfo } = data?.media ?? {}
  return (
    <Stack gap="sm">
      <UploadArea isOfPictures onStored={(id) => void show(id)} />
      <TextInput
        size="sm"
        type="search"
        aria-label={t`Search pictures`}
        placeholder={t`Name of a picture`}
        leftSection={<Search size={14} />}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          setAfter(null)
        }}
      />
      <Listed items={nodes} empty={search ? t`No picture matches.` : t`There are no pictures yet.`}>
        {(pictures) => (
          <SimpleGrid component="ul" className="media-grid" cols={{ base: 2, sm: 3, md: 4 }} spacing="sm">
            {pictures.map((picture) => (
              <li key={picture.id}>
                <UnstyledButton className="media-card" onClick={() => setChosen(picture)}>
                  <img className="media-thumb" src={picture.variants[0]?.url ?? picture.url} alt="" loading="lazy" />
                  <Text size="xs" truncate>
                    {picture.name}
                  </Text>
                </UnstyledButton>
              </li>
            ))}
          </SimpleGrid>
        )}
      </Listed>
      {(after !== null || pageInfo?.hasNextPage) && (
        <Group gap="xs">
          <Button
            variant="subtle"
            size="xs"
            disabled={after === null}
            onClick={() => setAfter(null)}
          >{t`First pictures`}</Button>
          <Button
            variant="subtle"
            size="xs"
            disabled={!pageInfo?.hasNextPage}
            onClick={() => setAfter(pageInfo?.endCursor ?? null)}
          >{t`More pictures`}</Button>
        </Group>
      )}
    </Stack>
  )
}

interface ChosenProps {
  readonly picture: LibraryPictureFragment
  readonly onStored: (id: number) => void
  readonly onBack: () => void
  readonly onPick: (picture: ChosenPicture) => void
}

/** A picture before it is used: what it shows, and which part of it. */
function ChosenDetails({ picture, onStored, onBack, onPick }: ChosenProps) {
  const [alt, setAlt] = useState(picture.alternativeText)
  const [isCropped, setCropped] = useState(false)
  const src = sourceOf(picture)
  if (isCropped)
    return <CropPicture name={picture.name} src={picture.url} onStored={onStored} onBack={() => setCropped(false)} />
  return (
    <Stack gap="sm">
      <img className="media-picture" src={src} alt={alt} />
      <TextInput
        data-autofocus
        label={t`Alternative text`}
        description={t`What the picture shows, for people who do not see it. Empty for decoration.`}
        value={alt}
        onChange={({ currentTarget }) => setAlt(currentTarget.value)}
        onKeyDown={({ key }) => key === 'Enter' && onPick({ src, alt })}
      />
      <Group>
        <Button onClick={() => onPick({ src, alt })}>{t`Use this picture`}</Button>
        <Button variant="light" onClick={() => setCropped(true)}>{t`Crop`}</Button>
        <Button variant="subtle" onClick={onBack}>{t`Back`}</Button>
      </Group>
    </Stack>
  )
}
