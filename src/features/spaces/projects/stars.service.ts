/** Stars of projects. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { loadLockedProject } from './placement.service.ts'
import { addStars, deleteStar, insertStar } from './stars.queries.ts'

/** False if the user had starred it already. */
export function starProject(app: App, projectId: number, userId: number): Promise<boolean> {
  return inTransaction(app.db, async (tx) => {
    await loadLockedProject(tx, projectId)
    const fresh = await insertStar(tx, projectId, userId, now())
    if (fresh) await addStars(tx, projectId, 1)
    return fresh
  })
}

/** False if the user had not starred it. */
export function unstarProject(app: App, projectId: number, userId: number): Promise<boolean> {
  return inTransaction(app.db, async (tx) => {
    await loadLockedProject(tx, projectId)
    const deleted = await deleteStar(tx, projectId, userId)
    if (deleted) await addStars(tx, projectId, -1)
    return deleted
  })
}
