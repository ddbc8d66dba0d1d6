/** Serves the bytes of a blob, as plain text or as a download, never as something a browser would execute. */
import { openBlob, readBlob, streamedFrom_bytes } from '../../../git/objects/blobs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { RawReply } from '../../../http/declare/endpoint.ts'
import { disposition } from '../../../http/reply/content-disposition.ts'

const sniffed_bytes = 8_000

/** The reply for a blob of `size` bytes. `name` is the file's name, or the blob's id; `more` gives further headers. */
export function rawBlob(
  repo: Repo,
  { oid, size }: { oid: string; size: number },
  name: string,
  more: () => Promise<Record<string, string>> = async () => ({}),
): RawReply {
  return {
    etag: `"${oid}"`,
    size,
    async describe() {
      // Large blobs are not sniffed, so that a HEAD request starts no process.
      const held = size < streamedFrom_bytes ? await readBlob(repo, oid) : null
      const isText = held !== null && !held.data.subarray(0, sniffed_bytes).includes(0)
      return {
        type: isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
        'content-disposition': disposition(isText ? 'inline' : 'attachment', name),
        ...(await more()),
      }
    },
    open: (part) => openBlob(repo, oid, size, part),
  }
}
