import { declareEvents } from '../events/index.ts'

export const contentEvents = {
  ...declareEvents(
    { kind: 'MediaEvent', needs: 'media:read', sample: { mediaId: 1 }, isEdit: true },
    {
      'media.created': 'A file was uploaded to the media library.',
      'media.updated': 'The name or the alternative text of a media file was updated.',
      'media.deleted': 'A media file was deleted with its variants.',
    },
  ),
  ...declareEvents(
    { kind: 'ReusableBlockChangeEvent', needs: 'mail:read', sample: { reusableBlockId: 1 }, isEdit: true },
    {
      'reusable_block.created': 'A reusable block was created.',
      'reusable_block.updated': 'A reusable block was updated.',
      'reusable_block.deleted': 'A reusable block was deleted.',
    },
  ),
  ...declareEvents(
    { kind: 'BrandChangeEvent', needs: 'mail:read', sample: { accountId: 1 }, isEdit: true },
    { 'brand.updated': 'The brand of the account was updated.' },
  ),
}

type ContentEvents = typeof contentEvents

declare module '../events/index.ts' {
  interface DeclaredEvents extends ContentEvents {}
}
