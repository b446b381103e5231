import { describe, expect, it } from 'vitest'
import { createSubscriber, newMailWorld, ownUrls } from './reading.ts'

const address = 'https://shop.example/?e={{EMAIL}}&amp;n={{FIRST_NAME}}'

async function received(html: string) {
  const { world, send } = await newMailWorld()
  await createSubscriber(world, { email: 'bob+1@example.com', firstName: 'Bob & <Co>' })
  const [message] = await send({ html: `${html}<a href="{{UNSUBSCRIBE_URL}}">Leave</a>` })
  if (!message) throw new Error('Nothing came.')
  return message
}

describe('a link for Outlook', () => {
  it.each([
    [
      'a VML shape',
      `<!--[if mso]><v:roundrect xmlns:v="urn:x" href="${address}" arcsize="8%"><center>Shop</center></v:roundrect><![endif]-->`,
    ],
    ['a VML shape without a comment', `<v:rect href="${address}"></v:rect>`],
    ['an anchor', `<!--[if (gte mso 9)|(IE)]>\n<table><tr><td><a href='${address}'>Shop</a><![endif]-->`],
    ['an anchor for all others', `<!--[if !mso]><!--><a href="${address}">Shop</a><!--<![endif]-->`],
    ['an anchor in a comment that is shown', `<![if !mso]><a href="${address}">Shop</a><![endif]>`],
  ])('is tracked: %s', async (_name, html) => {
    const message = await received(html)
    expect(message.html).not.toContain('shop.example')
    const [url = ''] = ownUrls(message, '/t/c/')
    const response = await fetch(url, { redirect: 'manual' })
    expect(response.headers.get('location')).toBe(
      'https://shop.example/?e=bob%2B1%40example.com&n=Bob%20%26%20%3CCo%3E',
    )
  })

  it('is filled and encoded as other links are if it is not tracked', async () => {
    const message = await received(
      '<!--[if mso]><v:rect href="mailto:{{EMAIL}}" title="{{FIRST_NAME}}">{{FIRST_NAME}}</v:rect><![endif]-->',
    )
    const name = 'Bob &#38; &#60;Co&#62;'
    expect(message.html).toContain(
      `<!--[if mso]><v:rect href="mailto:bob%2B1%40example.com" title="${name}">${name}</v:rect><![endif]-->`,
    )
  })

  it('is neither tracked nor filled in an ordinary comment', async () => {
    const comment = `<!-- <a href="${address}">{{FIRST_NAME}}</a> -->`
    const message = await received(`<p>Hi</p>${comment}`)
    expect(message.html).toContain(comment)
  })
})
