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
  return sendArchive(app, project.full_path, await exportSeenBy(app, project.id, user))
}

type Archive = Pick<ProjectExport, 'store_key' | 'size' | 'updated_at'>

/** The archive of a project or a group. Throws 404 if there is none, or it has expired. */
export function sendArchive(app: App, full_path: string, found: Archive | null): RawReply {
  const { store_key: key, size, updated_at } = found ?? { store_key: null, size: null, updated_at: '' }
  if (key === null || size === null) throw new Failure('not_found', '404 Not found or has expired')
  return {
    etag: `"${key.split('/').at(-1)}"`,
    size,
    describe: () => ({ type: 'application/gzip', 'content-disposition': `attachment; filename="${nameOf(full_path, updated_at)}"` }),
    open: (part) => app.store.open(key, part),
  }
}

/** Only administrators may download an archive with the email addresses of members. */
export function visibleTo<T extends Archive & { has_addresses: boolean }>(user: User, found: T | null): T | null {
  return found?.has_addresses && !user.admin ? { ...found, store_key: null, size: null } : found
}

/** `2026-11-21_14-05-123_group_project_export.tar.gz` */
function nameOf(full_path: string, at: string): string {
  const [, day = '', hour = '', minute = '', ms = ''] = /^(.{10})T(..):(..):..\.(...)/.exec(at) ?? []
  return `${day}_${hour}-${minute}-${ms}_${full_path.replaceAll('/', '_')}_export.tar.gz`
}
