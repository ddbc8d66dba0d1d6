/**
 * Files attached to Markdown of a project. They are served under the project's URL, outside of the API; lists and deletion are
 * newer than the API's version 11.3 (today's public documentation of the API).
 */
import { type Static, Type } from 'typebox'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint, streamEndpoint } from '../../../http/declare/endpoint.ts'
import { type ProjectGranted, project, unarchived } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, Instant, LargeFile, nameInPath, none, nullable, resource } from '../../../http/parameters/schema.ts'
import { type ListedUpload, listUploads, uploadById } from './uploads.queries.ts'
import { maxUpload_bytes, namedUpload, removeUpload, served, storeUpload } from './uploads.service.ts'

const Link = resource('Upload', {
  alt: Type.String(),
  url: Type.String(),
  full_path: Type.String({ description: 'The URL without its host; newer clients link to it' }),
  markdown: Type.String(),
})

const UploadInList = resource('UploadInList', {
  id: Type.Integer(),
  size: Type.Integer({ description: 'In bytes' }),
  filename: Type.String(),
  created_at: Instant,
  uploaded_by: nullable(resource('Uploader', { id: Type.Integer(), name: Type.String(), username: Type.String() })),
})

const byId = nested({ upload_id: Id }, async ({ project }: ProjectGranted, { upload_id }, app) => {
  const upload = await uploadById(app.db, project.id, upload_id)
  if (!upload) throw notFound('File')
  return { upload }
})

const bySecret = nested(
  { secret: nameInPath('Secret in the address of the file'), filename: nameInPath('Name of the file') },
  async ({ project }: ProjectGranted, { secret, filename }, app) => ({ upload: await namedUpload(app, project.id, secret, filename) }),
)

export const uploads = [
  endpoint('POST /projects/:id/uploads', {
    summary: 'Upload a file to link in Markdown of the project',
    access: unarchived(project('signed-in')),
    body: { file: LargeFile },
    maxFile_bytes: maxUpload_bytes,
    reply: Link,
    async handle({ app, user, project, body }) {
      const { alt, url, markdown } = await storeUpload(app, project, user, body.file)
      return { alt, url, full_path: `/${project.full_path}${url}`, markdown }
    },
  }),
  listEndpoint('GET /projects/:id/uploads', {
    summary: 'List the files of a project, the newest first',
    access: project('manage_uploads'),
    item: UploadInList,
    async handle({ app, project, page }) {
      const { rows, total } = await listUploads(app.db, project.id, page)
      return { rows: rows.map(present), total }
    },
  }),
  streamEndpoint('GET /projects/:id/uploads/:upload_id', {
    summary: 'Download a file of a project by its id',
    access: within(project('manage_uploads'), byId),
    handle: ({ app, upload }) => served(app, upload),
  }),
  streamEndpoint('GET /projects/:id/uploads/:secret/:filename', {
    summary: 'Download a file of a project by the address in texts',
    operationId: 'getProjectUploadBySecret',
    access: within(project('visible'), bySecret),
    handle: ({ app, upload }) => served(app, upload),
  }),
  endpoint('DELETE /projects/:id/uploads/:upload_id', {
    summary: 'Delete a file of a project by its id',
    access: within(unarchived(project('manage_uploads')), byId),
    reply: none,
    async handle({ app, upload }) {
      await removeUpload(app, upload)
      return null
    },
  }),
  endpoint('DELETE /projects/:id/uploads/:secret/:filename', {
    summary: 'Delete a file of a project by the address in texts',
    operationId: 'deleteProjectUploadBySecret',
    access: within(unarchived(project('manage_uploads')), bySecret),
    reply: none,
    async handle({ app, upload }) {
      await removeUpload(app, upload)
      return null
    },
  }),
]

function present({ id, size, filename, created_at, by }: ListedUpload): Static<typeof UploadInList> {
  return { id, size, filename, created_at, uploaded_by: by }
}
