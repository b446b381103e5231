import { t } from '@lingui/core/macro'
import { Box, Button, FileButton, Group, Progress, Stack, Text } from '@mantine/core'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { useRefusal } from '../shared/layout/permission.tsx'
import { type Upload, useUploads } from './use-uploads.ts'

const pictures = 'image/png,image/jpeg,image/gif,image/webp'

interface UploadAreaProps {
  /** Receives the integer id of each file that was stored. */
  readonly onStored: (id: number) => void
  readonly isOfPictures?: boolean
}

/** Where files are dropped, pasted or chosen. They are uploaded one after another, each with its progress. */
export function UploadArea({ onStored, isOfPictures = false }: UploadAreaProps) {
  const [uploads, start] = useUploads(onStored)
  const [isOver, setOver] = useState(false)
  const refusal = useRefusal('MEDIA_WRITE')
  if (refusal !== undefined) {
    return (
      <Text size="sm" className="muted">
        {refusal}
      </Text>
    )
  }
  return (
    <Box
      className="drop-area"
      data-over={isOver || undefined}
      onPaste={({ clipboardData }) => void start([...clipboardData.files])}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        void start([...event.dataTransfer.files])
      }}
    >
      <Stack gap="xs">
        <Group gap="sm" justify="center">
          <FileButton
            multiple
            accept={isOfPictures ? pictures : `${pictures},application/pdf`}
            onChange={(files) => void start(files)}
            inputProps={{ 'aria-label': t`Files to upload` }}
          >
            {(props) => <Button {...props} leftSection={<FileUp size={16} />}>{t`Upload files`}</Button>}
          </FileButton>
          <Text size="sm" className="muted">
            {isOfPictures
              ? t`or drop or paste them here: PNG, JPEG, GIF or WebP, each at most 10 MB.`
              : t`or drop or paste them here: PNG, JPEG, GIF, WebP or PDF, each at most 10 MB.`}
          </Text>
        </Group>
        <Uploads uploads={uploads} />
      </Stack>
    </Box>
  )
}

/** The uploads that are under way, and those that were refused. */
export function Uploads({ uploads }: { readonly uploads: readonly Upload[] }) {
  return uploads.map(({ key, name, part, refusal: reason }) => (
    <Box key={key}>
      <Text size="sm" role={reason === undefined ? 'status' : 'alert'}>
        {reason === undefined ? t`${name} is being uploaded.` : t`${name} was not stored. ${reason}`}
      </Text>
      {reason === undefined && <Progress value={100 * part} aria-label={t`Progress of ${name}`} />}
    </Box>
  ))
}
