/** Parts that all forms which commit have in common: the branch the change goes to, its message, and who may make it. */

import { mayUse } from '../../../access/features.ts'
import { canDownload, type LocatedProject } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import { addressAt } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { mayCommitTo } from '../../../features/repository/pushes/pushes.ts'
import { pageOfProjects } from '../../../features/spaces/projects/projects.ts'
import { branchRevision } from '../../../git/refs/names.ts'
import { findRef } from '../../../git/refs/refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import { field, postButton, textArea } from '../../frame/forms.ts'
import { icon, isolated } from '../../frame/parts.ts'
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
    ${textArea(t`Commit message`, 'commit_message', typed, { value: message, rows: 3, required: true, id })}
    ${field(t`Branch`, 'branch', typed, { value: target.branch, required: true, hint: target.hint, id })}
  `
}

export const fieldNames = ['commit_message', 'branch']

/** Limit of forks of one project that somebody may push to. */
const maxForks = 10

/** Instead of a form, why there is none, and the same form in a fork; null for who may commit. */
export async function refusedView(
  seen: Pick<Changing, 'app' | 'project' | 'level' | 'user'> & { token: Html },
  title: string,
  { page, revision, path }: Pick<Place, 'revision' | 'path'> & { page: FormPage },
): Promise<View | null> {
  const { app, project, level, user } = seen
  if (await mayChangeFiles(app, { project, level, user }, { revision })) return null
  const why = project.archived ? html`<p>${sentences.archived}</p>` : await forkFirst(seen, { page, revision, path })
  return projectView({ project, level, user, tab: 'files' }, { title, main: html`<h1>${title}</h1>${why}`, status: 403 })
}

/** Pages with such forms. */
export const formPages = ['edit', 'new', 'create', 'create_dir'] as const
export type FormPage = (typeof formPages)[number]

/** Own forks lead to the same form at once; otherwise one is created on the way. */
async function forkFirst(
  { app, project, level, user, token }: Pick<Changing, 'app' | 'project' | 'level' | 'user'> & { token: Html },
  { page, revision, path }: Pick<Place, 'revision' | 'path'> & { page: FormPage },
): Promise<Html> {
  if (!mayUse('forking', { project, level }) || !canDownload({ project, level }, user)) return html`<p>${sentences.read_only}</p>`
  const formIn = (full_path: string) => addressAt(full_path, page, revision, path)
  const query = { order_by: 'created_at', sort: 'desc', min_access_level: 30 } as const
  const { rows } = await pageOfProjects(app, user, query, { limit: maxForks, offset: 0 }, { forked_from_id: project.id })
  const hasOwn = rows.some(({ namespace }) => namespace.kind === 'user' && namespace.full_path === user.username)
  const forking =
    !hasOwn &&
    postButton(html`${icon('fork')} Fork and continue`, {
      action: `/${project.full_path}/forks`,
      token,
      kind: 'primary',
      fields: { continue_to: formIn(project.full_path).slice(`/${project.full_path}/`.length) },
    })
  return html`
    <p>${sentences.fork_first}</p>
    <div class="actions">
      ${forking}
      ${rows.map(({ path_with_namespace: fork }) => html`<a class="button" href="${formIn(fork)}">Continue in ${isolated(fork)}</a>`)}
    </div>
  `
}

/** The page after a commit: that of the file. It offers a merge request if the commit is in a fork, or not on the default branch. */
export function committedAddress({ full_path, default_branch, forked_from_id }: LocatedProject, branch: string, path: string): string {
  const address = addressAt(full_path, 'blob', branchRevision(branch), path)
  const isProposal = forked_from_id !== null || (default_branch !== null && branch !== default_branch)
  return isProposal ? `${address}?committed=true` : address
}
