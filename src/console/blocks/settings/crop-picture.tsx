import { t } from '@lingui/core/macro'
import { Alert, Button, Group, SegmentedControl, Stack } from '@mantine/core'
import { useRef, useState } from 'react'
import ReactCrop, { centerCrop, makeAspectCrop, type PercentCrop } from 'react-image-crop'
import 'react-image-crop/dist/ReactCrop.css'
import { Uploads } from '../../media/upload-area.tsx'
import { useUploads } from '../../media/use-uploads.ts'

const shapes = () => [
  { value: '', label: t({ message: 'Free', context: 'shape of a picture' }) },
  { value: '1', label: t({ message: 'Square', context: 'shape of a picture' }) },
  { value: String(4 / 3), label: '4:3' },
  { value: String(16 / 9), label: '16:9' },
  { value: '3', label: t({ message: 'Band', context: 'shape of a picture' }) },
]

interface CropProps {
  readonly name: string
  readonly src: string
  /** Receives the integer id of the part, which is a media file of its own. */
  readonly onStored: (id: number) => void
  readonly onBack: () => void
}

/** Cuts a part out of a picture. The picture stays as it is, because other messages may use it. */
export function CropPicture({ name, src, onStored, onBack }: CropProps) {
  const image = useRef<HTMLImageElement>(null)
  const [shape, setShape] = useState('')
  const [crop, setCrop] = useState<PercentCrop>({ unit: '%', x: 10, y: 10, width: 80, height: 80 })
  const [isReadable, setReadable] = useState<boolean>()
  const [uploads, start] = useUploads(onStored)
  const choose = (value: string) => {
    setShape(value)
    const { naturalWidth = 1, naturalHeight = 1 } = image.current ?? {}
    if (value === '') return
    const part = makeAspectCrop({ unit: '%', width: 90 }, Number(value), naturalWidth, naturalHeight)
    setCrop(centerCrop(part, naturalWidth, naturalHeight) as PercentCrop)
  }
  const save = async () => {
    if (!image.current) return
    const part = await partOf(image.current, crop)
    if (part) await start([new File([part], t`Part of ${name}`, { type: part.type })])
  }
  return (
    <Stack gap="sm">
      <SegmentedControl size="xs" aria-label={t`Shape`} data={shapes()} value={shape} onChange={choose} />
      <ReactCrop
        crop={crop}
        keepSelection
        ariaLabels={{
          cropArea: t`Part of the picture. The arrow keys move it.`,
          nwDragHandle: t`Upper left corner`,
          nDragHandle: t`Upper edge`,
          neDragHandle: t`Upper right corner`,
          eDragHandle: t`Right edge`,
          seDragHandle: t`Lower right corner`,
          sDragHandle: t`Lower edge`,
          swDragHandle: t`Lower left corner`,
          wDragHandle: t`Left edge`,
        }}
        {...(shape !== '' && { aspect: Number(shape) })}
        onChange={(_pixels, next) => setCrop(next)}
      >
        {/* Media files may be on another host, which lets their pixels be read if they are asked for in this way. */}
        <img
          ref={image}
          src={src}
          alt={name}
          className="crop-picture"
          crossOrigin="anonymous"
          onLoad={() => setReadable(true)}
          onError={() => setReadable(false)}
        />
      </ReactCrop>
      {isReadable === false && (
        <Alert color="red" py="xs" role="alert">{t`The picture could not be loaded, so it cannot be cropped.`}</Alert>
      )}
      <Uploads uploads={uploads} />
      <Group>
        <Button
          disabled={!isReadable}
          loading={uploads.some(({ refusal }) => refusal === undefined)}
          onClick={() => void save()}
        >{t`Cut out`}</Button>
        <Button variant="subtle" onClick={onBack}>{t`Back`}</Button>
      </Group>
    </Stack>
  )
}

/** Returns a part of a picture as a file. Photographs stay JPEG, because PNG would take many times the bytes. */
function partOf(image: HTMLImageElement, { x, y, width, height }: PercentCrop): Promise<Blob | null> {
  const { naturalWidth, naturalHeight } = image
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round((naturalWidth * width) / 100))
  canvas.height = Math.max(1, Math.round((naturalHeight * height) / 100))
  canvas
    .getContext('2d')
    ?.drawImage(
      image,
      ...([(naturalWidth * x) / 100, (naturalHeight * y) / 100, canvas.width, canvas.height] as const),
      ...([0, 0, canvas.width, canvas.height] as const),
    )
  const type = /\.jpe?g$/i.test(image.src) ? 'image/jpeg' : 'image/png'
  return new Promise((resolve) => canvas.toBlob(resolve, type, 0.92))
}
