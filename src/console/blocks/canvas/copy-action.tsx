import { t } from '@lingui/core/macro'
import { useTimeout } from '@mantine/hooks'
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { IconAction } from '../../shared/layout/permission.tsx'

/** How long it says that something was copied, in milliseconds. */
const shownMs = 1_500

/** Copies a block or section, and says so for a moment. */
export function CopyAction({ label, onCopy }: { readonly label: string; readonly onCopy: () => void }) {
  const [isCopied, setCopied] = useState(false)
  const { start } = useTimeout(() => setCopied(false), shownMs)
  const copy = () => {
    onCopy()
    setCopied(true)
    start()
  }
  const icon = isCopied ? <Check size={15} /> : <Copy size={15} />
  return <IconAction label={isCopied ? t`Copied` : label} icon={icon} onClick={copy} />
}
