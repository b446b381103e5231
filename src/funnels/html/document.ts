import { controlCss } from '../../forms/rendering.ts'
import { directionOf } from '../../kernel/texts/texts.ts'
import { trusted } from '../../kernel/web/html.ts'
import { pageCss, pageScript } from './assets.ts'
import { policy, sourceHash } from './csp.ts'
import { type Draft, newDraft } from './elements/draft.ts'
import { section } from './elements/layout.ts'
import { filled, type Markup, markup, staticLink } from './elements/markup.ts'
import type { PageSource } from './elements/model.ts'
import { pageStyle } from './styles/color-scheme.ts'
import { propertiesOf, visibleObjectsOf } from './styles/properties.ts'

/** The HTML of a whole page, its Content-Security-Policy, and the draft it was built from. */
export interface Document {
  readonly draft: Draft
  readonly markup: Markup
  readonly csp: string
}

/** Builds the HTML of a page from its document. Empty and invalid sections are left out. */
export function documentOf(source: PageSource): Document {
  const draft = newDraft(source)
  const { settings, root } = propertiesOf(source.document)
  const bodyClass = draft.sheet.classOf(pageStyle(settings))
  const sections = visibleObjectsOf(root).map((each) => section(draft, each))
  const style = `${pageCss}\n${controlCss}\n${draft.sheet.css()}`
  const { language } = draft
  const icon = staticLink(propertiesOf(propertiesOf(settings)['icon'])['src'])
  const description = source.description.trim()
  // Screen readers navigate by headings, so a page without a main heading gets a hidden one.
  const heading = draft.counts.mainTitles === 0 && markup`<h1 class="q-sr">${filled(source.title)}</h1>`
  return {
    draft,
    markup: markup`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${filled(source.title)}</title>
${description !== '' && markup`<meta name="description" content="${filled(description)}">\n`}<meta property="og:title" content="${filled(source.title)}">
<meta property="og:type" content="website">
${icon ? markup`<link rel="icon" href="${icon}">\n` : null}<style>${trusted(style)}</style>
</head>
<body class="${bodyClass}">
<main>
${heading}${sections}</main>
${draft.needsScript && markup`<script>${trusted(pageScript)}</script>\n`}</body>
</html>
`,
    csp: policy({
      style: sourceHash(style),
      script: draft.needsScript ? sourceHash(pageScript) : undefined,
      players: draft.players,
      targets: [...draft.forms.values()].flatMap(({ action }) => action ?? []),
    }),
  }
}
