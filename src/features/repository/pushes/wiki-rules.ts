/** Which changes of a wiki's refs are allowed, whichever protocol is used. */
import { may } from '../../../access/permissions.ts'
import type { Viewer } from '../../../access/visible.ts'
import { isArchived, mayReadWiki, mayWriteWiki, type WikiHome } from '../../../access/wikis.ts'
import type { User } from '../../../db/tables.ts'
import { goForward } from '../../../git/history/ancestry.ts'
import { findCaseConflict } from '../../../git/refs/case-conflict.ts'
import { readHead } from '../../../git/refs/head.ts'
import { refError } from '../../../git/refs/names.ts'
import { branchOf, isCreation, isDeletion, type RefChange } from '../../../git/refs/ref-updates.ts'
import { isServiceRef } from '../../../git/refs/service-refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { Protocol } from './allowed-changes.ts'

/** Why they may change no refs of the wiki at all; null if they may change some. */
export function refusalOfWiki(home: WikiHome, viewer: Viewer): string | null {
  if (isArchived(home)) return `You are not allowed to push to the wiki of an archived ${home.kind}.`
  if (!mayReadWiki(home, viewer)) return 'The wiki of this project is disabled.'
  return mayWriteWiki(home, viewer) ? null : 'You are not allowed to push to this wiki.'
}

/**
 * Why the changes are denied; null if they are allowed. The branch that pages are read from is protected: nobody can delete it, and only
 * maintainers can force-push, so that no page is lost.
 */
export async function refusalOfWikiChanges(
  repo: Repo,
  { home, user }: { home: WikiHome; user: User },
  changes: RefChange[],
  protocol: Protocol,
): Promise<string | null> {
  const refusal = refusalOfWiki(home, user)
  if (refusal) return refusal
  for (const change of changes) {
    if (isServiceRef(change.ref)) return `The ref ${change.ref} is kept by the service.`
    const error = isDeletion(change) ? null : refError(change.ref)
    if (error !== null) return error
  }
  const conflict = await findCaseConflict(repo, changes)
  if (conflict) {
    return `The ref ${conflict.ref} differs only in case from ${conflict.existing}, and the file system of this server ignores case.`
  }
  const head = await readHead(repo)
  const ofPages = changes.filter((change) => branchOf(change.ref) === head)
  if (ofPages.some(isDeletion)) return 'The default branch of a wiki cannot be deleted.'
  const moves = ofPages.filter((change) => !isCreation(change))
  if (moves.length === 0 || may('force_push_wikis', home.level)) return null
  const quarantine = protocol.name === 'git' ? protocol.quarantine : ''
  if (await goForward(repo, moves, quarantine)) return null
  return 'You are not allowed to force push to the default branch of a wiki. Only a maintainer or owner can do that.'
}
