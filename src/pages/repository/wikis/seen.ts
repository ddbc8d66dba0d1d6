/** The values with which every page of a wiki is rendered. */
import type { WikiHome } from '../../../access/wikis.ts'
import type { User } from '../../../db/tables.ts'
import type { Visit } from '../../frame/declaration.ts'

export type Seen = Visit & { place: WikiHome; user: User | null }
