/** Queues webhooks for events of repositories: pushes, tags, wiki pages and releases. */
import type { Tx } from '../../../db/database.ts'
import type { HookFlag } from '../../../db/tables.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { branchOf, isDeletion, type RefChange } from '../../../git/refs/ref-updates.ts'
import { enqueue } from '../../../queue/queue.ts'
import { matchesWildcard } from '../../../text/wildcards.ts'
import type { Facts, ReleaseFacts } from '../payloads/payloads.ts'
import { deliver, deliverTo } from './deliver.ts'
import { sendJob } from './deliveries.jobs.ts'
import { type HookInPlace, hooksOfPlace } from './deliveries.queries.ts'

const ofPushes: HookFlag[] = ['push_events', 'tag_push_events', 'repository_update_events']

/** Maximum of refs per push for which hooks are called. */
const maxRefs = 50
/** For hooks of the instance, which get one payload for all refs. */
const maxListedRefs = 1_000

export async function deliverPush(tx: Tx, { project_id, user_id, changes }: EventOf<'refs_pushed'>): Promise<void> {
  const branches = changes.filter(({ ref }) => ref.startsWith('refs/heads/'))
  const tags = changes.filter(({ ref }) => ref.startsWith('refs/tags/'))
  if (branches.length + tags.length === 0) return
  const hooks = await hooksOfPlace(tx, { place: { project_id }, flags: ofPushes, withInstance: true })
  if (hooks.length === 0) return
  const whole = (change: RefChange) => ({ facts: { kind: 'push', project_id, user_id, change } satisfies Facts })
  const brief = (change: RefChange) => ({ facts: { ...whole(change).facts, withoutCommits: true } })
  const [placed, ofInstance] = [hooks.filter((hook) => !hook.isOfInstance), hooks.filter((hook) => hook.isOfInstance)]
  for (const change of branches.slice(0, maxRefs)) {
    const wanting = placed.filter((hook) => hook.push_events && isWatched(hook, change))
    await deliverTo(tx, wanting, 'Push Hook', [whole(change)])
  }
  const firstTags = tags.slice(0, maxRefs)
  const wanting = (flag: HookFlag, among: HookInPlace[]) => among.filter((hook) => hook[flag])
  await deliverTo(tx, wanting('tag_push_events', placed), 'Tag Push Hook', firstTags.map(whole))
  await deliverTo(tx, wanting('push_events', ofInstance), 'Push Hook', branches.slice(0, maxRefs).map(brief))
  await deliverTo(tx, wanting('tag_push_events', ofInstance), 'Tag Push Hook', firstTags.map(brief))
  const listed = [...branches, ...tags].slice(0, maxListedRefs)
  const facts: Facts = { kind: 'repository_update', project_id, user_id, changes: listed }
  await deliverTo(tx, wanting('repository_update_events', ofInstance), 'Repository Update Hook', [{ facts }])
  await enqueue(tx, sendJob, {})
}

function isWatched({ push_events_branch_filter: filter }: HookInPlace, { ref }: RefChange): boolean {
  return !filter || matchesWildcard(filter, branchOf(ref) ?? '')
}

/** The push to the branch with the pages; null for others. */
export function pagesToRead({ wiki_id, user_id, changes }: EventOf<'wiki_pushed'>) {
  const change = changes.find((one) => branchOf(one.ref) !== null && !isDeletion(one))
  return change ? { wiki_id, user_id, change } : null
}

export function deliverRelease(action: ReleaseFacts['action']) {
  return (tx: Tx, { release, actor_id: user_id }: Pick<EventOf<'release_created'>, 'release' | 'actor_id'>): Promise<void> => {
    const { project_id } = release
    return deliver(tx, { place: { project_id }, flag: 'releases_events', event: 'Release Hook' }, () => [
      { facts: { kind: 'release', project_id, user_id, action, release } },
    ])
  }
}
