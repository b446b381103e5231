import { parseDocument } from 'htmlparser2'

interface Tag {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** Returns all text. */
  readonly text: string
}

interface Branch {
  readonly type: string
  readonly name?: string
  readonly data?: string
  readonly attribs?: Record<string, string>
  readonly children?: readonly Branch[]
}

/** Returns the elements of HTML in order, optionally only those with these names. */
export function tagsOf(html: string, ...names: readonly string[]): Tag[] {
  const tags: Tag[] = []
  const walk = (branch: Branch): void => {
    const { name } = branch
    if (name !== undefined && branch.attribs && (names.length === 0 || names.includes(name))) {
      tags.push({ name, attributes: branch.attribs ?? {}, text: textIn(branch) })
    }
    for (const child of branch.children ?? []) walk(child)
  }
  walk(parseDocument(html) as unknown as Branch)
  return tags
}

function textIn({ data, children }: Branch): string {
  return data ?? (children ?? []).map(textIn).join('')
}
