import { numberOf, type Properties, textOf } from '../styles/properties.ts'
import { alignmentClass, commonAttributes, type Draft } from './draft.ts'
import { address, filled, type Markup, markup, staticLink } from './markup.ts'

/** Renders an image, in a link if `href` is a valid link. Returns null if `src` is invalid. */
export function image(draft: Draft, element: Properties): Markup | null {
  const src = staticLink(element['src'])
  if (!src) return null
  const href = element['href'] === undefined ? undefined : address(element['href'])
  const alt = textOf(element['alt'])
  const width = numberOf(element['width'], 1, 10_000)
  // The first image is probably visible at once, so it is loaded early.
  const isFirst = ++draft.counts.images === 1
  const picture = markup`<img src="${src}" alt="${filled(alt)}"${width && markup` width="${Math.round(width)}"`}${
    isFirst ? markup` fetchpriority="high"` : markup` loading="lazy"`
  } decoding="async"${commonAttributes(draft, element, 'picture')}>`
  // Screen readers need a name for a link whose image has no alternative text.
  const name = alt.trim() === '' && markup` aria-label="${staticLink(element['href'])}"`
  return markup`<div class="figure${alignmentClass(element)}">${href ? markup`<a href="${href}"${name}>${picture}</a>` : picture}</div>`
}

/**
 * Renders a video. Returns null if `src` is invalid. A video of YouTube or Vimeo is a link until it is clicked, so that the
 * provider receives no data of the visitor before. On a click, the script replaces the link with the player; without the
 * script, the link opens the page of the video.
 */
export function video(draft: Draft, element: Properties): Markup | null {
  const provider = textOf(element['provider'])
  const embedded = provider === 'youtube' ? youTube(element) : provider === 'vimeo' ? vimeo(element) : undefined
  const src = staticLink(element['src'])
  if (!src && !embedded) return null
  const poster = staticLink(element['poster'])
  const autoplay = element['autoplay'] === true && markup` data-autoplay`
  if (embedded) {
    draft.players.add(embedded.origin)
    draft.needsScript = true
    const picture = poster && markup`<img src="${poster}" alt="" loading="lazy" decoding="async">`
    return markup`<div${commonAttributes(draft, element, 'film')}><a class="play" href="${embedded.page}" target="_blank" rel="noopener" data-embed="${
      embedded.player
    }"${autoplay}>${picture}<span class="play-sign" aria-hidden="true"></span><span class="play-words">${draft.texts.text('page.playVideo')}<span class="q-sr"> (${embedded.name})</span></span></a></div>`
  }
  if (provider !== '' && provider !== 'file') {
    return markup`<p class="action"><a href="${src}" target="_blank" rel="noopener"${commonAttributes(draft, element, '')}>${draft.texts.text('page.watchVideo')}</a></p>`
  }
  if (autoplay) draft.needsScript = true
  return markup`<div${commonAttributes(draft, element, 'film')}><video src="${src}" controls playsinline preload="metadata"${
    poster && markup` poster="${poster}"`
  }${autoplay}><a href="${src}">${draft.texts.text('page.watchVideo')}</a></video></div>`
}

/** A video of a provider: its name, and the URLs of its player and its page. */
interface EmbeddedVideo {
  readonly name: string
  readonly origin: string
  readonly player: string
  readonly page: string
}

/** Returns an address as people copy it, `youtu.be/…` or `//youtu.be/…`, with its scheme. */
function withScheme(src: string): string {
  if (/^[a-z][a-z\d+.-]*:/i.test(src.trim())) return src
  const address = src.trim().replace(/^\/\//, '')
  return /^[\w-]+(?:\.[\w-]+)+\//.test(address) ? `https://${address}` : src
}

/** Parses the URL of a YouTube video. Returns undefined for other URLs. */
function youTube({ src }: Properties): EmbeddedVideo | undefined {
  const url = urlOf(src, [
    ...['youtube.com', 'www.youtube.com', 'm.youtube.com', 'music.youtube.com', 'youtu.be'],
    ...['www.youtube-nocookie.com', 'youtube-nocookie.com'],
  ])
  if (!url) return undefined
  const inPath =
    url.hostname === 'youtu.be'
      ? url.pathname.slice(1).replace(/\/$/, '')
      : /^\/(?:embed|shorts|live|v)\/([^/]+)/.exec(url.pathname)?.[1]
  const id = inPath ?? url.searchParams.get('v') ?? ''
  if (!/^[\w-]{11}$/.test(id)) return undefined
  const start = startOf(url)
  const origin = 'https://www.youtube-nocookie.com'
  const player = `${origin}/embed/${id}?${start && `start=${start}&`}autoplay=1&playsinline=1&rel=0`
  return { name: 'YouTube', origin, player, page: `https://www.youtube.com/watch?v=${id}${start && `&t=${start}s`}` }
}

/** Parses the URL of a Vimeo video. Returns undefined for other URLs. The URL of an unlisted video contains a key. */
function vimeo({ src }: Properties): EmbeddedVideo | undefined {
  const url = urlOf(src, ['vimeo.com', 'www.vimeo.com', 'player.vimeo.com'])
  if (!url) return undefined
  const [, id, inPath] = /^\/(?:video\/)?(\d{1,12})(?:\/([\da-f]{6,40}))?\/?$/.exec(url.pathname) ?? []
  if (id === undefined) return undefined
  const key = inPath ?? /^[\da-f]{6,40}$/.exec(url.searchParams.get('h') ?? '')?.[0]
  const start = startOf(url)
  const at = start && `#t=${start}s`
  const origin = 'https://player.vimeo.com'
  const player = `${origin}/video/${id}?${key === undefined ? '' : `h=${key}&`}autoplay=1&dnt=1${at}`
  return { name: 'Vimeo', origin, player, page: `https://vimeo.com/${id}${key === undefined ? '' : `/${key}`}${at}` }
}

/**
 * Returns the second at which a video starts, as its URL says in the query or behind `#`: `t=90`, `start=90s`, `t=1h1m30s` or
 * `t=1:30`. Empty if it starts at its begin.
 */
function startOf({ searchParams, hash }: URL): string {
  const inHash = new URLSearchParams(hash.slice(1))
  const given = [searchParams, inHash].flatMap((each) => ['t', 'start', 'time_continue'].map((name) => each.get(name)))
  const text = given.find((each) => each !== null)?.toLowerCase() ?? ''
  const [, hours, minutes, seconds] =
    /^(?=.)(?:(\d{1,3})h)?(?:(\d{1,5})m)?(?:(\d{1,6})(?:\.\d+)?s?)?$/.exec(text) ??
    /^(?:(\d{1,3}):)?(\d{1,5}):(\d{1,2})$/.exec(text) ??
    []
  const start = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)
  return start === 0 ? '' : String(start)
}

/** Parses the address of a video. Undefined if it is of another host, or has no place for a link. */
function urlOf(src: unknown, hosts: readonly string[]): URL | undefined {
  const address = typeof src === 'string' ? staticLink(withScheme(src)) : undefined
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined
  return url && /^https?:$/.test(url.protocol) && hosts.includes(url.hostname) ? url : undefined
}
