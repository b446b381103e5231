import { useEffect, useRef } from 'react'

/** HTML of an e-mail in a frame with an origin of its own, where no script of it runs. */
export function Preview({ title, html }: { title: string; html: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const show = () => frame.current?.contentWindow?.postMessage(html, '*')
    const onReady = ({ source, data }: MessageEvent) => {
      if (data === 'preview' && source === frame.current?.contentWindow) show()
    }
    addEventListener('message', onReady)
    show()
    return () => removeEventListener('message', onReady)
  }, [html])
  return <iframe ref={frame} title={title} src="/console/preview" sandbox="allow-scripts" className="preview" />
}
