import { campaignMedia } from '../campaigns/index.ts'
import { brands, type contentPorts, reusableBlocks } from '../content/index.ts'
import { confirmationPlaces } from '../forms/index.ts'
import { funnelEmailPlaces, stepMedia } from '../funnels/index.ts'
import { emails, templates } from '../mail/index.ts'
import { stageMedia } from '../sequences/index.ts'

const owners = [
  campaignMedia.mediaPlaces,
  stageMedia.mediaPlaces,
  confirmationPlaces.mediaPlaces,
  funnelEmailPlaces.mediaPlaces,
]

/** Where media files are used. An e-mail belongs to a campaign, a stage, a form or a funnel. */
export const mediaPlaces: (typeof contentPorts)['mediaPlaces'] = {
  email: {
    find: async (ctx, ids) => {
      const found = await Promise.all(owners.map((owner) => owner.find(ctx, ids)))
      return new Map(found.flatMap((places) => [...places]))
    },
    replace: async (tx, ids, parts) => {
      for (const owner of owners) await owner.replace(tx, ids, parts)
      await emails.replaceInBodies(tx, ids, parts)
    },
  },
  step: stepMedia.mediaPlaces,
  reusableBlock: reusableBlocks.mediaPlaces,
  template: templates.mediaPlaces,
  brand: brands.mediaPlaces,
}
