import { t } from '@lingui/core/macro'
import { useState } from 'react'
import { MediaCreateDocument } from '../generated/media.documents.ts'
import { summaryOf, useAction } from '../graph/use-screen.ts'
import { uploadFile } from './upload.ts'

/** A file that is being uploaded, or was refused. */
export interface Upload {
  readonly key: string
  readonly name: string
  /** From 0 to 1. */
  readonly part: number
  readonly refusal?: string
}

/** Uploads files to the media library one after another. `onStored` gets the integer id of each that was stored. */
export function useUploads(onStored: (id: number) => void) {
  const [create] = useAction(MediaCreateDocument)
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const change = (key: string, next: Partial<Upload>) =>
    setUploads((all) => all.map((each) => (each.key === key ? { ...each, ...next } : each)))
  const start = async (files: readonly File[]) => {
    const added = files.map((file) => ({ file, key: crypto.randomUUID() }))
    setUploads((all) => [
      ...all.filter((each) => each.refusal === undefined),
      ...added.map(({ file, key }) => ({ key, name: file.name, part: 0 })),
    ])
    for (const { file, key } of added) {
      const result = await create({ input: { name: file.name } })
      const url = result.data?.mediaCreate?.uploadUrl
      const stored = url
        ? await uploadFile(url, file, (part) => change(key, { part }))
        : { refusal: result.error === undefined ? t`The upload could not be started.` : summaryOf(result) }
      if (stored.refusal === undefined) {
        setUploads((all) => all.filter((each) => each.key !== key))
        onStored(stored.id)
      } else change(key, { refusal: stored.refusal })
    }
  }
  return [uploads, start] as const
}

/** The pictures among pasted or dropped files. */
export const picturesIn = ({ files }: DataTransfer): File[] =>
  [...files].filter(({ type }) => /^image\/(?:png|jpeg|gif|webp)$/.test(type))
