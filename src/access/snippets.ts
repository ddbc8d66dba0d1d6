/** Access to a snippet: reading and changing it. For lists, `snippetsVisibleTo` in visible.ts has the same rule in SQL. */
import { isMember } from '../access/levels.ts'
import type { Snippet, User } from '../db/tables.ts'
import { mayUse } from './features.ts'
import type { ProjectAccess } from './find.ts'
import { isOpenTo } from './levels.ts'
import { may } from './permissions.ts'
import type { Viewer } from './visible.ts'

type Owned = Pick<Snippet, 'author_id' | 'visibility'>

/**
 * Whether the viewer can see it (spec 2.13): its author, users to whom its visibility is open, and members of its project.
 * @param access to its project, which the viewer can see; null for a personal snippet
 */
export function canSeeSnippet(snippet: Owned, access: ProjectAccess | null, viewer: Viewer): boolean {
  if (access && !mayUse('snippets', access)) return false
  const isOwn = viewer !== null && snippet.author_id === viewer.id
  return isOwn || isOpenTo(snippet.visibility, viewer) || isMember(access?.level ?? 0)
}

/** Whether a user who can see it may change and delete it: its author, maintainers of its project, administrators. */
export function canChangeSnippet(snippet: Owned, access: Pick<ProjectAccess, 'level'> | null, viewer: Viewer): boolean {
  if (viewer === null) return false
  return viewer.admin || snippet.author_id === viewer.id || may('edit_all_snippets', access?.level ?? 0)
}

/** Whether they may have personal snippets: external users may not. */
export function canCreatePersonalSnippets(user: Pick<User, 'external'>): boolean {
  return !user.external
}

/** Whether they may create snippets in a project. */
export function canCreateSnippets(access: ProjectAccess): boolean {
  return mayUse('snippets', access) && may('write_snippets', access.level) && !access.project.archived
}
