/** Contents of files: small ones from the cache or the cat-file pool, large ones as a stream. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { command } from '../process/command.ts'
import { outputOf, type Span, sendingDeadline_ms, whenStarted } from '../process/output.ts'
import { cached } from '../repository/object-cache.ts'
import { type Repo, startIn } from '../repository/repository.ts'

export interface Blob {
  oid: string
  data: Buffer
  /** Hexadecimal. */
  sha256: string
}

/** Larger blobs are streamed by a process of their own, and never held in memory. */
export const streamedFrom_bytes = 8 * 1024 * 1024

/** A whole blob; null if `oid` is not a blob. The caller must have checked the size. */
export async function readBlob(repo: Repo, oid: string): Promise<Blob | null> {
  return cached(
    repo.git.cache,
    `${repo.dir} blob ${oid}`,
    async () => {
      const object = await repo.git.objects.contents(repo.dir, oid)
      if (object?.type !== 'blob') return null
      // Copied, since a slice would keep the whole chunk in memory.
      const data = object.size < 64 * 1024 ? Buffer.from(object.data) : object.data
      return { oid: object.oid, data, sha256: createHash('sha256').update(data).digest('hex') }
    },
    (blob) => 200 + (blob?.data.length ?? 0),
  )
}

/** The bytes of a blob, or a span of them. The blob must exist and have `size` bytes. */
export async function openBlob(repo: Repo, oid: string, size: number, span?: Span): Promise<Readable | Buffer> {
  if (size < streamedFrom_bytes) {
    const blob = await readBlob(repo, oid)
    if (!blob) throw new Error(`${oid} is no blob`)
    return span ? blob.data.subarray(span.start, span.end + 1) : blob.data
  }
  const args = command`cat-file blob ${oid}`
  return whenStarted(outputOf(startIn(repo, args, { deadline_ms: sendingDeadline_ms }), args, span))
}

/** SHA-256 of a blob of any size, in hexadecimal; cached. */
export function sha256Of(repo: Repo, oid: string, size: number): Promise<string> {
  return cached(
    repo.git.cache,
    `${repo.dir} sha256 ${oid}`,
    async () => {
      const hash = createHash('sha256')
      const bytes = await openBlob(repo, oid, size)
      for await (const chunk of bytes instanceof Readable ? bytes : [bytes]) hash.update(chunk)
      return hash.digest('hex')
    },
    () => 64,
  )
}
