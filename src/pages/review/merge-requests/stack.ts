/** Which merge requests come before or after one: those it waits for, and the stack that branches and change ids tell. */

import { canManageMergeRequests } from '../../../access/merge-requests.ts'
import { type Step, stackedMergeOf, stepsOf } from '../../../features/commands/stack-merges/stack-merges.ts'
import { mayMergeTo } from '../../../features/repository/pushes/pushes.ts'
import { blocksAt, readStack, type Stacked, visibleAmong } from '../../../features/review/dependencies/dependencies.ts'
import { mergeRequestById, presentMergeRequestsSimply } from '../../../features/review/merge-requests/merge-requests.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed } from '../../frame/declaration.ts'
import { field, hidden, postButton } from '../../frame/forms.ts'
import { type Editor, noneYet, section } from '../../planning/discussion/side.ts'
import { mergeRequestAddress } from './parts.ts'
import type { MergeRequestSeen } from './seen.ts'
import { stackSentences } from './sentences.ts'

interface Blocking {
  block_id: number
  /** From the site's root. */
  href: string
  /** `!12`, or `group/project!12`. */
  reference: string
  title: string
  isMerged: boolean
}

export interface Before {
  /** From the lowest; empty if it builds on nothing, and nothing on it. */
  stack: Stacked[]
  /** The merge requests that are merged along when this one is merged with its stack; empty if nothing is below it. */
  steps: Step[]
  /** Whether the viewer may merge the lowest of them. */
  mayMerge: boolean
  /** The number of the one after which it is merged by itself. */
  after: number | null
  /** Merge requests that are merged before it; those that the viewer can't see are counted. */
  waitsFor: Blocking[]
  hidden: number
}

const maxShown = 100

/** At most twelve statements; five where it stands alone. */
export async function readBefore(seen: MergeRequestSeen): Promise<Before> {
  const { app, project, level, user, merge_request } = seen
  const stack = await readStack(app.db, user, merge_request)
  const waiting = merge_request.state === 'opened' ? await stackedMergeOf(app.db, merge_request.id) : null
  const below = waiting && (await mergeRequestById(app.db, waiting.below_id))
  const steps = waiting === null ? await stepsOf(app.db, stack, merge_request.id) : []
  const known = steps.flatMap(({ id, head_oid }) => (head_oid === null ? [] : [{ id, head_oid }]))
  const [lowest] = steps
  const mayMerge = user !== null && lowest !== undefined && (await mayMergeTo(app, { project, level }, lowest.target_branch))
  return { stack, steps: known, mayMerge, after: below?.iid ?? null, ...(await readBlocking(seen)) }
}

async function readBlocking({ app, project, user, merge_request }: MergeRequestSeen): Promise<Pick<Before, 'waitsFor' | 'hidden'>> {
  const { rows } = await blocksAt(app.db, 'blocked_merge_request_id', merge_request.id, { limit: maxShown, offset: 0 })
  const ids = rows.map(({ blocking_merge_request_id }) => blocking_merge_request_id)
  const visible = await visibleAmong(app.db, user, ids)
  const presented = new Map((await presentMergeRequestsSimply(app, [...visible.values()])).map((one) => [one.id, one]))
  const waitsFor = rows.flatMap(({ id: block_id, blocking_merge_request_id }): Blocking[] => {
    const one = presented.get(blocking_merge_request_id)
    if (!one) return []
    const href = one.web_url.slice(app.config.url.length)
    const path = one.project_id === project.id ? '' : href.slice(1).replace(/\/merge_requests\/\d+$/, '')
    return [{ block_id, href, reference: `${path}!${one.iid}`, title: one.title, isMerged: one.state === 'merged' }]
  })
  return { waitsFor, hidden: rows.length - waitsFor.length }
}

/** Empty if it stands alone, and the viewer may not change that. */
export function beforeSection(seen: MergeRequestSeen, before: Before, edit: Editor): Html {
  const isStacked = before.stack.length > 0 || before.after !== null
  return html`${isStacked && stackSection(seen, before)}${blockingSection(seen, before, edit)}`
}

function stackSection(seen: MergeRequestSeen, { stack, steps, mayMerge, after }: Before): Html {
  const { project, merge_request, token } = seen
  const place = stack.findIndex(({ id }) => id === merge_request.id) + 1
  const rows = [...stack].reverse().map(({ id, iid, title }) => {
    const shown =
      id === merge_request.id
        ? html`<b><bdi>${title}</bdi></b>`
        : html`<a href="${mergeRequestAddress(project, iid)}"><bdi>${title}</bdi></a>`
    return html`<li${id === merge_request.id && html` aria-current="true"`}>${shown} <span class="hint">!${iid}</span></li>`
  })
  const address = mergeRequestAddress(project, merge_request.iid)
  const label = project.merge_trains_enabled ? stackSentences.queue(place) : stackSentences.merge(place)
  const act =
    after === null
      ? steps.length > 0 && mayMerge && mergeForm(`${address}/stack/merge`, token, steps, label)
      : cancelForm(seen, address, after)
  const all = stack.length > 0 && html`<p>${stackSentences.place(place, stack.length)}</p><ol class="plain stack">${rows}</ol>`
  return section(t`Stack`, html`${all}${act}`)
}

/** The form sends the commits that the page shows, so that no others are merged. */
function mergeForm(action: string, token: Html, steps: readonly Step[], label: string): Html {
  const seen = steps.map(({ id, head_oid }) => `${id} ${head_oid}`).join(',')
  return html`<form class="inline" method="post" action="${action}">${token}${hidden({ seen })}<button>${label}</button></form>`
}

function cancelForm(seen: MergeRequestSeen, address: string, after: number): Html {
  const mayCancel = seen.user !== null && canManageMergeRequests(seen) && !seen.project.archived
  return html`
    <p>${stackSentences.after(after)}</p>
    ${mayCancel && postButton(t`Don’t merge by itself`, { action: `${address}/stack/cancel`, token: seen.token })}
  `
}

function blockingSection(seen: MergeRequestSeen, { waitsFor, hidden: unseen }: Before, edit: Editor): Html | null {
  const { project, merge_request, token } = seen
  const address = `${mergeRequestAddress(project, merge_request.iid)}/blocks`
  const fields = (typed: Typed) =>
    field(t`Merge request`, 'merge_request', typed, { required: true, autocomplete: 'off', hint: stackSentences.hint })
  const options = { label: t`what it is merged after`, action: address, submit: t`Add` }
  const form = merge_request.state === 'opened' ? edit('merge_request', fields, options) : null
  const isAlone = waitsFor.length + unseen === 0
  if (isAlone && form === null) return null
  const rows = waitsFor.map(({ block_id, href, reference, title, isMerged }) => {
    const label = html`Remove<span class="unseen"> ${reference}</span>`
    return html`<li>
      <a href="${href}"><bdi>${title}</bdi></a> <span class="hint">${reference}${isMerged && t`, merged`}</span>
      ${form !== null && postButton(label, { action: `${address}/${block_id}/delete`, token })}
    </li>`
  })
  const list = isAlone
    ? noneYet(stackSentences.nothing)
    : html`<ul class="plain">${rows}${unseen > 0 && html`<li>${stackSentences.hidden(unseen)}</li>`}</ul>`
  return section(t`Merged after`, list, form)
}
