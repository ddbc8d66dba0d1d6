/** Common parts of payloads: users, projects, labels, commits, texts. */
import { findProject, type LocatedProject } from '../../../access/find.ts'
import { userById } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import { pageUrl } from '../../../addresses/links.ts'
import { commitAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import type { Label, User } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { payloadProject, payloadUser } from './project.ts'

/** Null once the project is deleted: there are no hooks to call then. */
export async function projectOf(app: App, project_id: number): Promise<LocatedProject | null> {
  const access = await findProject(app.db, String(project_id), everything).catch(nullIfMissing)
  return access?.project ?? null
}

/** The project and the acting user, which all payloads contain. */
export async function settingOf(app: App, facts: { project_id: number; user_id: number | null }) {
  const project = await projectOf(app, facts.project_id)
  if (!project) return null
  return { project, user: await actorOf(app, facts.user_id), shown: payloadProject(app.config, project) }
}

type Actor = Omit<ReturnType<typeof payloadUser>, 'avatar_url'> & { avatar_url: string | null }

/** A user who was deleted since then is represented by the Ghost User. */
export async function actorOf(app: App, user_id: number | null): Promise<Actor> {
  const user = user_id === null ? null : await userById(app.db, user_id)
  return user ? payloadUser(app.config, user) : ghost
}

const ghost: Actor = {
  id: 0,
  name: 'Ghost User',
  username: 'ghost',
  avatar_url: null,
  email: '[REDACTED]',
}

/** Ordered by id, without deleted ones. */
export async function peopleOf(app: App, ids: readonly number[]) {
  const users = await Promise.all(ids.map((id) => userById(app.db, id)))
  return users.filter((user): user is User => user !== null).map((user) => payloadUser(app.config, user))
}

export function payloadLabel(label: Label) {
  const { id, title, color, project_id, namespace_id, created_at, updated_at, description } = label
  const type = project_id === null ? ('GroupLabel' as const) : ('ProjectLabel' as const)
  return { id, title, color, project_id, created_at, updated_at, template: false, description, type, group_id: namespace_id }
}

export function payloadCommit(config: Config, project: { full_path: string }, { oid, message, author, committer }: Commit) {
  return {
    id: oid,
    message,
    title: titleOf(message),
    timestamp: committer.date,
    url: pageUrl(config, commitAddress(project, oid)),
    author: { name: author.name, email: author.email },
  }
}

/** Null once git has removed it. */
export async function commitOf(app: App, project: LocatedProject, oid: string | null): Promise<Commit | null> {
  const repo = app.git.open(project.id)
  const found = oid === null ? null : await resolveCommit(repo, oid)
  return found === null ? null : readCommit(repo, found)
}

const image = /!\[([^[\]\n]{0,1000})\]\((?!https?:\/\/|\/\/)\/?([^()\n]{1,2000})\)/g

/** Images in uploads get absolute URLs, since a receiver can't resolve relative ones. */
export function withAbsoluteImages(text: string | null, base: string): string | null {
  return text?.replace(image, (_, title: string, path: string) => `![${title}](${base}/${path})`) ?? null
}
