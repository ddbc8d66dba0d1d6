/** Pointers: the small files that represent large ones in commits. */
import { smallBlobs } from '../../../git/history/small-blobs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { LargeFile } from './lfs.service.ts'

/** Git LFS doesn't treat longer files as pointers. */
const maxPointer_bytes = 1_024

/** The large file that a pointer represents; null for any other content. */
export function pointerIn(data: Buffer): LargeFile | null {
  if (data.length > maxPointer_bytes) return null
  const text = data.toString('latin1')
  if (!text.startsWith('version https://git-lfs.github.com/spec/')) return null
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1]
  const size = Number(/^size (\d{1,15})$/m.exec(text)?.[1] ?? Number.NaN)
  return oid && Number.isSafeInteger(size) ? { oid, size } : null
}

/** The distinct large files in commits reachable from `tips`, but not from `known`. */
export async function largeFilesIn(repo: Repo, tips: Iterable<string>, known: Iterable<string>): Promise<LargeFile[]> {
  const found = new Map<string, LargeFile>()
  for (const oid of await smallBlobs(repo, tips, known, maxPointer_bytes + 1)) {
    const blob = await repo.git.objects.contents(repo.dir, oid)
    const pointer = blob && pointerIn(blob.data)
    if (pointer) found.set(pointer.oid, pointer)
  }
  return [...found.values()]
}
