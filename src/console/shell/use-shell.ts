import { useQuery } from 'urql'
import { ShellStateDocument, type ShellStateQuery } from '../generated/shell.documents.ts'

/** Returns the viewer and the account. Reads the cache only: every screen's query contains both. */
export function useShell(): Partial<ShellStateQuery> {
  const [{ data }] = useQuery({ query: ShellStateDocument, requestPolicy: 'cache-only' })
  return data ?? {}
}
