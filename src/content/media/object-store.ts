import { AwsClient } from 'aws4fetch'

/** A store for the bytes of files, by key. */
export interface ObjectStore {
  put(key: string, body: Uint8Array, mediaType: string): Promise<void>
  /** Returns the bytes of an object as a stream, or undefined if it does not exist. */
  read(key: string): Promise<ReadableStream<Uint8Array> | undefined>
  /** Removes an object. Does nothing if it does not exist. */
  remove(key: string): Promise<void>
}

/** The store does not respond, or refuses a request. */
export class ObjectStoreError extends Error {
  override name = 'ObjectStoreError'
}

interface StoreSettings {
  /** URL of the bucket, or of a folder in it, without a trailing slash. */
  readonly url: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Maximum time until the store responds, in milliseconds, and how often a request is repeated that it cannot serve. */
const [timeoutMs, retries] = [30_000, 2]

/**
 * Creates the client of a store with the API of S3. Errors name the method and the status, and never the key. Without settings,
 * bytes are kept in the database, and there is none.
 */
export function newMediaStore(settings: StoreSettings | undefined): ObjectStore | undefined {
  if (!settings) return undefined
  const { url, ...keys } = settings
  const client = new AwsClient({ ...keys, service: 's3', retries })
  const send = async (method: string, key: string, init: RequestInit = {}) => {
    const abort = new AbortController()
    // Only until the headers arrive: the body is read as slowly as a client receives it.
    const timer = setTimeout(() => abort.abort(), timeoutMs)
    try {
      const path = key.split('/').map(encodeURIComponent).join('/')
      const response = await client
        .fetch(`${url}/${path}`, { ...init, method, signal: abort.signal })
        .catch((cause: Error) => {
          throw new ObjectStoreError(`The media store did not respond to ${method}: ${cause.message}`)
        })
      if (response.ok) return response
      await response.body?.cancel()
      if (response.status === 404) return undefined
      throw new ObjectStoreError(`The media store responded to ${method} with status ${response.status}.`)
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    put: async (key, body, mediaType) => {
      const headers = { 'Content-Type': mediaType }
      // The copy has a buffer of its own, as the type of a body requires.
      const response = await send('PUT', key, { body: new Uint8Array(body), headers })
      if (!response) throw new ObjectStoreError('The bucket of the media store does not exist.')
      await response.body?.cancel()
    },
    read: async (key) => (await send('GET', key))?.body ?? undefined,
    remove: async (key) => {
      await (await send('DELETE', key))?.body?.cancel()
    },
  }
}
