/** Exports: a whole project as an archive. */
import { Type } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import { apiUrl, webUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { endpoint, streamEndpoint } from '../../../http/declare/endpoint.ts'
import { Message } from '../../../http/parameters/schema.ts'
import { presentIdentity } from '../project-identity.ts'
import { downloadOf, exportSeenBy } from './download.service.ts'
import { exporting } from './exports.access.ts'
import { ExportStatus } from './exports.schema.ts'
import { startExport } from './exports.service.ts'
import { acceptUpload } from './send-export.service.ts'

/** The URL to upload the archive to. Afterwards, the archive is removed here. */
const upload = Type.Object({
  url: Type.Optional(Type.String()),
  http_method: Type.Optional(Type.String({ description: '`PUT` (the default) or `POST`' })),
})

export const exports = [
  endpoint('POST /projects/:id/export', {
    summary: 'Start the export of a project',
    access: exporting,
    body: {
      description: Type.Optional(Type.String({ maxLength: 2_000, description: 'Overrides the description of the project' })),
      upload: Type.Optional(upload),
    },
    reply: Message,
    status: 202,
    async handle({ app, project, user, body }) {
      const { url, http_method } = body.upload ?? {}
      await startExport(app, user, project.id, {
        description: body.description || undefined,
        upload: url ? await acceptUpload(app, user, url, http_method) : undefined,
      })
      return { message: '202 Accepted' }
    },
  }),
  endpoint('GET /projects/:id/export', {
    summary: 'Get the export status of a project',
    access: exporting,
    reply: ExportStatus,
    handle: ({ app, project, user }) => presentExport(app, project, user),
  }),
  streamEndpoint('GET /projects/:id/export/download', {
    summary: 'Download the export of a project',
    operationId: 'downloadProjectExport',
    access: exporting,
    handle: ({ app, project, user }) => downloadOf(app, project, user),
  }),
]

async function presentExport(app: App, project: LocatedProject, user: User) {
  const found = await exportSeenBy(app, project.id, user)
  const isUnderWay = found?.state === 'queued' || found?.state === 'started'
  const isThere = !isUnderWay && found !== null && found.store_key !== null
  return {
    ...(await presentIdentity(app, project)),
    export_status: isUnderWay ? 'started' : found?.state === 'sending' ? 'after_export_action' : isThere ? 'finished' : 'none',
    ...(isThere &&
      found.state !== 'sending' && {
        _links: {
          api_url: apiUrl(app.config, `projects/${project.id}/export/download`),
          web_url: webUrl(app.config, `${project.full_path}/download_export`),
        },
      }),
  }
}
