import { builder } from '../../graphql/schema/builder.ts'
import { connectionOf } from '../../graphql/schema/connection.ts'
import { filterOf } from '../../graphql/schema/filter.ts'
import * as clicks from './clicks.ts'

const ClickType = builder.objectRef<clicks.MailClick>('Click').implement({
  description: 'A click of a person on a link of a message.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'Target of the link as written in the e-mail, with merge fields.' }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of the click.' }),
    times: t.exposeInt('times', {
      description: 'Number of clicks. More than 1 only for the 20th click on the link, which includes all later ones.',
    }),
  }),
})

const ClickFilter = filterOf('ClickFilterInput', 'clicks', clicks.clickFilter, {
  url: 'Target of the link as written in the e-mail, with merge fields.',
  createdAt: 'Time of the click.',
})

export const ClickConnection = connectionOf(ClickType, {
  noun: 'clicks',
  filter: ClickFilter,
  orders: { CREATED_AT: 'Time of the click.' },
})
