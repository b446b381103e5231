import type { MediaContentType } from '../../../prisma/generated/client/client.ts'
import { name } from '../../kernel/values/check.ts'

/** The media type and the extensions of each kind of content. The first extension is added to names without one. */
export const contentTypes = {
  GIF: { mediaType: 'image/gif', extensions: ['gif'] },
  JPEG: { mediaType: 'image/jpeg', extensions: ['jpg', 'jpeg', 'jpe'] },
  PDF: { mediaType: 'application/pdf', extensions: ['pdf'] },
  PNG: { mediaType: 'image/png', extensions: ['png'] },
  WEBP: { mediaType: 'image/webp', extensions: ['webp'] },
} as const satisfies Record<MediaContentType, { mediaType: string; extensions: readonly string[] }>

/** Characters that separate folders, that are not visible, or that reverse the text after them. */
const forbidden = /[/\\\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

/** Schema of the name of a file: one segment of a path. */
export const MediaName = name(255)
  .refine((value) => !forbidden.test(value), 'must not contain /, \\ or control characters')
  .refine((value) => !/^\.+$/.test(value), 'must not consist of dots')

/**
 * Returns the name under which a file is served. It has an extension of its content, so that no other program opens a file that
 * was saved.
 */
export function servedName({ name, contentType }: { name: string; contentType: MediaContentType }): string {
  const { extensions } = contentTypes[contentType]
  const extension = name.split('.').length > 1 ? name.split('.').at(-1)?.toLowerCase() : undefined
  return extensions.some((each) => each === extension) ? name : `${name}.${extensions[0]}`
}
