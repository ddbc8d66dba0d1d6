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
  type AnyLimit,
  anyLimitOn,
  type LimitName,
  type LimitsThere,
  limitsAt,
  limitsOf,
  type Measured,
  measuredAt,
  usageOf,
} from './quotas.queries.ts'

/** New data counts toward the repository, including large files, or toward the other files of a project. */
export type Stored = 'repository' | 'files'

/** A limit, and how much of it is used. */
export interface Room {
  kind: 'repository' | 'storage'
  /** Names the limited thing in messages. */
  what: string
  used_bytes: number
  limit_bytes: number
  /** Full path of the project, group or user for which the limit was set; null if it is a setting of the instance. */
  set_for: string | null
}

const mib = 1024 * 1024

/** The largest limit that can be set. */
export const maxLimit_mib = 1_000_000_000

export function limitParameter(description: string) {
  return Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: maxLimit_mib, description })))
}

/** The limits that count for a project, the tightest first. One statement where nothing on the server is limited, otherwise two. */
export async function roomsOf({ db }: App, project: Measured, stored: Stored = 'repository'): Promise<Room[]> {
  const limits = await anyLimitOn(db)
  return limits ? roomsWithin(db, limits, project, stored) : []
}

async function roomsWithin(db: App['db'], limits: AnyLimit, project: Measured, stored: Stored): Promise<Room[]> {
  const { repository_size_limit = 0, namespace_storage_size_limit = 0, size_limits } = limits
  if (!size_limits && repository_size_limit === 0 && namespace_storage_size_limit === 0) return []
  const there = await limitsAt(db, project.namespace_id, namespace_storage_size_limit, project.id)
  const rooms = namespaceRooms(there, namespace_storage_size_limit)
  if (stored === 'repository') rooms.push(...repositoryRoom(project, there, repository_size_limit))
  return rooms.sort((one, other) => left(one) - left(other))
}

/** The limit of the project comes first, then that of the nearest namespace, then the setting of the instance. */
function repositoryRoom({ repository_size, lfs_objects_size }: Measured, { own, above }: LimitsThere, usual_mib: number): Room[] {
  const nearest = [...(own ? [own] : []), ...above].find((place) => place.repository_size_limit !== null)
  const limit_mib = nearest?.repository_size_limit ?? usual_mib
  if (limit_mib === 0) return []
  const sizes = { used_bytes: repository_size + lfs_objects_size, limit_bytes: limit_mib * mib }
  return [{ kind: 'repository', what: 'The repository of this project', ...sizes, set_for: nearest?.path ?? null }]
}

/** The storage used by a user or a group, with its own limits and those that apply to it. */
export interface NamespaceStorage {
  used_bytes: number
  limits: Record<LimitName, number | null>
  rooms: Room[]
}

/** Four statements, whatever there is in it. */
export async function storageOf({ db }: App, namespace_id: number): Promise<NamespaceStorage> {
  const { namespace_storage_size_limit: usual_mib } = await readSettings(db)
  return {
    used_bytes: (await usageOf(db, [namespace_id])).get(namespace_id) ?? 0,
    limits: await limitsOf(db, { namespace_id }),
    rooms: namespaceRooms(await limitsAt(db, namespace_id, usual_mib), usual_mib),
  }
}

/** The setting of the instance is for each user and each group at the top, unless an administrator has set another limit there. */
function namespaceRooms({ above }: LimitsThere, usual_mib: number): Room[] {
  return above.flatMap(({ path, parent_id, storage_size_limit, used_bytes }) => {
    const limit_mib = storage_size_limit ?? (parent_id === null ? usual_mib : 0)
    if (limit_mib === 0) return []
    const set_for = storage_size_limit === null ? null : path
    return [{ kind: 'storage' as const, what: `The storage of ${path}`, used_bytes, limit_bytes: limit_mib * mib, set_for }]
  })
}

function left({ used_bytes, limit_bytes }: Room): number {
  return limit_bytes - used_bytes
}

/** Why so many bytes more don't fit, as a sentence; null if they do. */
export async function refusalOf(app: App, project: Measured, stored: Stored, bytes: number): Promise<string | null> {
  return refusalIn(await roomsOf(app, project, stored), bytes)
}

/** As `refusalOf`, where the limits are known. */
export function refusalIn([tightest]: Room[], bytes: number): string | null {
  // Nothing fits into what is full, not even what git could pack into nothing.
  if (tightest === undefined || left(tightest) >= Math.max(bytes, 1)) return null
  const { what, used_bytes, limit_bytes } = tightest
  const more = bytes > 0 ? `, and this takes ${size(bytes)} more` : ''
  return `${what} is full: it holds ${size(used_bytes)} of ${size(limit_bytes)}${more}. Remove something, or ask an administrator for more room.`
}

/** From this share of a limit on, whoever pushes is told. */
const warned = 0.9

/** Warnings about limits that are nearly reached, for the user who pushed. The sizes are those before the push. */
export function warningsIn(rooms: Room[]): string[] {
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

/** Git accepts this much beyond the limit, so that a push which is slightly too large gets the message of `refusalOf` instead of git's. */
const tolerance_bytes = 16 * mib

/** The size at which git stops to receive a push, into quarantine and no farther; null for none. */
export async function maxPush_bytes({ db }: App, project: Measured): Promise<number | null> {
  const limits = await anyLimitOn(db)
  if (!limits) return null
  const [tightest] = await roomsWithin(db, limits, project, 'repository')
  const bounds = [
    ...(limits.receive_max_input_size ? [limits.receive_max_input_size * mib] : []),
    ...(tightest ? [Math.max(0, left(tightest)) + tolerance_bytes] : []),
  ]
  return bounds.length === 0 ? null : Math.min(...bounds)
}
