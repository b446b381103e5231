import { eventObject, resourceFields } from '../events/feed/event-object.schema.ts'
import { BrandType } from './brand/brand.schema.ts'
import * as brands from './brand/brand.ts'
import { MediaType } from './media/media.schema.ts'
import { ReusableBlockType } from './reusable/reusable-block.schema.ts'

eventObject('MediaEvent', 'A media file was created, updated or deleted.', (t) => resourceFields(t, 'media', MediaType))

eventObject('ReusableBlockChangeEvent', 'A reusable block was created, updated or deleted.', (t) =>
  resourceFields(t, 'reusableBlock', ReusableBlockType),
)

eventObject('BrandChangeEvent', 'The brand was updated.', (t) => ({
  brand: t.field({
    type: BrandType,
    description: 'The brand now.',
    resolve: (_event, _args, ctx) => brands.load(ctx),
  }),
}))
