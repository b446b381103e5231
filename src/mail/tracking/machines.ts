/**
 * Programs that fetch pictures and follow links without anybody reading: virus scanners of mail gateways, link
 * previews, crawlers, and mail clients that fetch everything on delivery. A mail service's picture proxy is not one of
 * them, where it fetches when the message is read.
 */
const machines = [
  // Apple's Mail Privacy Protection fetches all pictures on delivery and says no more than this.
  /^Mozilla\/5\.0$/,
  /barracuda|proofpoint|mimecast|mailscanner|messagelabs|forcepoint|fireeye|trendmicro|sophos|cisco-?ironport|zscaler/i,
  /\b(?:safe ?links|urldefense|linkscan|urlscan|virustotal|clamav|bitdefender|kaspersky)/i,
  /microsoft office existence discovery|bingpreview|skypeuripreview|teamsbot/i,
  /(?:(?<!cu)bot|crawler|spider|slurp)(?:\b|[/_-])/i,
  /facebookexternalhit|whatsapp\/|slackbot|telegrambot|discordbot|linkpreview|google-?safety|google-?read-?aloud/i,
  /headlesschrome|phantomjs/i,
]

/** Whether a known prefetcher or scanner is asking, by the name that it gives itself. */
export function isMachine(userAgent: string): boolean {
  return machines.some((pattern) => pattern.test(userAgent))
}
