/** Export of projects to archives, and import from them. */
import { Type } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import { accessLevels, visibilities } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure, forbidden, notFound } from '../../../failure.ts'
import { endpoint, streamEndpoint } from '../../../http/endpoint.ts'
import { type Condition, type Granted, only, project, signedIn } from '../../../http/rules.ts'
import { LargeFile, Message, Off, oneOf, text } from '../../../http/schema.ts'
import { apiUrl, webUrl } from '../../../links.ts'
import { readSettings } from '../../instance/settings/settings.service.ts'
import { presentProject } from '../../spaces/projects/projects.present.ts'
import { flags, maxArchive_bytes } from '../archive/format.ts'
import { startArchiveImport } from '../archive-imports/archive-imports.service.ts'
import { findExport, type ProjectExport } from './exports.queries.ts'
import { ExportStatus, ImportStatus } from './exports.schema.ts'
import { startExport } from './exports.service.ts'
import { acceptUpload } from './sending.service.ts'

const exportsEnabled: Condition<Granted> = {
  description: 'while exports are enabled on the instance',
  holds: async (_, { app }) => (await readSettings(app.db)).project_export_enabled,
  refusal: () => notFound(),
}
const importsEnabled: Condition<Granted> = {
  description: 'while imports of archives are enabled on the instance',
  holds: async (_, { app }) => (await readSettings(app.db)).import_sources.includes('gitlab_project'),
  refusal: () => forbidden(),
}
const exporting = only(project('maintainer'), exportsEnabled)

const flag = Type.Optional(Type.Boolean())

/** Where the finished archive is uploaded to; it is not kept here then. */
const upload = Type.Object({
  url: Type.Optional(Type.String()),
  http_method: Type.Optional(Type.String({ description: '`PUT` (the default) or `POST`' })),
})

/** Settings that override those in the archive. */
const overrides = Type.Object({
  description: Type.Optional(text(2_000)),
  visibility: Type.Optional(oneOf(...visibilities)),
  default_branch: Type.Optional(text(255)),
  merge_method: Type.Optional(oneOf('merge', 'rebase_merge', 'ff')),
  ci_config_path: Type.Optional(text(255)),
  tag_list: Type.Optional(Type.Array(text(255), { maxItems: 100 })),
  public_builds: Type.Optional(Type.Boolean({ description: 'Alias of public_jobs' })),
  ...(Object.fromEntries(flags.map((name) => [name, flag])) as Record<(typeof flags)[number], typeof flag>),
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
    async handle({ app, project, user }) {
      const found = visibleTo(user, await findExport(app.db, project.id))
      const { store_key: key, size, updated_at } = found ?? { store_key: null, size: null, updated_at: '' }
      if (key === null || size === null) throw new Failure('not_found', '404 Not found or has expired')
      return {
        etag: `"${key.split('/').at(-1)}"`,
        size,
        describe: () => ({ type: 'application/gzip', 'content-disposition': `attachment; filename="${nameOf(project, updated_at)}"` }),
        open: (part) => app.store.open(key, part),
      }
    },
  }),
  endpoint('POST /projects/import', {
    summary: 'Import a project from an archive',
    operationId: 'importProject',
    access: only(signedIn(), importsEnabled),
    body: {
      file: LargeFile,
      path: Type.String(),
      namespace: Type.Optional(Type.String({ description: 'Id or path; the personal namespace of the current user by default' })),
      overwrite: Off,
      override_params: Type.Optional(overrides),
    },
    maxFile_bytes: async () => maxArchive_bytes,
    reply: ImportStatus,
    async handle({ app, user, body: { override_params: { public_builds, ...chosen } = {}, ...request } }) {
      const overrides = withoutUndefined({ ...chosen, public_jobs: chosen.public_jobs ?? public_builds })
      const made = await startArchiveImport(app, user, { ...request, overrides })
      return presentImport(app, made, user, accessLevels.maintainer)
    },
  }),
  endpoint('GET /projects/:id/import', {
    summary: 'Get the import status of a project',
    access: only(project('visible'), importsEnabled),
    reply: ImportStatus,
    handle: ({ app, project, user, level }) => presentImport(app, project, user, level),
  }),
]

function withoutUndefined<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

/** An archive with the email addresses of members is visible to administrators only. For others there is no export. */
function visibleTo(user: User, found: ProjectExport | null): ProjectExport | null {
  return found?.has_addresses && !user.admin ? { ...found, store_key: null, size: null } : found
}

/** `2026-11-21_14-05-123_group_project_export.tar.gz` */
function nameOf({ full_path }: LocatedProject, at: string): string {
  const [, day = '', hour = '', minute = '', ms = ''] = /^(.{10})T(..):(..):..\.(...)/.exec(at) ?? []
  return `${day}_${hour}-${minute}-${ms}_${full_path.replaceAll('/', '_')}_export.tar.gz`
}

async function identityOf(app: App, project: LocatedProject, user: User | null) {
  const presented = await presentProject(app, project, user, { simple: true })
  const { id, description, name, name_with_namespace, path, path_with_namespace, created_at } = presented
  return { id, description, name, name_with_namespace, path, path_with_namespace, created_at }
}

async function presentExport(app: App, project: LocatedProject, user: User) {
  const found = visibleTo(user, await findExport(app.db, project.id))
  const isUnderWay = found?.state === 'queued' || found?.state === 'started'
  const isThere = !isUnderWay && found !== null && found.store_key !== null
  return {
    ...(await identityOf(app, project, user)),
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

/** The error is shown to those who can fix it: it may name hosts, and what is in an archive. */
async function presentImport(app: App, project: LocatedProject, user: User | null, level: number) {
  const { import_status, import_error } = project
  return {
    ...(await identityOf(app, project, user)),
    import_status,
    ...(import_error !== null && level >= accessLevels.maintainer && { import_error }),
  }
}
