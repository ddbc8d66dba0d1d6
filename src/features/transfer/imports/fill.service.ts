/**
 * Fills the empty repository of a new project from another repository. It may be interrupted at any point and started again, even by
 * another process while this one is still running. Nobody can push to the project until it has ended, and no run changes anything
 * afterwards.
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
import { arrivedBytes, closeStagedImport, isOpen, openStagedImport, takeOver } from '../../../git/transfer/staged-import.ts'
import { recordPush } from '../../repository/pushes/pushes.ts'
import { removeIfGone } from '../../spaces/projects/projects.ts'
import { watched } from '../progress/progress.ts'
import { findUnfilled, setImportState } from './imports.queries.ts'

export interface Filling {
  project_id: number
  /** The user who requested it: the author of the push that records the content. */
  user_id: number
}

export interface Content {
  /** The size of the source, if known, to show the progress. */
  total_bytes?: number | null
  /**
   * Fetches the branches and tags into an empty repository, and returns the source's default branch if it has one. The signal aborts when
   * the process stops, and when somebody stops the import.
   */
  bring: (empty: Repo, project: LocatedProject, signal: AbortSignal) => Promise<string | null>
  /** Copies everything else: part of the transaction that ends the import. */
  settle?: (tx: Db) => Promise<void>
}

/** Does nothing if it has been done already. A failure is recorded for the maintainers of the project. */
export async function fillProject(app: App, { project_id, user_id }: Filling, content: Content, stopping?: AbortSignal): Promise<void> {
  const repo = app.git.open(project_id)
  const project = await findUnfilled(app.db, project_id)
  if (!project) return removeIfGone(app, project_id)
  await setImportState(app.db, project_id, { import_status: 'started' })
  const user = await findUser(app.db, String(user_id))
  if (!user) return failImport(app, project_id, new Failure('not_found', 'The user who requested it is gone'))
  // A project has a default branch once its content has been recorded.
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

/** False if there is nothing to record: the attempt failed, or another run has recorded it. */
async function bringContent(
  app: App,
  repo: Repo,
  project: LocatedProject,
  { bring, total_bytes = null }: Content,
  stopping: AbortSignal | undefined,
): Promise<boolean> {
  let staged: Repo | null = null
  try {
    await createRepository(repo, app.config.default_branch)
    const arrival = await openStagedImport(repo)
    staged = arrival
    const head = await watched(
      app,
      {
        project_id: project.id,
        work: 'import',
        measure: () => arrivedBytes(arrival),
        total_bytes,
        isWanted: async () => (await findUnfilled(app.db, project.id)) !== null,
        stopping,
      },
      (signal) => bring(arrival, project, signal),
    )
    if (!(await findUnfilled(app.db, project.id))) return false
    await takeOver(staged, repo, [head, app.config.default_branch])
    return true
  } catch (error) {
    const unfilled = await findUnfilled(app.db, project.id)
    const overtaken = staged !== null && !(await isOpen(staged))
    // Another run of the same job continues, and reports the outcome.
    if (stopping?.aborted || (unfilled && overtaken)) throw error
    if (unfilled) await failImport(app, project.id, error)
    return false
  } finally {
    if (staged) await closeStagedImport(staged)
  }
}

async function recordContent(app: App, repo: Repo, project: LocatedProject, user: User): Promise<void> {
  const ref = `refs/heads/${await readHead(repo)}`
  const after = (await allRefs(repo)).get(ref)
  if (after) await recordPush(app, { project, user }, [{ ref, before: noObject, after }], null)
}

/** Afterwards, users can push to the project. */
async function failImport(app: App, project_id: number, error: unknown): Promise<void> {
  app.log.warn({ err: error instanceof Failure ? (error.cause ?? error) : error, project_id }, 'import failed')
  await setImportState(app.db, project_id, { import_status: 'failed', import_error: sentenceOf(error) })
  await removeIfGone(app, project_id)
}

/** The message for users: without a status and details, which are only in the log. */
function sentenceOf(error: unknown): string {
  const isPublic = error instanceof Failure && error.code !== 'git_failed'
  return isPublic ? error.message.replace(/^\d{3} /, '') : 'The repository could not be imported'
}
