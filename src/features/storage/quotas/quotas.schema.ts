/** Limits of what may be stored, as replies show them. */
import { type Static, Type } from 'typebox'
import { nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import type { Room } from './quotas.service.ts'

const StorageLimit = resource('StorageLimit', {
  kind: oneOf('repository', 'storage'),
  description: Type.String({ description: 'What is limited' }),
  used: Type.Integer({ description: 'In bytes' }),
  limit: Type.Integer({ description: 'In bytes' }),
  set_for: nullable(
    Type.String({ description: 'Full path of the project, group or user whose limit it is; null for a setting of the instance' }),
  ),
})

/** The tightest first. Only shown with the statistics, to those who may change the settings of the project or group. */
export const StorageLimits = Type.Optional(Type.Array(StorageLimit))

export function presentRooms(rooms: readonly Room[]): Static<typeof StorageLimit>[] {
  return rooms.map(({ kind, what, used_bytes, limit_bytes, set_for }) => ({
    kind,
    description: what,
    used: used_bytes,
    limit: limit_bytes,
    set_for,
  }))
}
