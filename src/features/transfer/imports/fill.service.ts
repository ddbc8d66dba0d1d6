/**
 * Filling the empty repository of a project that was made of something else: a repository elsewhere, or another project. It may
 * be interrupted at any point and begun again, by another process even while this one is at it; until it has come to its end
 * nobody pushes to the project, and from then on no run of it changes anything.
 */
import type { LocatedProject } from '../../../access/find.ts'
import { findUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { noObject } from '../../../git/objects/object-id.ts'
import { readHead } from '../../../git/refs/head.ts'
import { allRefs } from '../../../git/refs/refs.ts'
import { createRepository, type Repo } from '../../../git/repository/repository.ts'
import { closeStagedImport, isOpen, openStagedImport, takeOver } from '../../../git/transfer/staged-import.ts'
import { recordPush } from '../../repository/pushes/record.ts'
import { removeIfGone } from '../../spaces/projects/rows.service.ts'
import { findUnfilled, setImportState } from './imports.queries.ts'

export interface Filling {
  project_id: number
  /** Who asked for it: in his name its content comes. */
  user_id: number
}

export interface Content {
  /** Brings the branches and tags to an empty repository, and says which branch is the default where the source does. */
  bring: (empty: Repo, project: LocatedProject) => Promise<string | null>
  /** What else comes with it: part of the transaction that ends the import. */
  settle?: (tx: Db) => Promise<void>
}

/** Does nothing where it is done already. What can't be brought is told to those who administer the project. */
export async function fillProject(app: App, { project_id, user_id }: Filling, content: Content, stopping?: AbortSignal): Promise<void> {
  const repo = app.git.open(project_id)
  const project = await findUnfilled(app.db, project_id)
  if (!project) return removeIfGone(app, project_id)
  await setImportState(app.db, project_id, { import_status: 'started' })
  const user = await findUser(app.db, String(user_id))
  if (!user) return giveUp(app, project_id, new Failure('not_found', 'Who asked for it is gone'))
  // A default branch is what the project has once its content is recorded.
  if (project.default_branch === null) {
    if (!(await bringContent(app, repo, project, content, stopping))) return removeIfGone(app, project_id)
    await recordContent(app, repo, project, user)
  }
  await inTransaction(app.db, async (tx) => {
    const finished = await setImportState(tx, project_id, { import_status: 'finished', import_error: null })
    if (finished) await content.settle?.(tx)
  })
  await removeIfGone(app, project_id)
}

/** False when there is nothing to record: it could not be brought, or whoever was quicker has recorded it. */
async function bringContent(
  app: App,
  repo: Repo,
  project: LocatedProject,
  { bring }: Content,
  stopping: AbortSignal | undefined,
): Promise<boolean> {
  let arrival: Repo | null = null
  try {
    await createRepository(repo, app.config.default_branch)
    arrival = await openStagedImport(repo)
    const head = await bring(arrival, project)
    if (!(await findUnfilled(app.db, project.id))) return false
    await takeOver(arrival, repo, [head, app.config.default_branch])
    return true
  } catch (error) {
    const unfilled = await findUnfilled(app.db, project.id)
    const overtaken = arrival !== null && !(await isOpen(arrival))
    // Another run of the same job is at it, and tells how it went.
    if (stopping?.aborted || (unfilled && overtaken)) throw error
    if (unfilled) await giveUp(app, project.id, error)
    return false
  } finally {
    if (arrival) await closeStagedImport(arrival)
  }
}

async function recordContent(app: App, repo: Repo, project: LocatedProject, user: User): Promise<void> {
  const ref = `refs/heads/${await readHead(repo)}`
  const after = (await allRefs(repo)).get(ref)
  if (after) await recordPush(app, { project, user }, [{ ref, before: noObject, after }], null)
}

/** Users push to it from then on. */
async function giveUp(app: App, project_id: number, error: unknown): Promise<void> {
  app.log.warn(
    { err: error instanceof Failure ? (error.cause ?? error) : error, project_id },
    'the content of a project could not be brought',
  )
  await setImportState(app.db, project_id, { import_status: 'failed', import_error: sentenceOf(error) })
  await removeIfGone(app, project_id)
}

/** What users are told has no status before it, and nothing of what is for the log. */
function sentenceOf(error: unknown): string {
  const told = error instanceof Failure && error.code !== 'git_failed'
  return told ? error.message.replace(/^\d{3} /, '') : 'The repository could not be brought here'
}
