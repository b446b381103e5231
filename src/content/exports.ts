import { exportOf } from '../db/lists/export.ts'
import { media } from './media/media-list.ts'

/** The exports of this module. */
export const contentExports = {
  MEDIA: exportOf(
    media,
    [
      'id',
      'name',
      'alternativeText',
      'contentType',
      'bytes',
      'width',
      'height',
      'isAnimated',
      'hash',
      'createdAt',
      'updatedAt',
    ],
    { needs: ['media:read'] },
  ),
} as const
