/** Stored objects that nobody reads without the key of the instance: held in memory as a whole, so for small ones. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { App } from '../../../app.ts'
import { storeObject } from './object-storage.service.ts'

/** As `storeObject`, sealed for `purpose`: for no other it can be opened. `size` is that of the object. */
export async function storeSealed(app: App, folder: string, bytes: Buffer, purpose: string): Promise<{ store_key: string; size: number }> {
  const sealed = app.secrets.sealBytes(bytes, purpose)
  const expected = { size: sealed.length, sha256: createHash('sha256').update(sealed).digest('hex') }
  return { store_key: await storeObject(app, folder, Readable.from([sealed]), expected), size: sealed.length }
}

/** Throws 404 where the object is gone meanwhile. */
export async function openSealed(app: App, key: string, purpose: string): Promise<Buffer> {
  return app.secrets.unsealBytes(await buffer(await app.store.open(key)), purpose)
}

/** All bytes of a request, up to a limit. Null beyond it. */
export async function readUpTo(content: Readable, max_bytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of content as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > max_bytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
