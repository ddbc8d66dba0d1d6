/** Whether a merge request can be merged: what stands in the way in words, how to lift it, and the form that merges. */
import type { MergeRequestVersion } from '../../../db/tables.ts'
import { mayMergeTo } from '../../../features/repository/pushes/pushes.ts'
import { lastPipelineOf } from '../../../features/repository/statuses/statuses.ts'
import { type Approval, mayApprove } from '../../../features/review/approvals/approvals.ts'
import { type Mergeability, mergeabilityOf } from '../../../features/review/mergeability/mergeability.ts'
import { newestVersion } from '../../../features/review/versions/versions.ts'
import { signInFrom } from '../../frame/addresses.ts'
import type { Typed } from '../../frame/declaration.ts'
import { postButton, problemsOf } from '../../frame/forms.ts'
import { type Html, html } from '../../frame/html.ts'
import { copyable, icon } from '../../frame/parts.ts'
import { person } from '../../project/people.ts'
import { statusBadge } from '../../project/status-badge.ts'
import { commitAddress, shortId } from '../../repository/history/commits.ts'
import type { Framed } from './frame.ts'
import { mergeForm } from './merge-form.ts'
import { obstacleList } from './obstacles.ts'
import { requestAddress } from './parts.ts'
import type { RequestSeen } from './seen.ts'
import { mergeSentences } from './sentences.ts'

export interface Merging {
  mergeability: Mergeability
  /** The newest, of closed ones too. */
  version: MergeRequestVersion | null
  /** Whether the viewer may merge into the target branch. */
  mayMerge: boolean
  /** Of the newest commit. */
  pipeline: { status: string } | null
}

/** Where nothing was pushed since the last look: eight statements at most, and no process. */
export async function readMerging({ app, project, repo, user, level, merge_request }: RequestSeen): Promise<Merging> {
  const mergeability = await mergeabilityOf(app, merge_request, project, repo)
  const version = mergeability.version ?? (await newestVersion(app.db, merge_request.id))
  const isOpen = mergeability.merge_request.state === 'opened'
  const mayMerge = isOpen && user !== null && (await mayMergeTo(app, { project, level }, merge_request.target_branch))
  const pipeline = version && (await lastPipelineOf(app.db, project.id, version.head_oid))
  return { mergeability, version, mayMerge, pipeline }
}

export interface MergeShown {
  framed: Framed
  merging: Merging
  approvals: readonly Approval[]
  /** The form that merges, where it was refused. */
  refused: Typed | null
}

export function mergeBox(seen: RequestSeen, shown: MergeShown): Html {
  const { state } = seen.merge_request
  const view = { merged: mergedView, closed: closedView, opened: openView, locked: openView }[state]
  return html`<section class="merge-box panel" aria-labelledby="merge"><h2 id="merge" class="unseen">Merging</h2>${approvalLine(seen, shown)}${
    shown.merging.pipeline && html`<p>${statusBadge(shown.merging.pipeline.status)} Pipeline of the newest commit</p>`
  }${view(seen, shown)}</section>`
}

/** Who has approved it, and the viewer's own approval. */
function approvalLine({ app, project, level, user, merge_request, token }: RequestSeen, { approvals, framed }: MergeShown): Html | null {
  const ids = framed.described.assignees.map(({ id }) => id)
  const hasApproved = user !== null && approvals.some((approval) => approval.user.id === user.id)
  const mayTakeBack = hasApproved && merge_request.state === 'opened' && !project.archived
  const may = !hasApproved && !project.archived && mayApprove({ level }, merge_request, ids, user)
  if (approvals.length === 0 && !may) return null
  const people = approvals.map(({ user: approver }) => html` ${person(app, approver)}`)
  const address = requestAddress(project, merge_request.iid)
  return html`<div class="line">${icon('check')} <span>${approvals.length === 0 ? 'Nobody has approved it yet.' : html`Approved by${people}`}</span>
${may && postButton('Approve', { action: `${address}/approve`, token, fields: { sha: merge_request.head_oid ?? '' } })}${
  mayTakeBack && postButton('Remove my approval', { action: `${address}/unapprove`, token })
}</div>`
}

function mergedView({ project, merge_request, token }: RequestSeen, { framed: { source } }: MergeShown): Html {
  const oid = merge_request.merge_commit_oid ?? merge_request.squash_commit_oid ?? merge_request.head_oid
  const isThere = source.tip !== null
  const removal =
    source.mayRemove &&
    postButton('Delete the source branch', {
      action: `${requestAddress(project, merge_request.iid)}/remove_source_branch`,
      token,
      fields: { sha: source.tip ?? '' },
    })
  return html`<div class="line">${icon('merge')} <span>${mergeSentences.merged(merge_request.target_branch)}${
    oid !== null && html` <a class="here" href="${commitAddress(project, oid)}"><code>${shortId(oid)}</code></a>`
  } ${isThere ? mergeSentences.sourceThere : mergeSentences.sourceGone}</span>${removal}</div>`
}

function closedView(): Html {
  return html`<div class="line">${icon('cross')} <span>${mergeSentences.closedOnly}</span></div>`
}

function openView(seen: RequestSeen, shown: MergeShown): Html {
  const { user, merge_request, address } = seen
  const { mergeability, mayMerge } = shown.merging
  const isFree = mergeability.obstacles.length === 0
  const error = merge_request.merge_error !== null && html`<p class="error">${mergeSentences.lastTry} ${merge_request.merge_error}</p>`
  const others = user
    ? html`<p class="hint">${mergeSentences.mayNot}</p>`
    : html`<p class="hint"><a href="${signInFrom(address)}">Sign in</a> ${mergeSentences.signIn}.</p>`
  return html`${error}${shown.refused && problemsOf(shown.refused.errors, [])}${
    isFree &&
    html`<div class="line">${icon('check')} <span><b>${mayMerge ? mergeSentences.ready : mergeSentences.readyToOthers}</b></span></div>`
  }${obstacleList(seen, shown)}${mayMerge ? mergeForm(seen, shown) : others}${checkout(seen)}`
}

/** How to get its commits without access to where they come from. */
function checkout({ app, project, merge_request }: RequestSeen): Html {
  const command = `git fetch ${app.config.url}/${project.full_path}.git refs/merge-requests/${merge_request.iid}/head && git checkout FETCH_HEAD`
  return html`<details><summary>Check out</summary><p>${mergeSentences.checkout}</p>${copyable('Commands to check it out', command)}</details>`
}
