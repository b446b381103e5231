import { t } from '@lingui/core/macro'

// A browser also has the names of those that it descends from, so the first match counts.
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, 'Edge'],
  [/\b(?:OPR|Opera)\/(\d+)/, 'Opera'],
  [/\bSamsungBrowser\/(\d+)/, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:Headless)?(?:Chrome|Chromium|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[^ ]* (?:Mobile\/\S+ )?Safari\//, 'Safari'],
  [/\bcurl\/(\d+)/, 'curl'],
]

const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
]

/** Returns the browser and the system that a user agent names: "Firefox 140 on Linux". */
export function browserWords(userAgent: string): string {
  const browser = browsers.map(([pattern, name]) => ({ name, version: pattern.exec(userAgent)?.[1] }))
  const found = browser.find(({ version }) => version !== undefined)
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1]
  const name = found ? `${found.name} ${found.version}` : undefined
  if (name && system) return t`${name} on ${system}`
  // Programs name themselves in few words.
  const own = userAgent.length <= 40 ? userAgent : ''
  return name ?? (system ? t`A browser on ${system}` : own || t`Unknown browser`)
}
