import type { VariableType } from './types.ts'

/** Where files are kept, and the key that may write there. */
interface ObjectStoreSettings {
  /** URL of the bucket, or of a folder in it, without a trailing slash. */
  readonly url: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** The URL of a bucket with the API of S3: `s3://KEY:SECRET@HOST/BUCKET?region=…&tls=off`. The message never shows it. */
export const objectStore: VariableType<ObjectStoreSettings> = {
  accepts:
    's3://KEY:SECRET@HOST/BUCKET, with the parameters region and tls=off, and other characters than letters and digits of the key percent-encoded',
  isPrivate: true,
  parse(value) {
    const url = value.startsWith('s3://') && URL.canParse(value) ? new URL(value.replace('s3:', 'https:')) : undefined
    if (!url?.username || !url.password || !/^\/[\w.-]+(?:\/[\w.-]+)*\/?$/.test(url.pathname)) return undefined
    const { region = 'us-east-1', tls = 'on', ...unknown } = Object.fromEntries(url.searchParams)
    if (Object.keys(unknown).length > 0 || !['on', 'off'].includes(tls) || !/^[\w-]+$/.test(region)) return undefined
    const keys = decoded(url.username, url.password)
    if (!keys) return undefined
    const origin = `${tls === 'on' ? 'https' : 'http'}://${url.host}`
    return { url: `${origin}${url.pathname.replace(/\/$/, '')}`, region, ...keys }
  },
}

function decoded(key: string, secret: string) {
  try {
    return { accessKeyId: decodeURIComponent(key), secretAccessKey: decodeURIComponent(secret) }
  } catch {
    return undefined
  }
}
