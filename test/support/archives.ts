/** Archives of projects for tests: those the service makes, taken apart and put together again, and those nobody should make. */
import { gunzipSync, gzipSync } from 'node:zlib'
import { extract, type Header, pack } from 'tar-stream'
import type { Answer } from './client.ts'
import type { Forge, TestUser } from './forge.ts'
import { asForm } from './form.ts'

export interface ArchiveFile extends Partial<Header> {
  name: string
  content?: Buffer | string
}

/** A tar.gz of these files in this order. */
export async function archiveOf(files: ArchiveFile[]): Promise<Buffer> {
  const tar = pack()
  const chunks: Buffer[] = []
  const read = (async () => {
    for await (const chunk of tar) chunks.push(chunk as Buffer)
  })()
  for (const { content = '', ...header } of files) {
    const isFile = (header.type ?? 'file') === 'file'
    tar.entry(header, isFile ? content : '')
  }
  tar.finalize()
  await read
  return gzipSync(Buffer.concat(chunks))
}

export async function filesIn(archive: Buffer): Promise<Array<{ name: string; content: Buffer }>> {
  const entries = extract()
  entries.end(gunzipSync(archive))
  const files: Array<{ name: string; content: Buffer }> = []
  for await (const entry of entries) {
    const chunks: Buffer[] = []
    for await (const chunk of entry) chunks.push(chunk as Buffer)
    files.push({ name: entry.header.name, content: Buffer.concat(chunks) })
  }
  return files
}

/** Has the archive of a project made, and fetches it. */
export async function exportOf(forge: Forge, user: TestUser, project: { id: number }): Promise<Buffer> {
  await forge.as(user).post(`/projects/${project.id}/export`)
  await forge.drain()
  const { status, bytes, text } = await forge.as(user).get(`/projects/${project.id}/export/download`)
  if (status !== 200) throw new Error(`no archive: ${status} ${text}`)
  return bytes
}

export function sendArchive(forge: Forge, user: TestUser, archive: Buffer, fields: Record<string, string>): Promise<Answer> {
  const { payload, headers } = asForm({ ...fields, file: archive })
  return forge.as(user).post('/projects/import', payload, { headers })
}

/** While nothing of the queue is worked off. */
export async function withoutQueue<T>(forge: Forge, work: () => Promise<T>): Promise<T> {
  const results: T[] = []
  await forge.cost(async () => results.push(await work()))
  return results[0] as T
}

let counter = 0

/** Imports the archive, and tells how that went. */
export async function importOf(
  forge: Forge,
  user: TestUser,
  archive: Buffer,
  fields: Record<string, string> = {},
): Promise<{ id: number; import_status: string; import_error?: string; path_with_namespace: string }> {
  const sent = await sendArchive(forge, user, archive, { path: `imported${++counter}`, ...fields })
  if (sent.status !== 201) throw new Error(`not taken: ${sent.status} ${sent.text}`)
  await forge.drain()
  // What the import has left to the queue.
  await forge.drain()
  return (await forge.as(user).get(`/projects/${sent.body.id}/import`)).body
}
