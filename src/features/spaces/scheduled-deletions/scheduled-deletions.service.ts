/** The rules of deletion: at once, or after as many days as the setting says, until when what is deleted can be restored. */
import type { LocatedGroup, LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, invalid } from '../../../failure.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { loadLockedGroup, removeGroup, removeSpaceIn } from '../groups/groups.ts'
import { loadLockedProject, removeProject, removeProjectIn } from '../projects/projects.ts'
import {
  dueGroups,
  dueProjects,
  markGroups,
  markProject,
  markProjectsBelow,
  type Schedule,
  unmarkGroups,
  unmarkProject,
  unmarkProjectsBelow,
} from './scheduled-deletions.queries.ts'

export interface Deletion {
  /** Without waiting: of what is marked already, by who repeats its path. */
  permanently_remove?: boolean | undefined
  full_path?: string | undefined
}

/** When it is gone: null for at once. */
export interface Outcome {
  due_at: string | null
}

/** Deletes the project, or marks it. Throws 400 where it is marked already, or isn't yet what is to be removed for good. */
export async function deleteProject(app: App, project: LocatedProject, deletion: Deletion = {}): Promise<Outcome> {
  const schedule = await scheduleFor(app, 'Project', project, deletion)
  if (schedule === null) {
    await removeProject(app, project.id)
    return { due_at: null }
  }
  await inTransaction(app.db, async (tx) => {
    const { id, marked_for_deletion_at } = await loadLockedProject(tx, project.id)
    if (marked_for_deletion_at !== null) throw markedAlready('Project')
    await markProject(tx, id, schedule)
    await publish(tx, { type: 'deletion_scheduled', place: { project_id: id }, due_at: schedule.deletion_due_at })
  })
  return { due_at: schedule.deletion_due_at }
}

/** As `deleteProject`, with all that is below the group. */
export async function deleteGroup(app: App, group: LocatedGroup, deletion: Deletion = {}): Promise<Outcome> {
  const schedule = await scheduleFor(app, 'Group', group, deletion)
  if (schedule === null) {
    await removeGroup(app, group)
    return { due_at: null }
  }
  await inTransaction(app.db, async (tx) => {
    const { id, marked_for_deletion_at } = await loadLockedGroup(tx, group.id)
    if (marked_for_deletion_at !== null) throw markedAlready('Group')
    await markGroups(tx, id, schedule)
    await markProjectsBelow(tx, id, schedule)
    await publish(tx, { type: 'deletion_scheduled', place: { namespace_id: id }, due_at: schedule.deletion_due_at })
  })
  return { due_at: schedule.deletion_due_at }
}

interface Markable {
  full_path: string
  marked_for_deletion_at: string | null
}

async function scheduleFor(
  app: App,
  what: 'Project' | 'Group',
  { full_path, marked_for_deletion_at }: Markable,
  deletion: Deletion,
): Promise<Schedule | null> {
  const { deletion_adjourned_period: days } = await readSettings(app.db)
  if (days === 0) return null
  if (deletion.permanently_remove === true) {
    if (marked_for_deletion_at === null) throw invalid(`${what} must be marked for deletion first.`)
    if (deletion.full_path !== full_path)
      throw invalid(`\`full_path\` is incorrect. You must enter the complete path for the ${what.toLowerCase()}.`)
    return null
  }
  if (marked_for_deletion_at !== null) throw markedAlready(what)
  const at = now()
  return { marked_for_deletion_at: at, deletion_due_at: new Date(Date.parse(at) + days * day_ms).toISOString() }
}

const day_ms = 24 * 3_600_000

function markedAlready(what: string): Failure {
  return invalid(`${what} has been already marked for deletion`)
}

/** It is again what it was. Throws 400 where it isn't marked. */
export async function restoreProject(app: App, id: number): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const { marked_for_deletion_at } = await loadLockedProject(tx, id)
    if (marked_for_deletion_at === null) throw invalid('Project has not been marked for deletion')
    await unmarkProject(tx, id, now())
    await publish(tx, { type: 'deletion_withdrawn', place: { project_id: id } })
  })
}

/** As `restoreProject`, with all below it that was marked with it. */
export async function restoreGroup(app: App, id: number): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const { marked_for_deletion_at } = await loadLockedGroup(tx, id)
    if (marked_for_deletion_at === null) throw invalid('Group has not been marked for deletion')
    await unmarkGroups(tx, id, marked_for_deletion_at)
    await unmarkProjectsBelow(tx, id, marked_for_deletion_at, now())
    await publish(tx, { type: 'deletion_withdrawn', place: { namespace_id: id } })
  })
}

const atOnce = 100

/** Removes what is due. Each is looked at again once it is locked: somebody may restore it at the same time. */
export async function removeDue(app: App, at: string, stopping?: AbortSignal): Promise<void> {
  await forEach(
    (last) => dueGroups(app.db, at, last, atOnce),
    (id) =>
      inTransaction(app.db, async (tx) => {
        if (isDue(await loadLockedGroup(tx, id), at)) await removeSpaceIn(tx, id)
      }),
    stopping,
  )
  await forEach(
    (last) => dueProjects(app.db, at, last, atOnce),
    (id) =>
      inTransaction(app.db, async (tx) => {
        if (isDue(await loadLockedProject(tx, id), at)) await removeProjectIn(tx, id)
      }),
    stopping,
  )
}

async function forEach(
  page: (last: number) => Promise<number[]>,
  remove: (id: number) => Promise<void>,
  stopping?: AbortSignal,
): Promise<void> {
  for (let last = 0; ; ) {
    const ids = await page(last)
    for (const id of ids) {
      if (stopping?.aborted) return
      await remove(id).catch(ignoreIfGone)
      last = id
    }
    if (ids.length < atOnce) return
  }
}

function isDue({ deletion_due_at }: { deletion_due_at: string | null }, at: string): boolean {
  return deletion_due_at !== null && deletion_due_at <= at
}

/** Another process, or somebody who doesn't wait, was faster. */
function ignoreIfGone(error: unknown): void {
  if (!(error instanceof Failure && error.code === 'not_found')) throw error
}
