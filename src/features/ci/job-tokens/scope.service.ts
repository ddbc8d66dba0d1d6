/** Rules of the allow lists: users can only add projects and groups that they see, and lists are limited. */
import { findGroup, findProject } from '../../../access/find.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { invalid, notFound } from '../../../failure.ts'
import { allowGroup, allowProject, countAllowed, lockScope } from './scope.queries.ts'

/** Maximum for both lists of a project together. */
const maxAllowed = 200

/** Throws 404 for a project that the caller can't see; 400 if it is already on the list, is the project itself, or the lists are full. */
export async function addProject(app: App, project_id: number, target_id: number, caller: Viewer): Promise<void> {
  const { project } = await findProject(app.db, String(target_id), caller)
  if (project.id === project_id) throw invalid({ target_project: ['is the project itself'] })
  await add(app, project_id, 'target_project', (tx) => allowProject(tx, project_id, project.id))
}

/** As `addProject`: allows the current and future projects of the group and its subgroups. */
export async function addGroup(app: App, project_id: number, target_id: number, caller: Viewer): Promise<void> {
  const { group } = await findGroup(app.db, String(target_id), caller)
  await add(app, project_id, 'target_group', (tx) => allowGroup(tx, project_id, group.id))
}

async function add(app: App, project_id: number, field: string, insert: (tx: Tx) => Promise<boolean>): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    if (!(await lockScope(tx, project_id))) throw notFound('Project')
    if (!(await insert(tx))) throw invalid({ [field]: ['is already in the job token scope'] })
    if ((await countAllowed(tx, project_id)) > maxAllowed)
      throw invalid({ base: [`The allow-list may have at most ${maxAllowed} entries`] })
  })
}
