/** A snippet as it is granted to somebody, with its project. */
import type { ProjectAccess } from '../../../access/find.ts'
import type { Snippet, User } from '../../../db/tables.ts'
import type { Visit } from '../../frame/declaration.ts'

/** `access` is null of a personal one. */
export type SeenSnippet = Visit & { snippet: Snippet; access: ProjectAccess | null; user: User | null }
