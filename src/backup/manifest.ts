/** The manifest of a generation: its contents, and the checksums to verify them. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { StartRefused } from '../failure.ts'
import { type FileSum, readPlainText, writeText } from './files.ts'
import { requireKnownNames } from './trust.ts'

/** Incremented when older programs can't read what this one writes. */
export const formatVersion = 1

const manifestName = 'manifest.json'

export interface Manifest {
  format: number
  /** Version of the program. */
  gitstead: string
  /** The instants of the snapshot and of the end. */
  snapshot_at: string
  finished_at: string
  migrations: string[]
  /** The last id that each table assigned. */
  sequences: Record<string, number>
  tables: Array<{ name: string; columns: string[]; rows: number }>
  repositories: number
  objects: number
  /** Descriptions of what could not be saved; a complete generation has none. */
  faults: string[]
  /** Every file except git objects and objects of the store, which have checksums of their own. Keyed by path in the generation. */
  files: Record<string, FileSum>
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const text = JSON.stringify(manifest, null, 1)
  await writeText(join(folder, manifestName), JSON.stringify({ sha256: sumOf(text), manifest }, null, 1))
}

/** Throws StartRefused if there is no valid one, or only one of a newer program. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifestName)
  const text = await readPlainText(path).catch((error: NodeJS.ErrnoException) => {
    throw error instanceof StartRefused ? error : new StartRefused(`${path} cannot be read: ${error.code}`)
  })
  const read = parse(text)
  if (!read) throw new StartRefused(`${path} is damaged`)
  if (read.manifest.format > formatVersion)
    throw new StartRefused(`${folder} was made by Gitstead ${read.manifest.gitstead}, which is newer`)
  if (read.sha256 !== sumOf(JSON.stringify(read.manifest, null, 1))) throw new StartRefused(`${path} is damaged`)
  requireKnownNames(read.manifest)
  return read.manifest
}

function parse(text: string): { sha256: string; manifest: Manifest } | null {
  try {
    const { sha256, manifest } = JSON.parse(text) as { sha256?: string; manifest?: Manifest }
    return typeof sha256 === 'string' && typeof manifest?.format === 'number' ? { sha256, manifest } : null
  } catch {
    return null
  }
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
