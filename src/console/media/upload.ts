import { t } from '@lingui/core/macro'

/** The media file that an upload became, or why it was refused. */
type UploadResult = { readonly id: number; readonly refusal?: undefined } | { readonly refusal: string }

/**
 * Uploads a file to its link, and reports which part of it has arrived, from 0 to 1. The server has the same paths on all its
 * hosts, and the policy allows requests to this one only.
 */
export function uploadFile(url: string, file: File, onProgress: (part: number) => void): Promise<UploadResult> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
    request.onload = () =>
      resolve(
        request.status === 200
          ? { id: (JSON.parse(request.responseText) as { id: number }).id }
          : { refusal: reasonIn(request.responseText) },
      )
    request.onerror = () => resolve({ refusal: t`The upload was interrupted. Please try again.` })
    request.open('PUT', new URL(url).pathname)
    request.send(file)
  })
}

function reasonIn(body: string): string {
  try {
    const { message, details } = JSON.parse(body) as { message: string; details?: { file?: readonly string[] } }
    const [reason] = details?.file ?? []
    return reason === undefined ? message : t`The file ${reason}.`
  } catch {
    return t`The file could not be stored.`
  }
}
