/** The networks that messages link to, as their readers see them: in the same words in each language. */
export const networkNames: Readonly<Record<string, string>> = {
  WEBSITE: 'Website',
  FACEBOOK: 'Facebook',
  INSTAGRAM: 'Instagram',
  LINKEDIN: 'LinkedIn',
  X: 'X',
  YOUTUBE: 'YouTube',
  TIKTOK: 'TikTok',
  MASTODON: 'Mastodon',
  BLUESKY: 'Bluesky',
  THREADS: 'Threads',
  PINTEREST: 'Pinterest',
  WHATSAPP: 'WhatsApp',
  TELEGRAM: 'Telegram',
  DISCORD: 'Discord',
  GITHUB: 'GitHub',
  PODCAST: 'Podcast',
}
