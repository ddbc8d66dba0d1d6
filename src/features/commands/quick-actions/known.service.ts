/** Facts about git and protected branches that quick actions need, read before their transaction. */
import type { App } from '../../../app.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Actor } from '../../planning/issuables/issuables.ts'
import { mayMergeTo } from '../../repository/pushes/pushes.ts'
import { canReopen } from '../../review/merge-requests/merge-requests.ts'
import { mayPushToSource } from '../merging/merging.ts'
import type { Subject } from './actions.ts'
import type { Command } from './split.ts'
import { type Known, nothingKnown } from './subjects.ts'

/** No git process or statement unless an action depends on it. */
export async function knownFor(app: App, actor: Actor, { kind, row }: Subject, commands: Command[]): Promise<Known> {
  if (kind !== 'merge_request') return nothingKnown
  const branches = new Set<string>()
  for (const name of new Set(commands.filter((one) => one.name === 'target_branch').map(({ argument }) => argument)))
    if (name !== '' && (await resolveCommit(app.git.open(actor.project.id), `refs/heads/${name}`)) !== null) branches.add(name)
  const asksToMerge = row !== null && commands.some(({ name }) => name === 'merge')
  const asksToRebase = row !== null && commands.some(({ name }) => name === 'rebase')
  const asksToReopen = row !== null && commands.some(({ name }) => name === 'reopen')
  const mayReopen = asksToReopen && (await canReopen(app, actor, row))
  const mayRebase = asksToRebase && (await mayPushToSource(app, row, actor.user))
  return { branches, mayReopen, mayRebase, mayMerge: asksToMerge && (await mayMergeTo(app, actor, row.target_branch)) }
}
