/** Files beside the pages of a wiki: each in a folder of its own, so that no name is taken. */
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { App } from '../../../app.ts'
import { invalid, tooLarge } from '../../../failure.ts'
import { refError } from '../../../git/refs/names.ts'
import type { LargeUpload } from '../../../http/upload.ts'
import { linkTo, safeName } from '../../storage/uploads/uploads.ts'
import { commitToWiki, type Writer } from './changes.service.ts'
import { uploadsFolder } from './page-names.ts'

/** It goes through memory into the repository, whatever the setting for attachments allows. */
const maxAttachment_bytes = 100 * 1024 * 1024

/** One commit. Throws 400 for a branch that can be none. */
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
