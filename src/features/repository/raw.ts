/** How the bytes of users are served: as plain text or as a download, never as something a browser would run. */
import { Readable } from 'node:stream'
import { openBlob } from '../../git/blobs.ts'
import type { Repo } from '../../git/repository.ts'
import type { RawReply } from '../../http/endpoint.ts'
import { headerText } from './headers.ts'

const looked_at_bytes = 8_000

/** The reply for a blob of `size` bytes. `name` is the file's name where it is known. */
export async function rawBlob(
  repo: Repo,
  { oid, size }: { oid: string; size: number },
  name: string,
  headers: Record<string, string> = {},
): Promise<RawReply> {
  const bytes = await openBlob(repo, oid, size)
  const isText = !(bytes instanceof Readable) && !bytes.subarray(0, looked_at_bytes).includes(0)
  return {
    type: isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
    size,
    headers: {
      ...headers,
      etag: `"${oid}"`,
      'content-disposition': `${isText ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(headerText(name))}`,
    },
    open: () => bytes,
  }
}
