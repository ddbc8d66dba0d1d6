/** A snippet that an access rule has granted, with its project. */
import type { ProjectAccess } from '../../../access/find.ts'
import type { Snippet, User } from '../../../db/tables.ts'
import type { Visit } from '../../frame/declaration.ts'

/** `access` is null for a personal snippet. */
export type SeenSnippet = Visit & { snippet: Snippet; access: ProjectAccess | null; user: User | null }
