/** What quick actions need to know of git and of protected branches: asked before the transaction in which they are run. */
import type { App } from '../../../app.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { mayMergeTo } from '../../repository/pushes/pushes.ts'
import type { Actor } from '../issues/issues.ts'
import type { Subject } from './actions.ts'
import type { Command } from './split.ts'

export interface Known {
  /** The branches of the project among those that are named as a target. */
  branches: ReadonlySet<string>
  /** Whether the actor may merge it. */
  mayMerge: boolean
}

export const nothingKnown: Known = { branches: new Set(), mayMerge: false }

/** No git process and no statement where nothing depends on it. */
export async function knownFor(app: App, actor: Actor, { kind, row }: Subject, commands: Command[]): Promise<Known> {
  if (kind !== 'merge_request') return nothingKnown
  const branches = new Set<string>()
  for (const name of new Set(commands.filter((one) => one.name === 'target_branch').map(({ argument }) => argument)))
    if (name !== '' && (await resolveCommit(app.git.open(actor.project.id), `refs/heads/${name}`)) !== null) branches.add(name)
  const asksToMerge = row !== null && commands.some(({ name }) => name === 'merge')
  return { branches, mayMerge: asksToMerge && (await mayMergeTo(app, actor, row.target_branch)) }
}
