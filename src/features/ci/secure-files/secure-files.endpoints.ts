/** Secure files of a project: keys and certificates that its jobs need and nobody may see in the repository. */
import { type Static, Type } from 'typebox'
import type { SecureFile } from '../../../db/tables.ts'
import { endpoint, listEndpoint, streamEndpoint } from '../../../http/declare/endpoint.ts'
import { File, Instant, none, oneOf, resource } from '../../../http/parameters/schema.ts'
import { disposition } from '../../../http/reply/content-disposition.ts'
import { secureFileManaged, secureFileSeen, secureFilesManaged, secureFilesSeen } from './secure-files.access.ts'
import { listSecureFiles } from './secure-files.queries.ts'
import { addSecureFile, maxSecureFile_bytes, readSecureFile, removeSecureFile } from './secure-files.service.ts'

const SecureFileResource = resource('SecureFile', {
  id: Type.Integer(),
  name: Type.String(),
  checksum: Type.String({ description: 'SHA-256' }),
  checksum_algorithm: oneOf('sha256'),
  created_at: Instant,
  expires_at: Type.Null({ description: 'Certificates are not looked into' }),
  metadata: Type.Null({ description: 'Certificates are not looked into' }),
  file_extension: Type.String(),
})

export const secureFiles = [
  listEndpoint('GET /projects/:id/secure_files', {
    summary: 'List the secure files of a project',
    access: secureFilesSeen,
    jobTokens: true,
    item: SecureFileResource,
    async handle({ app, project, page }) {
      const { rows, total } = await listSecureFiles(app.db, project.id, page)
      return { rows: rows.map(present), total }
    },
  }),
  endpoint('GET /projects/:id/secure_files/:secure_file_id', {
    summary: 'Get a secure file of a project',
    access: secureFileSeen,
    jobTokens: true,
    reply: SecureFileResource,
    handle: ({ file }) => present(file),
  }),
  streamEndpoint('GET /projects/:id/secure_files/:secure_file_id/download', {
    summary: 'Download a secure file of a project',
    access: secureFileSeen,
    jobTokens: true,
    async handle({ app, file }) {
      const bytes = await readSecureFile(app, file)
      return {
        describe: () => ({
          type: 'application/octet-stream',
          'content-disposition': disposition('attachment', file.name),
          'cache-control': 'no-store',
        }),
        open: () => bytes,
      }
    },
  }),
  endpoint('POST /projects/:id/secure_files', {
    summary: 'Add a secure file to a project',
    access: secureFilesManaged,
    // The form around the file needs room, too.
    maxBody_bytes: maxSecureFile_bytes + 64 * 1024,
    body: { name: Type.String({ description: 'Unique in the project' }), file: File },
    reply: SecureFileResource,
    handle: async ({ app, project, body: { name, file } }) => present(await addSecureFile(app, project.id, { name, bytes: file.bytes })),
  }),
  endpoint('DELETE /projects/:id/secure_files/:secure_file_id', {
    summary: 'Remove a secure file from a project',
    access: secureFileManaged,
    reply: none,
    lastChanged: ({ file }) => file.created_at,
    async handle({ app, file }) {
      await removeSecureFile(app, file)
      return null
    },
  }),
]

function present({ id, name, checksum, created_at }: SecureFile): Static<typeof SecureFileResource> {
  const file_extension = /\.([^.]+)$/.exec(name)?.[1] ?? ''
  return { id, name, checksum, checksum_algorithm: 'sha256', created_at, expires_at: null, metadata: null, file_extension }
}
