import { t } from '@lingui/core/macro'
import { Button, Group, Modal, SegmentedControl, Stack } from '@mantine/core'
import { Maximize2 } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'

const widths = () => [
  { value: 'desktop', label: t`Desktop` },
  { value: 'phone', label: t`Phone` },
]
const schemes = () => [
  { value: 'light', label: t({ message: 'Light', context: 'colours' }) },
  { value: 'dark', label: t({ message: 'Dark', context: 'colours' }) },
]

interface PreviewProps {
  readonly title: string
  readonly html: string
  /** Whether it is a message, which mail programs show in light or dark colours. */
  readonly isMessage?: boolean
}

/** HTML of a message or a page, as wide as it is looked at. It can be enlarged to the whole window. */
export function Preview(props: PreviewProps) {
  const [isLarge, setLarge] = useState(false)
  return (
    <>
      <Frame
        {...props}
        aside={
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<Maximize2 size={13} aria-hidden="true" />}
            onClick={() => setLarge(true)}
          >{t`Enlarge`}</Button>
        }
      />
      <Modal fullScreen opened={isLarge} onClose={() => setLarge(false)} title={props.title} className="large-preview">
        <Frame {...props} title={t`${props.title}, enlarged`} />
      </Modal>
    </>
  )
}

/** A frame with an origin of its own, where no script of the HTML runs. */
function Frame({ title, html, isMessage = false, aside }: PreviewProps & { readonly aside?: ReactNode }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [width, setWidth] = useState('desktop')
  const [scheme, setScheme] = useState('light')
  useEffect(() => {
    const show = () => frame.current?.contentWindow?.postMessage(html, '*')
    const onReady = ({ source, data }: MessageEvent) => {
      if (data === 'preview' && source === frame.current?.contentWindow) show()
    }
    addEventListener('message', onReady)
    show()
    return () => removeEventListener('message', onReady)
  }, [html])
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <SegmentedControl
          size="xs"
          aria-label={t`Width of the preview`}
          data={widths()}
          value={width}
          onChange={setWidth}
        />
        {isMessage && (
          <SegmentedControl
            size="xs"
            aria-label={t`Colours of the preview`}
            data={schemes()}
            value={scheme}
            onChange={setScheme}
          />
        )}
        {aside}
      </Group>
      <iframe
        ref={frame}
        title={title}
        src="/console/preview"
        sandbox="allow-scripts"
        className="preview"
        data-width={width}
        data-scheme={scheme}
      />
    </Stack>
  )
}
