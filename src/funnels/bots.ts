/**
 * Programs that go through pages without anybody reading: crawlers, link previews, scanners, checks whether a site is up.
 * Browsers without a window and command-line tools count as people: operators try their pages with them.
 */
const bots = [
  /(?:(?<!cu)bot|crawler|crawling|spider|slurp|archiver|indexer)(?:\b|[/_;:) -])/i,
  /facebookexternalhit|facebookcatalog|meta-external|whatsapp\/|slack-imgproxy|embedly|quora link preview|vkshare|pinterest\/0|redditbot/i,
  /bingpreview|skypeuripreview|google-(?:inspectiontool|read-aloud|safety|site-verification|extended)|mediapartners-google|adsbot|apis-google|feedfetcher|googleother|storebot|lighthouse|pagespeed|gtmetrix/i,
  /pingdom|uptime|statuscake|site24x7|newrelicpinger|datadogsynthetics|nagios|zabbix|check_http|better ?stack/i,
  /barracuda|proofpoint|mimecast|forcepoint|urldefense|virustotal|microsoft office existence discovery|safe ?links/i,
  /gptbot|chatgpt-user|claude-?web|anthropic-ai|perplexity|bytespider|ccbot|cohere-ai|amazonbot|applebot|petalbot|yandex(?:images|metrika|direct)|baiduspider|semrush|ahrefs|mj12|dotbot|screaming frog|netcraft|censys|zgrab|masscan|expanse/i,
]

/** Whether a program of that kind is asking, by the name that it gives itself. Who gives none is one. */
export function isBot(userAgent: string): boolean {
  return userAgent.trim() === '' || bots.some((pattern) => pattern.test(userAgent))
}

/** Whether a browser asks for what nobody may ever look at, by its headers. */
export function isPrefetch(header: (name: string) => string): boolean {
  return ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) =>
    /prefetch|prerender|preview/i.test(header(name)),
  )
}
