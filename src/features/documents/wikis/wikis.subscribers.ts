/** How wikis react to events. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { enqueue } from '../../../queue/queue.ts'
import { removeWikiJob } from './wikis.jobs.ts'
import { notePushTo, wikiIdOf, wikisBelow } from './wikis.queries.ts'

export async function noteWikiPush(tx: Tx, { wiki_id, at }: EventOf<'wiki_pushed'>): Promise<void> {
  await notePushTo(tx, wiki_id, at)
}

/** The row is deleted with the project, the files by a job. */
export async function removeWikiOfProject(tx: Tx, { project_id }: EventOf<'project_removed'>): Promise<void> {
  const wiki_id = await wikiIdOf(tx, project_id)
  if (wiki_id !== null) await enqueue(tx, removeWikiJob, { wiki_id })
}

/** A deleted group takes the wikis of all subgroups with it. */
export async function removeWikisOfGroups(tx: Tx, { namespace_id }: EventOf<'namespace_removed'>): Promise<void> {
  for (const wiki_id of await wikisBelow(tx, namespace_id)) await enqueue(tx, removeWikiJob, { wiki_id })
}
