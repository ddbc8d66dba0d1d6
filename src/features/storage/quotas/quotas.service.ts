/**
 * Quotas: how much a repository, and everything of a user or group, may hold. What arrives is compared with sizes that are kept up to date,
 * so no disk is walked; uploads at the same moment don't see each other, and may exceed a limit by what is in flight.
 */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { size } from '../../../html/phrases.ts'
import { nullable } from '../../../http/parameters/schema.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import {
  isAnythingLimited,
  type LimitedPlace,
  type LimitName,
  limitsAbove,
  limitsOf,
  type Measured,
  measuredAt,
  sizeLimitOf,
  usageOf,
} from './quotas.queries.ts'

/** What arrives: to the repository, large files included, or to the other files of a project. */
export type Stored = 'repository' | 'files'

/** A limit, and how much of it is used. */
export interface Room {
  /** What is limited, for people. */
  what: string
  used_bytes: number
  limit_bytes: number
}

const mib = 1024 * 1024

/** The largest limit that can be set. */
export const maxLimit_mib = 1_000_000_000

export function limitParameter(description: string) {
  return Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: maxLimit_mib, description })))
}

/**
 * The limits that count for a project, the tightest first. One statement where nothing on the server is limited; otherwise four, or five
 * where something limits a namespace.
 */
export async function roomsOf({ db }: App, project: Measured, stored: Stored = 'repository'): Promise<Room[]> {
  if (!(await isAnythingLimited(db))) return []
  const settings = await readSettings(db)
  const above = await limitsAbove(db, project.namespace_id)
  const rooms = await namespaceRooms(db, above, settings.namespace_storage_size_limit)
  if (stored === 'repository') {
    const own = await sizeLimitOf(db, project.id)
    const limit_mib =
      [own, ...above.map((place) => place.repository_size_limit)].find((limit) => limit !== null) ?? settings.repository_size_limit
    const used_bytes = project.repository_size + project.lfs_objects_size
    if (limit_mib) rooms.push({ what: 'The repository of this project', used_bytes, limit_bytes: limit_mib * mib })
  }
  return rooms.sort((one, other) => left(one) - left(other))
}

/** What a user or a group stores, with its own limits and those that count for it. */
export interface NamespaceStorage {
  used_bytes: number
  limits: Record<LimitName, number | null>
  rooms: Room[]
}

/** Five statements, whatever there is in it. */
export async function storageOf({ db }: App, namespace_id: number): Promise<NamespaceStorage> {
  const settings = await readSettings(db)
  const above = await limitsAbove(db, namespace_id)
  return {
    used_bytes: (await usageOf(db, [namespace_id])).get(namespace_id) ?? 0,
    limits: await limitsOf(db, { namespace_id }),
    rooms: await namespaceRooms(db, above, settings.namespace_storage_size_limit),
  }
}

/** The setting of the instance is for each user and each group at the top, unless an administrator has set another limit there. */
async function namespaceRooms(db: App['db'], above: LimitedPlace[], usual_mib: number): Promise<Room[]> {
  const limited = above.flatMap(({ id, path, parent_id, storage_size_limit }) => {
    const limit_mib = storage_size_limit ?? (parent_id === null ? usual_mib : 0)
    return limit_mib === 0 ? [] : [{ id, path, limit_bytes: limit_mib * mib }]
  })
  const used = await usageOf(
    db,
    limited.map(({ id }) => id),
  )
  return limited.map(({ id, path, limit_bytes }) => ({ what: `The storage of ${path}`, used_bytes: used.get(id) ?? 0, limit_bytes }))
}

function left({ used_bytes, limit_bytes }: Room): number {
  return limit_bytes - used_bytes
}

/** Why so many bytes more don't fit, as a sentence; null if they do. */
export async function refusalOf(app: App, project: Measured, stored: Stored, bytes: number): Promise<string | null> {
  const [tightest] = await roomsOf(app, project, stored)
  // Nothing fits into what is full, not even what git could pack into nothing.
  if (tightest === undefined || left(tightest) >= Math.max(bytes, 1)) return null
  const { what, used_bytes, limit_bytes } = tightest
  const more = bytes > 0 ? `, and this takes ${size(bytes)} more` : ''
  return `${what} is full: it holds ${size(used_bytes)} of ${size(limit_bytes)}${more}. Remove something, or ask an administrator for more room.`
}

/** From this share of a limit on, whoever pushes is told. */
const warned = 0.9

/** What is nearly full, as sentences for whoever has pushed. The size of the repository itself is that before the push. */
export async function warningsOfSize(app: App, project: Measured): Promise<string[]> {
  const rooms = await roomsOf(app, project)
  return rooms.flatMap(({ what, used_bytes, limit_bytes }) =>
    used_bytes < warned * limit_bytes ? [] : `${what} is nearly full: it holds ${size(used_bytes)} of ${size(limit_bytes)}.`,
  )
}

/** Throws 403 with the sentence of `refusalOf`. */
export async function assertRoom(app: App, project: Measured, stored: Stored, bytes: number): Promise<void> {
  const refusal = await refusalOf(app, project, stored, bytes)
  if (refusal !== null) throw new Failure('limit_reached', refusal)
}

/** As `assertRoom` for files, where the project is known by its id; the next statement finds out if it has gone. */
export async function assertRoomIn(app: App, project_id: number, bytes: number): Promise<void> {
  const project = await measuredAt(app.db, project_id)
  if (project) await assertRoom(app, project, 'files', bytes)
}

/** What git takes beyond the room there is, so that the sentence of `refusalOf` answers a push which is slightly too large. */
const tolerance_bytes = 16 * mib

/** The size at which git stops to receive a push, into quarantine and no farther; null for none. */
export async function maxPush_bytes(app: App, project: Measured): Promise<number | null> {
  if (!(await isAnythingLimited(app.db))) return null
  const { receive_max_input_size } = await readSettings(app.db)
  const [tightest] = await roomsOf(app, project)
  const bounds = [
    ...(receive_max_input_size ? [receive_max_input_size * mib] : []),
    ...(tightest ? [Math.max(0, left(tightest)) + tolerance_bytes] : []),
  ]
  return bounds.length === 0 ? null : Math.min(...bounds)
}
