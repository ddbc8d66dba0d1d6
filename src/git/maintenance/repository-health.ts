/** Reads the health of a repository without a git process: number, size and age of its files, and the headers of its indexes. */
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repo } from '../repository/repository.ts'
import { countFiles, looseFolders } from './repository-stats.ts'

/** Objects that are older and still not in a pack are probably unreachable. */
const stale_ms = 10 * 24 * 60 * 60 * 1000

/** Counting stops here, so that a request can't read millions of files. */
const maxCountedRefs = 100_000

export interface Bitmap {
  has_hash_cache: boolean
  has_lookup_table: boolean
  version: number
}

export interface Health {
  references: { loose_count: number; packed_size: number }
  objects: ReturnType<typeof sumOf>
  /** Null if git hasn't created this index; so are the others. */
  commit_graph: {
    commit_graph_chain_length: number
    has_bloom_filters: boolean
    has_generation_data: boolean
    has_generation_data_overflow: boolean
  } | null
  bitmap: Bitmap | null
  multi_pack_index: { packfile_count: number; version: number } | null
  multi_pack_index_bitmap: Bitmap | null
}

/** Reads names, sizes and times, and the first bytes of the indexes. */
export async function readHealth({ dir }: Repo): Promise<Health> {
  const objects = join(dir, 'objects')
  const pack = join(objects, 'pack')
  const inPack = await readdir(pack).catch(() => [])
  const [packed, loose] = await Promise.all([
    filesIn(pack, inPack),
    Promise.all((await looseFolders(objects)).map(async (name) => filesIn(join(objects, name), await readdir(join(objects, name))))),
  ])
  const bitmapOf = (name: RegExp) =>
    readBitmap(
      pack,
      inPack.find((file) => name.test(file)),
    )
  return {
    references: {
      loose_count: await countFiles(join(dir, 'refs'), maxCountedRefs),
      packed_size: (await stat(join(dir, 'packed-refs')).catch(() => null))?.size ?? 0,
    },
    objects: sumOf(packed, loose.flat()),
    commit_graph: await readCommitGraph(join(objects, 'info', 'commit-graphs')),
    bitmap: await bitmapOf(/^pack-.*\.bitmap$/),
    multi_pack_index: await readMultiPackIndex(join(pack, 'multi-pack-index')),
    multi_pack_index_bitmap: await bitmapOf(/^multi-pack-index-.*\.bitmap$/),
  }
}

interface File {
  name: string
  size: number
  isStale: boolean
}

/** Leaves out files that are gone by now: maintenance may be removing packs and loose objects at the same time. */
async function filesIn(folder: string, names: string[]): Promise<File[]> {
  const before = Date.now() - stale_ms
  const found = await Promise.all(
    names.map(async (name) => {
      const file = await stat(join(folder, name)).catch(() => null)
      return file ? [{ name, size: file.size, isStale: file.mtimeMs < before }] : []
    }),
  )
  return found.flat()
}

function sumOf(packed: File[], loose: File[]) {
  const ending = (end: string) => packed.filter(({ name }) => name.endsWith(end))
  const withoutEnd = (end: string) => new Set(ending(end).map(({ name }) => name.slice(0, -end.length)))
  const [cruft, kept] = [withoutEnd('.mtimes'), withoutEnd('.keep')]
  const packs = ending('.pack')
  const among = (names: Set<string>) => packs.filter(({ name }) => names.has(name.slice(0, -'.pack'.length)))
  const objects = loose.filter(({ name }) => /^[0-9a-f]{38,62}$/.test(name))
  const all_bytes = bytesOf(packs) + bytesOf(objects)
  const stale_bytes = bytesOf(among(cruft)) + bytesOf(objects.filter(({ isStale }) => isStale))
  return {
    size: all_bytes,
    recent_size: all_bytes - stale_bytes,
    stale_size: stale_bytes,
    keep_size: bytesOf(among(kept)),
    packfile_count: packs.length,
    reverse_index_count: ending('.rev').length,
    cruft_count: cruft.size,
    keep_count: kept.size,
    loose_objects_count: objects.length,
    stale_loose_objects_count: objects.filter(({ isStale }) => isStale).length,
    loose_objects_garbage_count: loose.length - objects.length,
  }
}

function bytesOf(files: File[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}

/** The chain names its files, the oldest first; each begins with a table of its chunks. */
async function readCommitGraph(folder: string): Promise<Health['commit_graph']> {
  const chain = await readFile(join(folder, 'commit-graph-chain'), 'latin1').catch(() => null)
  if (chain === null) return null
  const hashes = chain.split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line))
  const chunks = new Set((await Promise.all(hashes.map((hash) => chunksOf(join(folder, `graph-${hash}.graph`))))).flat())
  return {
    commit_graph_chain_length: hashes.length,
    has_bloom_filters: chunks.has('BDAT'),
    has_generation_data: chunks.has('GDA2'),
    has_generation_data_overflow: chunks.has('GDO2'),
  }
}

async function chunksOf(file: string): Promise<string[]> {
  const count = (await firstBytes(file, 8))?.[6] ?? 0
  const table = await firstBytes(file, 8 + 12 * count)
  return table ? Array.from({ length: count }, (_, index) => table.toString('latin1', 8 + 12 * index, 12 + 12 * index)) : []
}

async function readMultiPackIndex(file: string): Promise<Health['multi_pack_index']> {
  const head = await firstBytes(file, 12)
  return head && { version: head.readUInt8(4), packfile_count: head.readUInt32BE(8) }
}

const flags = { hashCache: 0x4, lookupTable: 0x10 }

async function readBitmap(folder: string, name: string | undefined): Promise<Bitmap | null> {
  const head = name === undefined ? null : await firstBytes(join(folder, name), 8)
  if (!head) return null
  const set = head.readUInt16BE(6)
  return {
    has_hash_cache: (set & flags.hashCache) !== 0,
    has_lookup_table: (set & flags.lookupTable) !== 0,
    version: head.readUInt16BE(4),
  }
}

/** Null if there is no such file, or if it is shorter. */
async function firstBytes(path: string, length: number): Promise<Buffer | null> {
  const file = await open(path).catch(() => null)
  if (!file) return null
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, 0)
    return bytesRead === length ? buffer : null
  } finally {
    await file.close()
  }
}
