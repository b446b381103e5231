/**
 * User agents of bots: crawlers, link previews, scanners and uptime checks. Headless browsers and command-line tools are not
 * bots, because operators test their pages with them.
 */
const bots = [
  /(?:(?<!cu)bot|crawler|crawling|spider|slurp|archiver|indexer)(?:\b|[/_;:) -])/i,
  /facebookexternalhit|facebookcatalog|meta-external|whatsapp\/|slack-imgproxy|embedly|quora link preview|vkshare|pinterest\/0|redditbot/i,
  /bingpreview|skypeuripreview|google-(?:inspectiontool|read-aloud|safety|site-verification|extended)|mediapartners-google|adsbot|apis-google|feedfetcher|googleother|storebot|lighthouse|pagespeed|gtmetrix/i,
  /pingdom|uptime|statuscake|site24x7|newrelicpinger|datadogsynthetics|nagios|zabbix|check_http|better ?stack/i,
  /barracuda|proofpoint|mimecast|forcepoint|urldefense|virustotal|microsoft office existence discovery|safe ?links/i,
  /gptbot|chatgpt-user|claude-?web|anthropic-ai|perplexity|bytespider|ccbot|cohere-ai|amazonbot|applebot|petalbot|yandex(?:images|metrika|direct)|baiduspider|semrush|ahrefs|mj12|dotbot|screaming frog|netcraft|censys|zgrab|masscan|expanse/i,
]

/** Whether a user agent is a bot. An empty user agent is a bot. */
export function isBot(userAgent: string): boolean {
  return userAgent.trim() === '' || bots.some((pattern) => pattern.test(userAgent))
}

/** Whether the headers mark a prefetch or preview, which a visitor may never see. */
export function isPrefetch(header: (name: string) => string): boolean {
  return ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) =>
    /prefetch|prerender|preview/i.test(header(name)),
  )
}
