/** A project or group with boards that an access rule has granted. */
import type { User } from '../../../db/tables.ts'
import type { Place } from '../../../http/declare/places.ts'
import type { Visit } from '../../frame/declaration.ts'

export type Seen = Visit & { place: Place; user: User | null }
