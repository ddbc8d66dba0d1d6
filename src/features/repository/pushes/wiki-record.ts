/** Records a push to a wiki, by the domain event from which everything else follows. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { readHead, setHead } from '../../../git/refs/head.ts'
import { branchOf, isDeletion, type RefChange } from '../../../git/refs/ref-updates.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { deleteIntent } from './pushes.queries.ts'

/** Does nothing if the intent was settled meanwhile. `also` writes related rows in the same transaction. */
export async function recordWikiPush(
  app: App,
  { wiki_id, user_id }: { wiki_id: number; user_id: number },
  changes: RefChange[],
  intent: number | null,
  at: Instant = now(),
  also: (tx: Tx) => Promise<void> = async () => {},
): Promise<void> {
  await settleHead(app.git.openWiki(wiki_id), changes)
  const recorded = await inTransaction(app.db, async (tx) => {
    if (intent !== null && !(await deleteIntent(tx, intent))) return false
    await publish(tx, { type: 'wiki_pushed', wiki_id, user_id, at, changes })
    await also(tx)
    return true
  })
  if (recorded) app.log.info({ wiki_id, user_id, refs: changes.length }, 'push to a wiki')
}

/** Pages are read from the branch of HEAD. If the first push has other branches, HEAD is set to `main`, `master` or the first of them. */
async function settleHead(repo: Repo, changes: RefChange[]): Promise<void> {
  const pushed = changes.filter((change) => !isDeletion(change)).flatMap(({ ref }) => branchOf(ref) ?? [])
  if (pushed.length === 0) return
  const head = await readHead(repo)
  if (pushed.includes(head) || (await resolveCommit(repo, `refs/heads/${head}`)) !== null) return
  const branch = ['main', 'master', ...pushed].find((name) => pushed.includes(name))
  if (branch !== undefined) await setHead(repo, branch)
}
