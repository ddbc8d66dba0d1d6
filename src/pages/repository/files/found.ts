/** The file at a place: its type and size. */
import { notFound } from '../../../failure.ts'
import { readBlob } from '../../../git/objects/blobs.ts'
import type { TreeEntry } from '../../../git/objects/parse.ts'
import { findEntry, objectInfo, readCommit } from '../../../git/objects/read.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { Place } from '../../project/address.ts'

export interface FoundFile {
  name: string
  oid: string
  /** In bytes. */
  size: number
  mode: string
}

const sniffed_bytes = 8_000

/** The entry at the place; null if there is none, and for the root. */
export async function entryAt(repo: Repo, { commit, path }: Place): Promise<TreeEntry | null> {
  return findEntry(repo, (await readCommit(repo, commit)).tree, path)
}

/** Throws 404 if the entry isn't a file. */
export async function fileOf(repo: Repo, entry: TreeEntry | null): Promise<FoundFile> {
  const info = entry?.type === 'blob' ? await objectInfo(repo, entry.oid) : null
  if (!entry || !info) throw notFound('File')
  return { name: entry.name, oid: info.oid, size: info.size, mode: entry.mode }
}

/** The content of a file of up to `max_bytes`; null for a larger one. */
export async function dataOf(repo: Repo, { oid, size }: FoundFile, max_bytes: number): Promise<Buffer | null> {
  return size > max_bytes ? null : ((await readBlob(repo, oid))?.data ?? null)
}

export function isText(data: Buffer): boolean {
  return !data.subarray(0, sniffed_bytes).includes(0)
}

const pictures: Record<string, string> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  gif: 'image/gif',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
}

/** The media type of a raster image, by its name: browsers run nothing in it. Null for other files. */
export function pictureType(name: string): string | null {
  return pictures[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''] ?? null
}
