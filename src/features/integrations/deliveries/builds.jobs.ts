/** Polls an external CI server for the build of a pushed commit until it has ended, and shows its status on the commit. */
import { findProject } from '../../../access/find.ts'
import { userById } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { Hook } from '../../../db/tables.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'
import { branchOf } from '../../../git/refs/ref-updates.ts'
import type { Posted } from '../../../outgoing/post.ts'
import { enqueue, type Job, job } from '../../../queue/queue.ts'
import { parseUrl } from '../../../text/parse-url.ts'
import { postStatus } from '../../ci/statuses/statuses.ts'
import { type BuiltCommit, isSuccess, kindOf, type Payload } from '../kinds/kinds.ts'
import { integrationById, settingsOf } from '../services/services.ts'
import { ask } from './perform.ts'

interface Asking {
  integration_id: number
  sha: string
  /** The pushed branch. */
  ref: string
  /** The user who pushed. */
  user_id: number
  /** The last reported status; null if there is none. */
  status: State | null
  /** Number of requests so far. */
  asked: number
}

const states = ['pending', 'running', 'success', 'failed', 'canceled'] as const
type State = (typeof states)[number]
const isOpen = (state: State) => state === 'pending' || state === 'running'

/** Delays before the requests; the last one is repeated. */
const waits_ms = [5_000, 15_000, 30_000, 60_000, 120_000, 300_000]
/** About a day of polling. */
const maxAsked = 300
const maxUrl = 255

export const askBuildJob: Job<Asking> = job('services.ask_build', {
  lane: 'remote',
  key: ({ integration_id, ref, sha }) => `services.ask_build ${integration_id} ${sha} ${ref}`,
  handle: askBuild,
})

/** Called after a push that an integration with builds was notified of. */
export async function followBuild(
  app: App,
  { integration_id }: Pick<Hook, 'integration_id'>,
  body: string,
  answer: Posted | { error: string } | null,
): Promise<void> {
  if (answer !== null && !('status' in answer && isSuccess(answer))) return
  const row = integration_id === null ? null : await integrationById(app.db, integration_id)
  if (!row?.active || !kindOf(row.slug)?.build) return
  const { object_kind, ref = '', checkout_sha, user_id = 0 } = JSON.parse(body) as Payload
  const branch = branchOf(ref)
  if (object_kind === 'push' && branch !== null && checkout_sha)
    await askLater(app, { integration_id: row.id, sha: checkout_sha, ref: branch, user_id, status: null, asked: 0 })
}

async function askLater(app: App, asking: Asking): Promise<void> {
  const delay_ms = waits_ms[Math.min(asking.asked, waits_ms.length - 1)] ?? 0
  await enqueue(app.db, askBuildJob, asking, { delay_ms })
}

/** Ends if the integration, the project or the user was deleted. */
async function askBuild(app: App, asking: Asking): Promise<void> {
  const { integration_id, sha, ref, user_id, asked } = asking
  const row = await integrationById(app.db, integration_id)
  const build = row?.active ? kindOf(row.slug)?.build : undefined
  const found = row && (await findProject(app.db, String(row.project_id), everything).catch(nullIfMissing))
  const author = await userById(app.db, user_id)
  if (!row || !build || !found || !author) return
  const commit: BuiltCommit = { sha, ref, path: found.project.full_path }
  const settings = settingsOf(app, row)
  const answer = await ask(app, build.ask(settings, commit))
  const read = 'error' in answer ? null : build.read(answer, settings)
  const status = states.find((state) => state === read?.status) ?? null
  if (status !== null && status !== asking.status) {
    const page = withoutCredentials(read?.page ?? build.page(settings, commit))
    await tell(app, found.project.id, { author, sha, status, ref, name: row.slug, page })
  }
  if ((status === null || isOpen(status)) && asked < maxAsked)
    await askLater(app, { ...asking, status: status ?? asking.status, asked: asked + 1 })
}

/** Everyone who sees the commit sees the link. */
function withoutCredentials(page: string): string {
  const url = parseUrl(page)
  if (!url) return page
  url.username = url.password = ''
  return url.href
}

interface Told {
  author: Parameters<typeof postStatus>[2]
  sha: string
  status: State
  ref: string
  /** Name of the status: the kind of the server. */
  name: string
  page: string
}

/** Reports the status; one that was reported before the process died is kept. */
async function tell(app: App, project_id: number, { author, sha, status, ref, name, page }: Told): Promise<void> {
  const target_url = page.length > maxUrl ? undefined : page
  await postStatus(app, project_id, author, sha, { state: status, ref, name, target_url }).catch((error: unknown) => {
    if (!(error instanceof Failure) || error.status >= 500) throw error
  })
}
