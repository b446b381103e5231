import {
  conditionNumbers,
  inlineText,
  type MessageBlock,
  networks,
  richTextPlain,
  type ShownDocument,
} from '../../content/rendering.ts'
import type { ConditionalRange } from '../bodies/conditional-parts.ts'
import { htmlToText } from '../bodies/plain-text.ts'
import type { MessageStyle } from './style.ts'

/**
 * Returns the plain text of a document: its blocks from top to bottom, in columns from left to right. `conditional` are the parts
 * that are shown under a condition.
 */
export function plainTextOf(
  document: ShownDocument,
  style: MessageStyle,
): { readonly text: string; readonly conditional: readonly ConditionalRange[] } {
  const numberOf = conditionNumbers(document)
  const conditional: ConditionalRange[] = []
  let all = ''
  const within = (owner: { readonly showTo?: object | undefined }, work: () => void) => {
    const from = all.length
    work()
    const condition = numberOf(owner)
    if (condition !== undefined && all.length > from) conditional.push([condition, from, all.length])
  }
  for (const section of document.sections) {
    within(section, () => {
      for (const block of section.columns.flatMap(({ blocks }) => blocks)) {
        within(block, () => {
          const text = textOf(block, style)
          if (text.trim() !== '') all += `${text}\n\n`
        })
      }
    })
  }
  return { text: all.replace(/\n\n$/, '\n'), conditional }
}

function textOf(block: MessageBlock, style: MessageStyle): string {
  switch (block.type) {
    case 'heading': {
      const text = inlineText(block.content)
      return block.level === 1 ? `${text}\n${'='.repeat(Math.min(text.length, 60))}` : text
    }
    case 'text':
      return richTextPlain(block.content)
    case 'image':
      return block.src === '' ? '' : [block.alt, block.href].filter(Boolean).join(': ')
    case 'button':
      return block.href === '' ? '' : `${block.text}: ${block.href}`
    case 'divider':
      return '---'
    case 'spacer':
    case 'logo':
      return ''
    case 'social':
      return (block.links ?? style.links)
        .flatMap(({ network, href }) => (href === '' ? [] : `${networks[network]}: ${href}`))
        .join('\n')
    case 'product':
      return [block.name, block.price, block.description, block.href].filter(Boolean).join('\n')
    case 'video':
      return [block.alt, block.href].filter(Boolean).join(': ')
    case 'html':
      return htmlToText(block.html)
    case 'footer': {
      const { text, address = style.address, unsubscribe = 'Unsubscribe', view = 'View in browser' } = block
      const links = [`${unsubscribe}: {{UNSUBSCRIBE_URL}}`, ...(view === null ? [] : [`${view}: {{VIEW_URL}}`])]
      return ['-- ', text, address.trim(), ...links].filter(Boolean).join('\n')
    }
  }
}
