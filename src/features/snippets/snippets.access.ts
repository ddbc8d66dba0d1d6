/** Snippets in a path: by global id, and in a project. */
import { asId, type ProjectAccess } from '../../access/find.ts'
import { userOf } from '../../access/principals.ts'
import { canChangeSnippet, canCreatePersonalSnippets, canCreateSnippets } from '../../access/snippets.ts'
import type { Snippet } from '../../db/tables.ts'
import {
  type Access,
  anyone,
  authenticated,
  type Condition,
  type Granted,
  only,
  type ProjectGranted,
  project,
  type SignedIn,
  signedIn,
  using,
} from '../../http/declare/rules.ts'
import { nested, within } from '../../http/declare/within.ts'
import { Id } from '../../http/parameters/schema.ts'
import { findSnippet, findSnippetIn } from './snippets.service.ts'

export interface SnippetGranted {
  snippet: Snippet
}

type Anywhere = Granted & SnippetGranted & { access: ProjectAccess | null }

/** Grants the snippet with the id `:id` to users who can see it. */
export function visibleSnippet(): Access<Anywhere> {
  return {
    ...anyone(),
    description: 'Whoever can see the snippet; anybody when it is public.',
    signedInDescription: 'Any signed-in user who can see the snippet.',
    async grant({ app, principal, params }) {
      const user = userOf(principal)
      return { user, ...(await findSnippet(app.db, asId(params.id ?? '') ?? 0, user)) }
    },
  }
}

/** Grants the same snippet to users who may change it. */
export function changeableSnippet(): Access<Anywhere & SignedIn> {
  return only(authenticated(visibleSnippet()), {
    description: 'its author, maintainers of its project, administrators; while the project is not archived',
    holds: ({ user, snippet, access }) => canChangeSnippet(snippet, access, user) && !access?.project.archived,
  })
}

/** For users who may have personal snippets. */
export function creatingSnippets(): Access<SignedIn> {
  return only(signedIn(), { description: 'users who are not external', holds: ({ user }) => canCreatePersonalSnippets(user) })
}

/** Grants the snippet in `:snippet_id`, if the caller can see it: `within(project('signed-in'), snippetInPath)`. */
export const snippetInPath = nested({ snippet_id: Id }, async ({ project, level, user }: ProjectGranted, { snippet_id }, app) => ({
  snippet: await findSnippetIn(app.db, { project, level }, snippet_id, user),
}))

export function snippetInProject(): Access<ProjectGranted & SignedIn & SnippetGranted> {
  return within(project('signed-in'), snippetInPath)
}

const byOwner: Condition<ProjectGranted & SnippetGranted> = {
  description: 'its author, maintainers; while the project is not archived',
  holds: ({ user, snippet, level, project }) => canChangeSnippet(snippet, { level }, user) && !project.archived,
}

export function changeableInProject(): Access<ProjectGranted & SignedIn & SnippetGranted> {
  return only(snippetInProject(), byOwner)
}

/** For users who may create snippets in the project in `:id`. */
export function creatingInProject(): Access<ProjectGranted & SignedIn> {
  return only(project('signed-in'), {
    description: 'reporters, for whom its snippets feature is enabled; while the project is not archived',
    holds: canCreateSnippets,
  })
}

/** Grants the project in `:id`, if snippets are available to the caller. */
export function snippetsOfProject(): Access<ProjectGranted & SignedIn> {
  return using('snippets', project('signed-in'))
}
