/**
 * Restores a project from its archive. The project exists already, empty and visible only to its importer; the last transaction applies
 * settings and members at once. An attempt that is interrupted before that starts again from the beginning.
 */
import type { LocatedProject } from '../../../access/find.ts'
import { findProject } from '../../../access/find.ts'
import { accessLevels } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User, Visibility } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure } from '../../../failure.ts'
import { findReadme } from '../../../git/history/readme.ts'
import { noObject } from '../../../git/objects/object-id.ts'
import { readHead } from '../../../git/refs/head.ts'
import { createRepository } from '../../../git/repository/repository.ts'
import { readBundle } from '../../../git/transfer/bundle.ts'
import { beginWith } from '../../../git/transfer/staged-import.ts'
import { Upload } from '../../../http/parameters/upload.ts'
import { restoreWiki } from '../../documents/wikis/wikis.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { moveRoute } from '../../namespaces/namespaces.ts'
import {
  assertWellFormed,
  isNameTaken,
  levelsFrom,
  loadLockedPlace,
  loadLockedProject,
  narrowForks,
  newLevels,
  switches,
  topicsOf,
} from '../../spaces/projects/projects.ts'
import { setTopics, topicError } from '../../spaces/topics/topics.ts'
import { type Avatar, acceptAvatar, changeAvatar } from '../../storage/avatars/avatars.ts'
import { abandon } from '../../storage/object-storage/object-storage.ts'
import { archiveError, ciSettingNames, flags, type ProjectSettings, readArchive, reviewSettingNames } from '../archive/archive.ts'
import { deleteImport, lockImport, type ProjectImport } from './archive-imports.queries.ts'
import { refsOfMergeRequests } from './merge-request-refs.ts'
import { matchPeople } from './people.ts'
import { findReplaceable, lockReplaced, replaceProject } from './replace-project.service.ts'
import { replaceMembers, updateRestored } from './restore.queries.ts'
import { type RestoredMember, type Restoring, relink, restoredMembers, restoreRows, whileImporting } from './restore.rows.ts'
import { maxVisibilityBelow, minVisibility } from './visibility.ts'

/** Throws `invalid` for an invalid archive. */
export async function restore(app: App, job: ProjectImport, importer: User, signal?: AbortSignal): Promise<void> {
  const { project_id } = job
  const unpacked = await readArchive(app, project_id, await app.store.open(job.store_key), signal)
  try {
    const people = await matchPeople(app, importer, unpacked.tables.get('people'))
    const restoring: Restoring = {
      app,
      project_id,
      importer,
      unpacked,
      people,
      secrets: new Map(),
      pipelines: new Map(),
      planning: new Map(),
    }
    const { project } = await findProject(app.db, String(project_id), importer)
    const settings = validSettings(project, { ...unpacked.settings, ...overridesOf(job) })
    const avatar = await avatarOf(app, settings, unpacked.avatar)
    await whileImporting(restoring)
    const repository = await restoreRepository(restoring, settings.default_branch, signal)
    const { wiki } = unpacked
    const home = { kind: 'project', row: project, level: accessLevels.owner } as const
    if (wiki) await restoreWiki(app, home, { open: (start) => wiki.open(start), user_id: importer.id, signal })
    await restoreRows(restoring, signal)
    const members = await restoredMembers(restoring)
    const description = settings.description === null ? null : relink(restoring, settings.description)
    await finish(app, importer, { job, settings: { ...settings, description }, avatar, repository, members })
  } finally {
    await unpacked.close()
  }
}

function overridesOf({ overrides }: ProjectImport): Partial<ProjectSettings> {
  return JSON.parse(overrides) as Partial<ProjectSettings>
}

/** The settings, validated by the rules of every project. */
function validSettings(project: LocatedProject, settings: ProjectSettings): ProjectSettings {
  const { name, description, ci_config_path } = settings
  const input = { name, path: project.path, description: description ?? '', ci_config_path: ci_config_path ?? '' }
  try {
    assertWellFormed({ full_path: project.namespace_full_path }, input, null)
  } catch (error) {
    throw error instanceof Failure ? archiveError(`has settings that no project has: ${error.message}`, error) : error
  }
  return settings
}

async function avatarOf(app: App, { avatar_name }: ProjectSettings, bytes: Buffer | null): Promise<Avatar | undefined> {
  if (bytes === null) return undefined
  try {
    return await acceptAvatar(app, new Upload(avatar_name ?? 'avatar', '', bytes))
  } catch (error) {
    throw error instanceof Failure && error.code === 'invalid' ? archiveError('has an avatar that is no picture', error) : error
  }
}

interface Repository {
  default_branch: string | null
  readme_path: string | null
  refs: Map<string, string>
}

async function restoreRepository(restoring: Restoring, wanted: string | null, signal: AbortSignal | undefined): Promise<Repository> {
  const { app, project_id } = restoring
  const { repository } = restoring.unpacked
  const repo = app.git.open(project_id)
  await createRepository(repo, app.config.default_branch)
  if (!repository) {
    await refsOfMergeRequests(repo, restoring.unpacked)
    return { default_branch: null, readme_path: null, refs: new Map() }
  }
  const refs = await readBundle(repo, (start) => repository.open(start), signal)
  await whileImporting(restoring)
  const own = await refsOfMergeRequests(repo, restoring.unpacked)
  // Refs that exist already come from an earlier attempt, and are the same.
  await beginWith(repo, new Map([...refs, ...own]), [wanted])
  const head = await readHead(repo)
  const default_branch = refs.has(`refs/heads/${head}`) ? head : null
  return { default_branch, readme_path: await findReadme(repo), refs }
}

interface Restored {
  job: ProjectImport
  settings: ProjectSettings
  avatar: Avatar | undefined
  repository: Repository
  members: RestoredMember[]
}

/** The project to replace: one that existed when the import was requested, not one created since. */
async function findOld(
  app: App,
  importer: User,
  { id, namespace_full_path }: LocatedProject,
  path: string | null,
): Promise<LocatedProject | null> {
  if (path === null) return null
  const refusal = 'Who sent the archive may not replace the project.'
  const found = await findReplaceable(app, importer, `${namespace_full_path}/${path}`, refusal)
  return found && found.id < id ? found : null
}

async function finish(app: App, importer: User, { job, settings, avatar, repository, members }: Restored): Promise<void> {
  const { default_branch, readme_path, refs } = repository
  const { project_id: id } = job
  const instance = await readSettings(app.db)
  const { project: seen } = await findProject(app.db, String(id), importer)
  const old = await findOld(app, importer, seen, job.replaces_path)
  await inTransaction(app.db, async (tx) => {
    const place = await loadLockedPlace(tx, seen.namespace_id)
    const replaced = await lockReplaced(tx, id, old)
    const project = await loadLockedProject(tx, id)
    // Another run of the same job was faster, or the import was stopped.
    if ((await lockImport(tx, id)) === null) return
    const own = { user_id: importer.id, access_level: accessLevels.maintainer, expires_at: null, created_at: now() }
    await replaceMembers(tx, id, [own, ...members])
    if (replaced) await replaceProject(tx, replaced.id, id)
    const path = job.replaces_path ?? project.path
    const wanted = minVisibility(settings.visibility, replaced?.source ?? 'public')
    const visibility = maxVisibilityBelow(wanted, instance, place) ?? project.visibility
    // It may have inherited the forks of the project that it replaces.
    if (replaced) await narrowForks(tx, id, visibility)
    if (visibility !== project.visibility) {
      await publish(tx, { type: 'project_visibility_changed', project_id: id, before: project.visibility, after: visibility })
    }
    if (path !== project.path) await rename(tx, project, `${place.full_path}/${path}`)
    await changeAvatar(tx, project, avatar)
    await setTopics(
      tx,
      id,
      topicsOf(settings.tag_list).filter((name) => topicError(name) === null),
    )
    await updateRestored(tx, id, {
      ...columnsOf(settings, visibility),
      // The group may have been archived meanwhile.
      ...(place.archived && { archived: true, archived_by_group: !settings.archived }),
      ...avatar,
      name: await nameFor(tx, project, settings.name, path),
      path,
      default_branch,
      readme_path,
      import_status: 'finished',
      import_error: null,
    })
    await abandon(tx, job.store_key)
    await deleteImport(tx, id)
    const changes = [...refs].map(([ref, after]) => ({ ref, before: noObject, after }))
    await publish(tx, { type: 'project_restored', project_id: id, default_branch, changes })
  }).catch((error: unknown) => {
    throw isUniqueViolation(error)
      ? new Failure('invalid', 'Another project has taken the path or the name meanwhile.', { cause: error })
      : error
  })
}

async function rename(tx: Tx, { id, full_path: before }: LocatedProject, after: string): Promise<void> {
  await moveRoute(tx, id, after)
  await publish(tx, { type: 'project_renamed', project_id: id, before, after })
}

function columnsOf(settings: ProjectSettings, visibility: Visibility) {
  const { description, merge_method, ci_config_path, created_at, updated_at, last_activity_at, feature_levels = newLevels } = settings
  const kept = flags.filter((flag) => !switches.some((one) => one === flag))
  const columns = Object.fromEntries(kept.map((flag) => [flag, settings[flag]]))
  const later = Object.fromEntries(
    [...reviewSettingNames, ...ciSettingNames].flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]])),
  )
  const levels = { ...feature_levels, ...levelsFrom(settings, feature_levels) }
  return {
    ...columns,
    ...later,
    ...levels,
    description,
    merge_method,
    ci_config_path,
    visibility,
    created_at,
    updated_at,
    last_activity_at,
  }
}

/** The name in the archive if it is free in the namespace; otherwise the path of the import. */
async function nameFor(tx: Db, { id, namespace_id }: LocatedProject, name: string, path: string): Promise<string> {
  return (await isNameTaken(tx, namespace_id, name, id)) ? path : name
}
