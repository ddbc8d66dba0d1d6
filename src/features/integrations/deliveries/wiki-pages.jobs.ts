/** Finds the pages that a push to a wiki has changed, and queues webhooks for them. */
import { inTransaction } from '../../../db/database.ts'
import { visitChanges } from '../../../git/diff/tree-changes.ts'
import { emptyTree, noObject } from '../../../git/objects/object-id.ts'
import type { RefChange } from '../../../git/refs/ref-updates.ts'
import { type Job, job } from '../../../queue/queue.ts'
import { pageNameOf } from '../../documents/wikis/wikis.ts'
import type { WikiPageFacts } from '../payloads/payloads.ts'
import { deliver } from './deliver.ts'
import { hooksOfPlace, projectOfWiki } from './deliveries.queries.ts'

interface Payload {
  wiki_id: number
  user_id: number
  /** The change of the branch with the pages. */
  change: RefChange
}

/** Maximum of changed pages per push for which hooks are called. */
const maxPages = 100

export const wikiPagesJob: Job<Payload> = job('webhooks.wiki_pages', {
  async handle(app, { wiki_id, user_id, change }) {
    const project_id = await projectOfWiki(app.db, wiki_id)
    if (project_id === null) return
    const audience = { place: { project_id }, flag: 'wiki_page_events', event: 'Wiki Page Hook' } as const
    if ((await hooksOfPlace(app.db, { place: audience.place, flags: [audience.flag] })).length === 0) return
    const repo = app.git.openWiki(wiki_id)
    const before = change.before === noObject ? emptyTree : change.before
    const found: WikiPageFacts[] = []
    await visitChanges(repo, before, change.after, ({ path, oid, isNew }) => {
      if (found.length === maxPages || !pageNameOf(path)) return
      const action = oid === null ? 'delete' : isNew ? 'create' : 'update'
      found.push({ kind: 'wiki_page', project_id, user_id, wiki_id, action, path, oid, commit_oid: change.after })
    })
    await inTransaction(app.db, (tx) => deliver(tx, audience, () => found.map((facts) => ({ facts }))))
  },
})
