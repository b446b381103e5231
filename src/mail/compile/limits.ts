import { maxContentBytes } from '../../content/rendering.ts'

/** Limits of a document before it is copied to a thread. */
export const documentLimits = { depth: 30, values: 50_000, bytes: maxContentBytes } as const
