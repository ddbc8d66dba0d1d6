/** Writes a tar.gz, one file after the other, through temporary files. Archives of projects and of groups are written by it. */
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'
import type { App } from '../../../app.ts'
import { openTempFile, type TempFile } from '../../../store/temp-file.ts'
import { peopleOf } from './archive.queries.ts'

/** How many rows are read at once. */
export const page_rows = 500

export interface Packing {
  app: App
  pack: Pack
  signal: AbortSignal | undefined
}

interface PackOptions {
  signal?: AbortSignal | undefined
  /** Called with the size of the archive so far, in bytes. */
  onWritten?: ((bytes: number) => void) | undefined
}

/** The archive that `fill` writes into. The caller closes it. */
export async function packed(app: App, { signal, onWritten }: PackOptions, fill: (packing: Packing) => Promise<void>): Promise<TempFile> {
  const archive = await app.store.openDraft()
  const packing: Packing = { app, pack: pack(), signal }
  try {
    // Most of it is compressed already.
    const written = pipeline(packing.pack, createGzip({ level: 1 }), async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) {
        await archive.append(chunk)
        onWritten?.(archive.size)
      }
    })
    const filled = fill(packing).then(
      () => packing.pack.finalize(),
      (error: Error) => {
        packing.pack.destroy(error)
        throw error
      },
    )
    await Promise.all([filled, written])
    return archive
  } catch (error) {
    await archive.close()
    throw error
  }
}

/** For content that is small enough for memory. */
export function addBytes({ pack }: Packing, name: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => pack.entry({ name }, bytes, (error) => (error ? reject(error) : resolve())))
}

async function addStream({ pack, signal }: Packing, name: string, size: number, source: Readable): Promise<void> {
  signal?.throwIfAborted()
  await pipeline(source, pack.entry({ name, size }))
}

/** For content that is written to disk first, as a tar entry begins with its size. */
export async function addMade(packing: Packing, name: string, make: (file: TempFile) => Promise<boolean>): Promise<void> {
  const file = await openTempFile(packing.app.config.home)
  try {
    if (await make(file)) await addStream(packing, name, file.size, file.open())
  } finally {
    await file.close()
  }
}

/** @param size in bytes; null if it is unknown */
export async function addStored(packing: Packing, name: string, store_key: string, size: number | null): Promise<void> {
  const source = await packing.app.store.open(store_key)
  if (size !== null) return addStream(packing, name, size, source)
  await addMade(packing, name, async (file) => {
    for await (const chunk of source as AsyncIterable<Buffer>) await file.append(chunk)
    return true
  })
}

/** As lines of JSON. */
export function appendLines(file: TempFile, lines: object[]): Promise<void> {
  return file.append(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')))
}

/** @param members whose email addresses are included; null if nobody's are */
export async function addPeople(packing: Packing, people: Set<number>, members: Set<number> | null): Promise<void> {
  const ids = [...people]
  await addMade(packing, 'tables/people.jsonl', async (file) => {
    for (let at = 0; at < ids.length; at += page_rows) {
      const found = await peopleOf(packing.app.db, ids.slice(at, at + page_rows))
      await appendLines(
        file,
        found.map((person) => ({ ...person, email: members?.has(person.id) ? person.email : null })),
      )
    }
    return true
  })
}
