/**
 * User agents of programs that fetch images and follow links automatically: virus scanners of mail gateways, link previews,
 * crawlers, and e-mail clients that fetch everything on delivery. Image proxies that fetch when a message is read are not
 * included.
 */
const botPatterns = [
  // Apple's Mail Privacy Protection, which fetches all images on delivery, sends nothing else.
  /^Mozilla\/5\.0$/,
  /barracuda|proofpoint|mimecast|mailscanner|messagelabs|forcepoint|fireeye|trendmicro|sophos|cisco-?ironport|zscaler/i,
  /\b(?:safe ?links|urldefense|linkscan|urlscan|virustotal|clamav|bitdefender|kaspersky)/i,
  /microsoft office existence discovery|bingpreview|skypeuripreview|teamsbot/i,
  /(?:(?<!cu)bot|crawler|spider|slurp)(?:\b|[/_-])/i,
  /facebookexternalhit|whatsapp\/|slackbot|telegrambot|discordbot|linkpreview|google-?safety|google-?read-?aloud/i,
  /headlesschrome|phantomjs/i,
]

/** Returns whether a user agent is a known prefetcher or scanner. */
export function isBot(userAgent: string): boolean {
  return botPatterns.some((pattern) => pattern.test(userAgent))
}
