/** Files attached to the texts of a project: storing and serving them. */
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Upload, User } from '../../../db/tables.ts'
import { Failure, notFound } from '../../../failure.ts'
import type { RawReply } from '../../../http/declare/endpoint.ts'
import { LargeUpload } from '../../../http/parameters/upload.ts'
import { disposition } from '../../../http/reply/content-disposition.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { abandon, refer, storeDraft } from '../../storage/object-storage/object-storage.ts'
import { assertRoom, type Measured } from '../../storage/quotas/quotas.ts'
import { loadLockedProject } from '../projects/projects.ts'
import { imageTypeOf, linkTo, safeName, sniffed_bytes } from './file-names.ts'
import { deleteUpload, insertUpload, uploadAt } from './uploads.queries.ts'

const mib = 1024 * 1024

/** The setting of the instance. */
export async function maxUpload_bytes(app: App): Promise<number> {
  return (await readSettings(app.db)).max_attachment_size * mib
}

/** Stores the file and returns the link to it. Throws 404 if the project has been removed, 403 if it is full. */
export async function storeUpload(app: App, project: Measured, user: User, { filename: sent, content }: LargeUpload) {
  const { id: project_id } = project
  await assertRoom(app, project, 'files', content.size)
  const secret = randomBytes(16).toString('hex')
  const filename = safeName(sent)
  const store_key = await storeDraft(app, 'uploads', content)
  await inTransaction(app.db, async (tx) => {
    await loadLockedProject(tx, project_id)
    if (!(await refer(tx, store_key))) throw new Failure('timed_out', 'It took too long to store the file.')
    await insertUpload(tx, { project_id, user_id: user.id, secret, filename, size: content.size, store_key, created_at: now() })
  })
  return linkTo(filename, `/uploads/${secret}/${filename}`)
}

/** Stores files that came with a message, and returns their links. Files beyond the limit of the instance are left out. */
export async function attachFiles(
  app: App,
  project: Measured,
  user: User,
  files: ReadonlyArray<{ filename: string; bytes: Uint8Array }>,
): Promise<string[]> {
  const max_bytes = await maxUpload_bytes(app)
  const links: string[] = []
  for (const { filename, bytes } of files.filter((file) => file.bytes.length <= max_bytes)) {
    const content = await app.store.openDraft()
    try {
      await content.append(Buffer.from(bytes))
      links.push((await storeUpload(app, project, user, new LargeUpload(filename, content))).markdown)
    } finally {
      await content.close()
    }
  }
  return links
}

/** The file with this secret and name. Throws 404. */
export async function openUpload(app: App, project_id: number, secret: string, filename: string): Promise<RawReply> {
  return served(app, await namedUpload(app, project_id, secret, filename))
}

/** Throws 404 if the project has no file with this secret and name. */
export async function namedUpload(app: App, project_id: number, secret: string, filename: string): Promise<Upload> {
  const upload = await uploadAt(app.db, project_id, secret)
  if (upload?.filename !== filename) throw notFound('File')
  return upload
}

/** Links to it in texts will be broken. Throws 404 if another request has removed it. */
export function removeUpload(app: App, { id, store_key }: Upload): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    if (!(await deleteUpload(tx, id))) throw notFound('File')
    await abandon(tx, store_key)
  })
}

/** The bytes of an upload. Browsers display images, and download everything else without running it. */
export function served(app: App, { secret, filename, size, store_key }: Upload): RawReply {
  return {
    etag: `"${secret}"`,
    size,
    async describe() {
      const head =
        size === 0 ? Buffer.alloc(0) : await buffer(await app.store.open(store_key, { start: 0, end: Math.min(size, sniffed_bytes) - 1 }))
      const image = imageTypeOf(head)
      return {
        type: image ?? 'application/octet-stream',
        'content-disposition': disposition(image === null ? 'attachment' : 'inline', filename),
      }
    },
    open: (part) => app.store.open(store_key, part),
  }
}
