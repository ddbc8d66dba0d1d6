/** Downloads of exported archives, for users who may have them. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import type { RawReply } from '../../../http/declare/endpoint.ts'
import { findExport, type ProjectExport } from './exports.queries.ts'

/** The last export, without its archive if the user may not download it. */
export async function exportSeenBy(app: App, project_id: number, user: User): Promise<ProjectExport | null> {
  return visibleTo(user, await findExport(app.db, project_id))
}

/** Throws 404 if there is no archive, or it has expired. */
export async function downloadOf(app: App, project: LocatedProject, user: User): Promise<RawReply> {
  const found = await exportSeenBy(app, project.id, user)
  const { store_key: key, size, updated_at } = found ?? { store_key: null, size: null, updated_at: '' }
  if (key === null || size === null) throw new Failure('not_found', '404 Not found or has expired')
  return {
    etag: `"${key.split('/').at(-1)}"`,
    size,
    describe: () => ({ type: 'application/gzip', 'content-disposition': `attachment; filename="${nameOf(project, updated_at)}"` }),
    open: (part) => app.store.open(key, part),
  }
}

/** Only administrators may download an archive with the email addresses of members. */
function visibleTo(user: User, found: ProjectExport | null): ProjectExport | null {
  return found?.has_addresses && !user.admin ? { ...found, store_key: null, size: null } : found
}

/** `2026-11-21_14-05-123_group_project_export.tar.gz` */
function nameOf({ full_path }: LocatedProject, at: string): string {
  const [, day = '', hour = '', minute = '', ms = ''] = /^(.{10})T(..):(..):..\.(...)/.exec(at) ?? []
  return `${day}_${hour}-${minute}-${ms}_${full_path.replaceAll('/', '_')}_export.tar.gz`
}
