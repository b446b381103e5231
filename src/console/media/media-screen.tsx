import { plural, t } from '@lingui/core/macro'
import { Modal, Paper, SimpleGrid, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { FileText, Search } from 'lucide-react'
import { useState } from 'react'
import { type MediaFileFragment, MediaFilesDocument } from '../generated/media.documents.ts'
import { useLive, useScreen } from '../graph/use-screen.ts'
import { useFormat } from '../shared/format.ts'
import { Listed } from '../shared/layout/listed.tsx'
import { Screen } from '../shared/layout/screen.tsx'
import { Pager } from '../shared/tables/data-table.tsx'
import { MediaDetails, pictureOf } from './media-file.tsx'
import { UploadArea } from './upload-area.tsx'

const route = getRouteApi('/media')
const liveTypes = ['MEDIA_CREATED', 'MEDIA_UPDATED', 'MEDIA_DELETED'] as const

/** The media library: pictures and PDF files, with uploads, and where each is used. */
export function MediaScreen() {
  const { q, after } = route.useSearch()
  const navigate = route.useNavigate()
  const result = useScreen(MediaFilesDocument, { search: q ?? null, after: after ?? null })
  useLive(result.data?.eventCursor, { types: [...liveTypes] }, result.reload, { isMerged: true })
  const [openId, setOpenId] = useState<string>()
  const searchFor = useDebouncedCallback(
    (words: string) => void navigate({ search: words.trim() ? { q: words.trim() } : {}, replace: true }),
    300,
  )
  const [isOpen, setIsOpen] = useState(false)
  // The file stays while the dialog closes.
  const shown = result.data?.media?.nodes.find(({ id }) => id === openId)
  const open = (id: string) => {
    setOpenId(id)
    setIsOpen(true)
  }
  const close = () => setIsOpen(false)
  return (
    <Screen title={t`Media`} subtitle={t`Pictures and PDF files for messages and pages.`} result={result}>
      {({ media }) => (
        <Stack gap="md">
          <Paper>
            <Stack gap="sm" p="md" pb={0}>
              <UploadArea onStored={result.reload} />
              <TextInput
                size="sm"
                type="search"
                aria-label={t`Search files`}
                placeholder={t`Name of a file`}
                leftSection={<Search size={14} />}
                defaultValue={q ?? ''}
                onChange={({ currentTarget }) => searchFor(currentTarget.value)}
              />
            </Stack>
            <Listed items={media?.nodes} empty={q ? t`No file matches.` : t`There are no files yet.`}>
              {(files) => (
                <SimpleGrid component="ul" className="media-grid" cols={{ base: 2, sm: 3, lg: 4 }} spacing="sm" p="md">
                  {files.map((file) => (
                    <li key={file.id}>
                      <Card file={file} onOpen={() => open(file.id)} />
                    </li>
                  ))}
                </SimpleGrid>
              )}
            </Listed>
            <Pager page={media} />
          </Paper>
          <Modal opened={isOpen && shown !== undefined} onClose={close} title={shown?.name} size="lg">
            {shown && <MediaDetails file={shown} onDeleted={close} />}
          </Modal>
        </Stack>
      )}
    </Screen>
  )
}

function Card({ file, onOpen }: { readonly file: MediaFileFragment; readonly onOpen: () => void }) {
  const format = useFormat()
  const uses =
    file.usesCount === 0 ? t`not used` : plural(file.usesCount, { one: 'used in # place', other: 'used in # places' })
  return (
    <UnstyledButton className="media-card" onClick={onOpen}>
      {file.contentType === 'PDF' ? (
        <FileText className="media-thumb" size={40} aria-hidden />
      ) : (
        <img className="media-thumb" src={pictureOf(file)} alt="" loading="lazy" />
      )}
      <Text size="sm" truncate fw={550}>
        {file.name}
      </Text>
      <Text size="xs" className="muted">
        {t`${format.number(Math.ceil(file.bytes / 1_000))} kB`}, {uses}
      </Text>
    </UnstyledButton>
  )
}
