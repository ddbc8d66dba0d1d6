/** Files beside the pages of a wiki: each in its own folder, so that names can't collide. */
import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { App } from '../../../app.ts'
import { invalid, notFound, tooLarge } from '../../../failure.ts'
import { openBlob } from '../../../git/objects/blobs.ts'
import { findEntry, objectInfo, readCommit } from '../../../git/objects/read.ts'
import { refError } from '../../../git/refs/names.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { RawReply } from '../../../http/declare/endpoint.ts'
import type { LargeUpload } from '../../../http/parameters/upload.ts'
import { disposition } from '../../../http/reply/content-disposition.ts'
import { imageTypeOf, linkTo, safeName, sniffed_bytes } from '../../spaces/uploads/uploads.ts'
import { tipOf } from './page-index.ts'
import { uploadsFolder } from './page-names.ts'
import { commitToWiki, type Writer } from './writes.service.ts'

/** It passes through memory into the repository, whatever the setting for attachments allows. */
const maxAttachment_bytes = 100 * 1024 * 1024

/** One commit. Throws 400 for an invalid branch name. */
export async function storeAttachment(app: App, writer: Writer, { file, branch }: { file: LargeUpload; branch?: string | undefined }) {
  const error = branch === undefined ? null : refError(`refs/heads/${branch}`)
  if (error !== null) throw invalid(error)
  if (file.content.size > maxAttachment_bytes) throw tooLarge()
  const file_name = safeName(file.filename).replace(/^\./, '_')
  const path = `${uploadsFolder}/${randomBytes(16).toString('hex')}/${file_name}`
  const bytes = await buffer(file.content.open())
  const written = await commitToWiki(
    app,
    writer,
    () => ({ message: `Upload attachment ${file_name}`, changes: [{ kind: 'write', path, mode: '100644', content: () => bytes }] }),
    branch,
  )
  const { url, markdown } = linkTo(file_name, path)
  return { file_name, file_path: path, branch: written.branch, link: { url, markdown } }
}

/** The bytes of a file beside the pages. Images are displayed; browsers save everything else and execute nothing. Throws 404. */
export async function openWikiFile(repo: Repo | null, path: string, version?: string): Promise<RawReply> {
  const commit = repo && (version === undefined ? await tipOf(repo) : await resolveCommit(repo, version))
  const entry = repo && commit && (await findEntry(repo, (await readCommit(repo, commit)).tree, path))
  if (!repo || !entry || entry.type !== 'blob' || entry.mode === '120000') throw notFound('File')
  const size = (await objectInfo(repo, entry.oid))?.size ?? 0
  return {
    etag: `"${entry.oid}"`,
    size,
    async describe() {
      const head =
        size === 0
          ? Buffer.alloc(0)
          : await bytesOf(await openBlob(repo, entry.oid, size, { start: 0, end: Math.min(size, sniffed_bytes) - 1 }))
      const image = imageTypeOf(head)
      return {
        type: image ?? 'application/octet-stream',
        'content-disposition': disposition(image === null ? 'attachment' : 'inline', entry.name),
      }
    },
    open: (part) => openBlob(repo, entry.oid, size, part),
  }
}

const bytesOf = (source: Readable | Buffer) => (Buffer.isBuffer(source) ? source : buffer(source))
