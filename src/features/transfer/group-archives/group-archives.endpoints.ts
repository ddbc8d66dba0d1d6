/** Export and import of groups with everything in them but their projects (today's public documentation of the API). */
import { type Static, Type } from 'typebox'
import { findGroup, type LocatedGroup } from '../../../access/find.ts'
import { apiUrl, webUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { endpoint, streamEndpoint } from '../../../http/declare/endpoint.ts'
import { only, signedIn } from '../../../http/declare/rules.ts'
import { Id, Instant, LargeFile, Message, nullable, resource } from '../../../http/parameters/schema.ts'
import { maxArchive_bytes } from '../archive/archive.ts'
import { importsAllowed } from '../archive-imports/archive-imports.ts'
import { exportingGroup, sendArchive } from '../exports/exports.ts'
import { importGroup } from './import.service.ts'
import { groupExportSeenBy, startGroupExport } from './requests.service.ts'

const text = Type.String()

const GroupExportStatus = resource('GroupExportStatus', {
  id: Type.Integer(),
  name: text,
  path: text,
  full_path: text,
  created_at: Instant,
  export_status: text,
  _links: Type.Optional(Type.Object({ api_url: text, web_url: text })),
})

export const groupArchives = [
  endpoint('POST /groups/:id/export', {
    summary: 'Start the export of a group',
    access: exportingGroup,
    reply: Message,
    status: 202,
    async handle({ app, group, user }) {
      await startGroupExport(app, user, group.id)
      return { message: '202 Accepted' }
    },
  }),
  endpoint('GET /groups/:id/export', {
    summary: 'Get the export status of a group',
    access: exportingGroup,
    reply: GroupExportStatus,
    handle: ({ app, group, user }) => presentExport(app, group, user),
  }),
  streamEndpoint('GET /groups/:id/export/download', {
    summary: 'Download the export of a group',
    operationId: 'downloadGroupExport',
    access: exportingGroup,
    handle: async ({ app, group, user }) => sendArchive(app, group.full_path, await groupExportSeenBy(app, group.id, user)),
  }),
  endpoint('POST /groups/import', {
    summary: 'Import a group from an archive',
    operationId: 'importGroup',
    access: only(signedIn(), importsAllowed),
    body: {
      file: LargeFile,
      name: Type.String(),
      path: Type.String(),
      parent_id: Type.Optional(nullable(Type.Unsafe<number>({ ...Id, description: 'The group above; the top when absent' }))),
    },
    maxFile_bytes: async () => maxArchive_bytes,
    reply: Message,
    status: 202,
    async handle({ app, user, body: { parent_id, ...request } }) {
      const parent = typeof parent_id === 'number' ? await findGroup(app.db, String(parent_id), user) : null
      await importGroup(app, user, { ...request, parent })
      return { message: '202 Accepted' }
    },
  }),
]

async function presentExport(app: App, group: LocatedGroup, user: User): Promise<Static<typeof GroupExportStatus>> {
  const { id, name, path, full_path, created_at } = group
  const found = await groupExportSeenBy(app, id, user)
  const isThere = found?.state !== 'queued' && (found?.store_key ?? null) !== null
  return {
    ...{ id, name, path, full_path, created_at },
    export_status: found?.state === 'queued' ? 'started' : isThere ? 'finished' : 'none',
    ...(isThere && {
      _links: {
        api_url: apiUrl(app.config, `groups/${id}/export/download`),
        web_url: webUrl(app.config, `groups/${full_path}/-/download_export`),
      },
    }),
  }
}
