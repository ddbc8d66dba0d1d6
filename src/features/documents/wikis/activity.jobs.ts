/** Adds an event to the activity for each wiki page that a push created, changed or deleted. */
import { inTransaction } from '../../../db/database.ts'
import type { EventTable, Instant } from '../../../db/tables.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { visitChanges } from '../../../git/diff/tree-changes.ts'
import { emptyTree, noObject } from '../../../git/objects/object-id.ts'
import { readHead } from '../../../git/refs/head.ts'
import { branchOf, isDeletion, type RefChange } from '../../../git/refs/ref-updates.ts'
import { type Job, job } from '../../../queue/queue.ts'
import { insertWikiEvents } from '../../discussion/activity/activity.ts'
import { isSpecial, type PageName, pageNameOf } from './page-names.ts'
import { wikiById } from './wikis.queries.ts'

interface Payload {
  wiki_id: number
  user_id: number
  at: Instant
  /** Changes of branches: one of them has the pages. */
  changes: RefChange[]
}

/** Limit of pages per push, such as an import: the first get an event. */
const maxPages = 100

/** May run twice: each page has one event of a push. */
export const recordPagesJob: Job<Payload> = job('wikis.record_pages', {
  async handle(app, { wiki_id, user_id, at, changes }) {
    const wiki = await wikiById(app.db, wiki_id)
    if (!wiki || wiki.project_id === null) return
    const { project_id } = wiki
    const repo = app.git.openWiki(wiki_id)
    const head = await readHead(repo)
    const change = changes.find(({ ref }) => branchOf(ref) === head)
    if (!change) return
    const found: Array<{ page: PageName; action: EventTable['action'] }> = []
    const before = change.before === noObject ? emptyTree : change.before
    await visitChanges(repo, before, change.after, ({ path, oid, isNew }) => {
      const page = found.length < maxPages ? pageNameOf(path) : null
      if (page && !isSpecial(page)) found.push({ page, action: oid === null ? 'destroyed' : isNew ? 'created' : 'updated' })
    })
    await inTransaction(app.db, (tx) =>
      insertWikiEvents(
        tx,
        found.map(({ page, action }) => ({
          project_id,
          author_id: user_id,
          created_at: at,
          action,
          target_type: 'WikiPage',
          after_oid: change.after,
          wiki_slug: page.slug,
          wiki_title: page.title,
          wiki_format: page.format,
        })),
      ),
    )
  },
})

/** Null where no branch was pushed: a wiki that came with its project is no news. */
export function pagesToRecord({ wiki_id, user_id, at, changes }: EventOf<'wiki_pushed'>): Payload | null {
  const ofBranches = changes.filter((one) => branchOf(one.ref) !== null && !isDeletion(one))
  return ofBranches.length > 0 ? { wiki_id, user_id, at, changes: ofBranches } : null
}
