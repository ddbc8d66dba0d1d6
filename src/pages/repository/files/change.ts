/** What all forms that commit have in common: the branch, the message, and who may commit. */
import type { LocatedProject } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { mayCommitTo } from '../../../features/repository/pushes/pushes.ts'
import { findRef } from '../../../git/refs/refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import { field, textArea } from '../../frame/forms.ts'
import { type Place, placeAt } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { sentences } from './sentences.ts'
import { mayChangeFiles } from './toolbar.ts'

export interface Changing {
  app: App
  repo: Repo
  user: User
  project: LocatedProject
  level: number
}

/** The start and the default branch of a change. */
export interface Target {
  /** Suggested for the commit. */
  branch: string
  /** The commit that a new branch starts from; empty in an empty repository. */
  start: { start_branch: string } | { start_sha: string } | Record<never, never>
  /** The branch of the page; null if its revision isn't a branch. */
  current: string | null
  hint: string | undefined
}

/** The place of a change. In an empty repository, the first part is the name of the future branch. */
export async function placeOfChange({ repo, project }: Pick<Changing, 'repo' | 'project'>, text: string): Promise<Place> {
  if (project.default_branch !== null) return placeAt(repo, text)
  const [revision = '', ...path] = text.split('/')
  return { revision, commit: '', path: path.join('/') }
}

/** Suggests a new branch if the viewer may not push to that of the page, and if the page isn't about a branch. */
export async function targetOf({ app, repo, user, project, level }: Changing, { revision, commit }: Place): Promise<Target> {
  if (commit === '') return { branch: revision, start: {}, current: revision, hint: undefined }
  const isBranch = (await findRef(repo, 'heads', revision)) !== null
  const fresh = `${user.username}-patch-${Date.now().toString(36).slice(-5)}`
  if (!isBranch) return { branch: fresh, start: { start_sha: commit }, current: null, hint: sentences.new_branch_from_commit }
  const start = { start_branch: revision }
  if (!(await mayCommitTo(app, { user, project, level }, revision))) {
    return { branch: fresh, start, current: revision, hint: sentences.new_branch_only(revision) }
  }
  const isOnlyOne = !may('push_code', level)
  return { branch: revision, start, current: revision, hint: isOnlyOne ? sentences.open_branch : sentences.new_branch_hint(revision) }
}

/** The parameters of the commit from a submitted form. */
export function requestOf(target: Target, { branch, commit_message }: { branch: string; commit_message: string }) {
  return { branch, commit_message, ...(branch === target.current ? {} : target.start) }
}

/** Message and branch, at the end of the form. `id` makes the ids of several forms distinct. */
export function commitFields(typed: Typed, target: Target, message: string, id = ''): Html {
  return html`
    ${textArea('Commit message', 'commit_message', typed, { value: message, rows: 3, required: true, id })}
    ${field('Branch', 'branch', typed, { value: target.branch, required: true, hint: target.hint, id })}
  `
}

export const fieldNames = ['commit_message', 'branch']

/** The reason why there is no form; null for users who may commit. */
export async function refusedView(
  { app, project, level, user }: Pick<Changing, 'app' | 'project' | 'level' | 'user'>,
  title: string,
  place: Pick<Place, 'revision'>,
): Promise<View | null> {
  if (await mayChangeFiles(app, { project, level, user }, place)) return null
  const why = project.archived
    ? html`<p>${sentences.archived}</p>`
    : html`<p>${sentences.fork_first}</p><p><a href="/${project.full_path}/forks/new">Fork this project</a></p>`
  return projectView({ project, level, user, tab: 'files' }, { title, main: html`<h1>${title}</h1>${why}`, status: 403 })
}
