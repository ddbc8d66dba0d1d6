/** Creates projects, and offers other features functions on existing ones. */
import type { Insertable } from 'kysely'
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { ProjectTable, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, invalid } from '../../../failure.ts'
import { createRepository } from '../../../git/repository/repository.ts'
import { enqueue } from '../../../queue/queue.ts'
import { assertValid } from '../../../validation.ts'
import { readSettings, type Settings } from '../../instance/settings/settings.ts'
import { insertRoute, pathFromName } from '../../namespaces/namespaces.ts'
import { type Avatar, acceptAvatar, changeAvatar } from '../../storage/avatars/avatars.ts'
import { setTopics } from '../topics/topics.ts'
import { levelErrors, newLevels } from './feature-levels.ts'
import {
  hasTooMany,
  isWikiTaken,
  loadLockedPlace,
  loadLockedProject,
  type Place,
  takenBy,
  takesIn,
  wikiTaken,
} from './placement.service.ts'
import { blank, chosen, type NewProject, sentTopics } from './projects.columns.ts'
import { createRepositoryJob, healing_ms } from './projects.jobs.ts'
import { insertProject, locateProject } from './projects.queries.ts'
import { assertWellFormed } from './projects.rules.ts'
import { removeProject } from './removal.service.ts'
import { defaultVisibility, visibilityChangeError } from './visibility.service.ts'

/** Decided before the row of a new project is inserted. */
interface Settled extends Omit<NewProject, 'avatar'> {
  name: string
  path: string
  default_branch: string
  visibility: ProjectTable['visibility']
  shared_runners_enabled: boolean
  avatar: Avatar | undefined
}

/** The source of the content, for a project that doesn't start empty. */
export interface Origin {
  columns: Pick<Insertable<ProjectTable>, 'import_status' | 'import_url' | 'forked_from_id'>
  /** Enqueues the job that fills the repository: part of the transaction that creates the project. */
  begin: (tx: Db, project_id: number) => Promise<void>
}

/** Creates a project and its empty repository. Throws 400 with the errors, 403 if the creator has reached the limit. */
export async function createProject(
  app: App,
  creator: User,
  namespace: Place,
  input: NewProject,
  origin?: Origin,
): Promise<LocatedProject> {
  const settings = await readSettings(app.db)
  const path = input.path ?? pathFromName(input.name ?? '')
  const {
    name = path,
    default_branch = app.config.default_branch,
    visibility = defaultVisibility(settings, namespace),
    shared_runners_enabled = settings.shared_runners_enabled,
    avatar: sent,
    ...rest
  } = input
  const settled = { ...rest, name, path, default_branch, visibility, shared_runners_enabled }
  assertWellFormed(namespace, settled, visibilityChangeError(visibility, { settings, user: creator, place: namespace, source: null }))
  assertValid(levelErrors({ ...newLevels, ...chosen(settled, newLevels) }))
  const avatar = await acceptAvatar(app, sent)
  const id = await insertWithPlace(app, namespace, { creator, settings, secrets: app.secrets, input: { ...settled, avatar }, origin })
  try {
    await createRepository(app.git.open(id), default_branch)
  } catch (error) {
    // If the removal fails as well, for example on a full disk, the job creates the repository later.
    await removeProject(app, id).catch((cause) => app.log.error({ err: cause, project_id: id }, 'project without a repository not removed'))
    throw error
  }
  return locateProject(app.db, id)
}

interface Making {
  creator: User
  settings: Settings
  secrets: App['secrets']
  input: Settled
  origin: Origin | undefined
}

async function insertWithPlace(app: App, namespace: Place, making: Making): Promise<number> {
  try {
    return await inTransaction(app.db, async (tx) => {
      const place = await loadLockedPlace(tx, namespace.id)
      await assertMayCreate(tx, place, making)
      return insertLocked(tx, place, making)
    })
  } catch (error) {
    const { name, path } = making.input
    const wanted = { namespace_id: namespace.id, name, full_path: `${namespace.full_path}/${path}` }
    throw isUniqueViolation(error) ? await takenBy(app, wanted, null, error) : error
  }
}

/** Checks again what may have changed before the namespace and the source of the fork were locked. */
async function assertMayCreate(tx: Db, place: Place, { creator, settings, input, origin }: Making): Promise<void> {
  if (!takesIn(place)) throw invalid({ namespace: ['is not valid'] })
  if (await hasTooMany(tx, creator, place)) throw tooMany(creator)
  const forkedFrom = origin?.columns.forked_from_id ?? null
  const source = forkedFrom === null ? null : await loadLockedProject(tx, forkedFrom)
  const fieldError = visibilityChangeError(input.visibility, { settings, user: creator, place, source })
  if (fieldError !== null) throw invalid({ visibility_level: [fieldError] })
  if (await isWikiTaken(tx, `${place.full_path}/${input.path}`, null)) throw wikiTaken()
}

/** Fails on a unique index if the name or path is taken. */
async function insertLocked(tx: Tx, place: Place, { creator, secrets, input, origin }: Making): Promise<number> {
  const { name, path, default_branch, visibility, shared_runners_enabled, avatar, ...rest } = input
  const at = now()
  const { id } = await insertProject(tx, {
    ...blank(secrets),
    ...chosen(rest, newLevels),
    name,
    path,
    visibility,
    shared_runners_enabled,
    ...avatar,
    created_at: at,
    updated_at: at,
    last_activity_at: at,
    ...origin?.columns,
    namespace_id: place.id,
    creator_id: creator.id,
  })
  await changeAvatar(tx, null, avatar)
  await setTopics(tx, id, sentTopics(rest) ?? [])
  await insertRoute(tx, `${place.full_path}/${path}`, { project_id: id })
  const owner_id = place.kind === 'user' ? (place.owner_id ?? creator.id) : null
  await publish(tx, { type: 'project_created', project_id: id, creator_id: creator.id, owner_id })
  // In case the process ends before it has created the repository itself.
  await enqueue(tx, createRepositoryJob, { project_id: id, default_branch }, { delay_ms: healing_ms })
  await origin?.begin(tx, id)
  return id
}

function tooMany({ projects_limit }: User): Failure {
  const message =
    projects_limit === 0
      ? 'Personal project creation is not allowed. Please contact your administrator with questions'
      : `Your project limit is ${projects_limit} projects! Please contact your administrator to increase it`
  return new Failure('limit_reached', message, { body: { error: [message] } })
}
