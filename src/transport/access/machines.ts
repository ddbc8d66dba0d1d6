/** Access of deploy keys and deploy tokens to repositories. */
import { canDownload, canPush, type LocatedProject, type ProjectAccess } from '../../access/find.ts'
import { accessLevels } from '../../access/levels.ts'
import type { DeployKeyHolder, DeployTokenHolder } from '../../access/principals.ts'
import { mayAct } from '../../access/states.ts'
import { everything } from '../../access/visible.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { findDeployKeyProject } from '../../features/repository/deploy-keys/deploy-keys.ts'
import { isForProject, readsRepositories } from '../../features/repository/deploy-tokens/deploy-tokens.ts'
import { denied, findVisible, outOfScope, refusalOfPush, unknownProject } from './refusals.ts'

type Purpose = 'read' | 'write' | 'push'

interface Admitted {
  project: LocatedProject
  user: User | null
  /** Key by which limits of streams count a deploy token. */
  machine: string | null
  level: number
}

/**
 * A deploy key can read the projects it is enabled in, and public ones. It pushes as its creator with their current access level, so it
 * never has more rights than its creator.
 */
export async function admitDeployKey(app: App, { key, maker }: DeployKeyHolder, path: string, purpose: Purpose): Promise<Admitted> {
  const found = await findVisible(app, path, everything)
  const opening = found && (await findDeployKeyProject(app.db, key.id, found.project.id))
  const { project, level } = asMachine(found, opening !== null)
  if (purpose === 'read') return { project, user: maker, machine: null, level }
  if (!opening?.can_push) throw denied('This deploy key does not have write access to this project.')
  if (!maker || !mayAct(maker)) throw denied('This deploy key cannot push: the user who created it was blocked or deleted.')
  if (project.archived) throw denied(refusalOfPush(project))
  // Looked up by id, since another project may have taken the path by now.
  const own = await findVisible(app, String(project.id), maker)
  if (!own || !canPush(own))
    throw denied('This deploy key cannot push: the user who created it is not allowed to push code to this project.')
  return { project, user: maker, machine: null, level: own.level }
}

/** A deploy token can read the project it was created for, or those in its group, and public ones. It never writes. */
export async function admitDeployToken(app: App, { token }: DeployTokenHolder, path: string, purpose: Purpose): Promise<Admitted> {
  if (!readsRepositories(token)) throw outOfScope()
  const found = await findVisible(app, path, everything)
  const isOwn = found !== null && (await isForProject(app.db, token, found.project))
  const { project, level } = asMachine(found, isOwn)
  if (purpose !== 'read') throw denied('Deploy tokens cannot push.')
  return { project, user: null, machine: `deploy-token:${token.id}`, level }
}

/**
 * Limits a machine to a reporter's access where it is enabled, and elsewhere to an anonymous user's, whoever created its credential. Throws
 * 404 if that isn't enough to read the code.
 */
function asMachine(found: ProjectAccess | null, isEnabled: boolean): ProjectAccess {
  const access = found && { ...found, level: isEnabled ? accessLevels.reporter : 0 }
  if (!access || (!isEnabled && !canDownload(access, null))) throw unknownProject()
  return access
}
