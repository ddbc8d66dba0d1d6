/** Changing a project: its settings, its name and path, how open it is, and whether anything may still be written. */
import type { LocatedProject } from '../../access/find.ts'
import type { App } from '../../app.ts'
import { type Db, inTransaction, isTaken } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import type { User } from '../../db/tables.ts'
import { invalid } from '../../failure.ts'
import { resolveCommit } from '../../git/read.ts'
import { setHead } from '../../git/refs.ts'
import { type Avatar, acceptAvatar, changeAvatar } from '../avatars/avatars.service.ts'
import { isMoreOpen } from '../complaints.ts'
import { lockFamilies } from '../forks/counts.service.ts'
import { moveRoute } from '../namespaces/namespaces.service.ts'
import { readSettings, type Settings } from '../settings/settings.service.ts'
import { holdPlace, holdProject, movedMeanwhile, type Place, takenBy } from './placement.service.ts'
import { chosen } from './projects.columns.ts'
import { locateProject, updateProject, visibilityOf } from './projects.queries.ts'
import { refuseMalformed } from './projects.rules.ts'
import type { NewProject } from './projects.service.ts'
import { complainOfOpenness, narrowForks } from './visibility.service.ts'

/** Changes a project. Throws 400 with what is wrong. */
export async function changeProject(app: App, project: LocatedProject, change: NewProject, user: User): Promise<LocatedProject> {
  const { name = project.name, path = project.path, default_branch, avatar: sent, ...rest } = change
  const namespace = { id: project.namespace_id, full_path: project.namespace_full_path }
  refuseMalformed(namespace, { ...rest, name, path }, null)
  const repo = app.git.open(project.id)
  const newDefault = default_branch !== undefined && default_branch !== project.default_branch
  if (newDefault && !(await resolveCommit(repo, `refs/heads/${default_branch}`))) {
    throw invalid({ base: [`Could not change HEAD: branch '${default_branch}' does not exist`] })
  }
  const settings = await readSettings(app.db)
  const avatar = await acceptAvatar(app, sent)
  const columns = { ...chosen(rest), ...(newDefault && { default_branch }) }
  try {
    await inTransaction(app.db, (tx) => write(tx, project, { ...change, avatar, columns }, settings, user))
  } catch (error) {
    const wanted = { namespace_id: namespace.id, name, full_path: `${namespace.full_path}/${path}` }
    throw isTaken(error) ? await takenBy(app, wanted, project.id, error) : error
  }
  if (newDefault) await setHead(repo, default_branch)
  return locateProject(app.db, project.id)
}

type Accepted = Omit<NewProject, 'avatar'> & { avatar: Avatar | undefined; columns: object }

async function write(tx: Db, seen: LocatedProject, change: Accepted, settings: Settings, user: User): Promise<void> {
  const place = await holdPlace(tx, seen.namespace_id)
  const source = await holdSource(tx, seen, change)
  const held = await holdProject(tx, seen.id)
  if (held.namespace_id !== place.id) throw movedMeanwhile()
  const { name = held.name, path = held.path, visibility = held.visibility, avatar } = change
  if (visibility !== held.visibility) refuseOpenness(visibility, place, { settings, user, source })
  await updateProject(tx, held.id, { ...change.columns, name, path, ...avatar, updated_at: now() })
  await changeAvatar(tx, held, avatar)
  if (path !== held.path) await moveRoute(tx, held.id, `${place.full_path}/${path}`)
  if (isMoreOpen(held.visibility, visibility)) await narrowForks(tx, held.id, visibility)
}

/** What the project is a fork of, where that limits the change: held, so that it doesn't become less open meanwhile. */
async function holdSource(tx: Db, { id, forked_from_id }: LocatedProject, { visibility }: NewProject | Accepted) {
  if (forked_from_id === null || visibility === undefined) return null
  await lockFamilies(tx, [id])
  return visibilityOf(tx, forked_from_id)
}

function refuseOpenness(
  chosen: LocatedProject['visibility'],
  place: Place,
  rest: Omit<Parameters<typeof complainOfOpenness>[1], 'place'>,
): void {
  const complaint = complainOfOpenness(chosen, { ...rest, place })
  if (complaint !== null) throw invalid({ visibility_level: [complaint] })
}

/** An archived project can be read and starred, and takes nothing in. */
export async function archiveProject(app: App, id: number, archived: boolean): Promise<LocatedProject> {
  await updateProject(app.db, id, { archived, updated_at: now() })
  return locateProject(app.db, id)
}
