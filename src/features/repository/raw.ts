/** How the bytes of users are served: as plain text or as a download, never as something a browser would run. */
import { openBlob, readBlob, streamedFrom_bytes } from '../../git/blobs.ts'
import type { Repo } from '../../git/repository.ts'
import type { RawReply } from '../../http/endpoint.ts'

const looked_at_bytes = 8_000

/** The reply for a blob of `size` bytes. `name` is the file's name where it is known. */
export async function rawBlob(
  repo: Repo,
  { oid, size }: { oid: string; size: number },
  name: string,
  headers: Record<string, string> = {},
): Promise<RawReply> {
  // A large one is not looked at: whoever asks for the headers alone starts no process.
  const held = size < streamedFrom_bytes ? await readBlob(repo, oid) : null
  const isText = held !== null && !held.data.subarray(0, looked_at_bytes).includes(0)
  return {
    type: isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
    size,
    headers: {
      ...headers,
      etag: `"${oid}"`,
      'content-disposition': `${isText ? 'inline' : 'attachment'}; filename*=UTF-8''${extendedValue(name)}`,
    },
    open: () => held?.data ?? openBlob(repo, oid, size),
  }
}

/** A text as RFC 8187 has it in a header: what `encodeURIComponent` leaves and the RFC does not is encoded too. */
function extendedValue(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}
