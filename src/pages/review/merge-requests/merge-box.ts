/** Whether a merge request can be merged: what stands in the way in words, how to lift it, and the form that merges. */

import { may } from '../../../access/permissions.ts'
import { jobAddress, pipelineAddress } from '../../../addresses/ci.ts'
import { issueAddress } from '../../../addresses/planning.ts'
import { commitAddress } from '../../../addresses/repository.ts'
import { mergeEventOf } from '../../../features/ci/predefined/predefined.ts'
import { type Html, html } from '../../../html/html.ts'
import { refusalInWords } from '../../../html/refusals.ts'
import { t } from '../../../html/sentences.ts'
import { signInFrom } from '../../frame/addresses.ts'
import type { Typed } from '../../frame/declaration.ts'
import { form, hidden, postButton, problemsOf, untouched } from '../../frame/forms.ts'
import { copyable, icon, isolated } from '../../frame/parts.ts'
import { proofField } from '../../frame/proof.ts'
import { person } from '../../project/people.ts'
import { statusBadge } from '../../project/status-badge.ts'
import { shortId } from '../../repository/history/commits.ts'
import { mergeForm } from './merge-form.ts'
import { type MergeShown, type Merging, maxFailed } from './merging.ts'
import { obstacleList } from './obstacles.ts'
import { mergeRequestAddress } from './parts.ts'
import type { MergeRequestSeen } from './seen.ts'
import { mergeSentences } from './sentences.ts'

export function mergeBox(seen: MergeRequestSeen, shown: MergeShown): Html {
  const { state } = seen.merge_request
  const view = { merged: mergedView, closed: closedView, opened: openView, locked: openView }[state]
  return html`
    <section class="merge-box panel" aria-labelledby="merge">
      <h2 id="merge" class="unseen">Merging</h2>
      ${approvalLine(seen, shown)}
      ${pipelineLine(seen, shown)}${checkLines(seen, shown)}${closingLine(seen, shown)}${view(seen, shown)}
    </section>
  `
}

/** The pipeline, with the jobs for which it failed. */
function pipelineLine({ project }: MergeRequestSeen, { merging }: MergeShown): Html | null {
  const { pipeline, failedJobs } = merging
  if (pipeline === null) return null
  const named = failedJobs.slice(0, maxFailed - 1)
  const links = named.map(({ id, name, kind }, index) => {
    const shown = isolated(name)
    return html`${index > 0 && ', '}${kind === 'external' ? shown : html`<a class="here" href="${jobAddress(project, id)}">${shown}</a>`}`
  })
  return html`
    <div class="line">
      ${statusBadge(pipeline.status, pipelineAddress(project, pipeline.id))}
      <span>${named.length === 0 ? buildOf(project, pipeline, merging) : failedIn(links, failedJobs.length > named.length)}</span>
    </div>
  `
}

function failedIn(jobs: Html[], areMore: boolean): Html {
  return areMore ? html`Pipeline failed in ${jobs} and more` : html`Pipeline failed in ${jobs}`
}

/** Says whether the pipeline tests the merged result, or only the source branch, as is all that can be tested while they conflict. */
function buildOf(project: MergeRequestSeen['project'], pipeline: { ref: string }, { mergeability }: Merging): string {
  if (mergeEventOf(pipeline) === 'merged_result') return mergeSentences.pipelineOfResult
  const hasNone = project.merge_pipelines_enabled && mergeability.obstacles.includes('conflict')
  return hasNone ? mergeSentences.pipelineOfSource : mergeSentences.pipeline
}

/** External status checks with their results, and the button that asks one again. */
function checkLines({ project, level, merge_request, token }: MergeRequestSeen, { merging: { checks } }: MergeShown): Html[] {
  const mayRetry = may('answer_status_checks', level) && !project.archived
  return checks.map(({ check: { id, name }, status }) => {
    const action = `${mergeRequestAddress(project, merge_request.iid)}/status_checks/${id}/retry`
    return html`
      <div class="line">
        ${icon(checkIcons[status])}
        <span><bdi>${name}</bdi> ${mergeSentences.checks[status]}</span>
        ${status === 'failed' && mayRetry && postButton(html`Ask again<span class="unseen"> <bdi>${name}</bdi></span>`, { action, token })}
      </div>
    `
  })
}

const checkIcons = { pending: 'clock', passed: 'check', failed: 'cross' } as const

/** The issues that end with it. */
function closingLine({ project, merge_request }: MergeRequestSeen, { merging: { closing } }: MergeShown): Html | null {
  if (closing.length === 0 || merge_request.state === 'closed') return null
  const links = closing.map(({ iid, title, project_path }, index) => {
    const name = project_path === project.full_path ? `#${iid}` : `${project_path}#${iid}`
    return html`${index > 0 && ', '}<a class="here" href="${issueAddress({ full_path: project_path }, iid)}" title="${title}">${name}</a>`
  })
  const words = merge_request.state === 'merged' ? html`The merge was to close ${links}.` : html`The merge closes ${links}.`
  return html`<div class="line">${icon('issue')} <span>${words}</span></div>`
}

/** The users who have approved it, and the viewer's own approval. */
function approvalLine(seen: MergeRequestSeen, { approvals, merging, refusedApproval }: MergeShown): Html | null {
  const { app, project, user, merge_request, token } = seen
  const hasApproved = user !== null && approvals.some((approval) => approval.user.id === user.id)
  const mayTakeBack = hasApproved && merge_request.state === 'opened' && !project.archived
  const may = !hasApproved && merging.mayApprove
  if (approvals.length === 0 && !may) return null
  const people = approvals.map(({ user: approver }) => html` ${person(app, approver)}`)
  const address = mergeRequestAddress(project, merge_request.iid)
  return html`
    <div class="line">
      ${icon(approvals.length === 0 ? 'user' : 'check')}
      <span>${approvals.length === 0 ? mergeSentences.unapproved : html`Approved by${people}`}</span>
      ${may && approveForm(seen, merging, refusedApproval)}
      ${mayTakeBack && postButton(t`Remove my approval`, { action: `${address}/unapprove`, token })}
    </div>
  `
}

/** A button, or a form with the password where the project asks for it. */
function approveForm(seen: MergeRequestSeen, { mergeability }: Merging, refused: Typed | null): Html | null {
  const { project, user, merge_request, token } = seen
  const action = `${mergeRequestAddress(project, merge_request.iid)}/approve`
  const fields = { sha: merge_request.head_oid ?? '' }
  if (!mergeability.approvals?.settings.require_password_to_approve || !user) return postButton(t`Approve`, { action, token, fields })
  const typed = refused ?? untouched
  return html`
    <details class="entry"${refused && html` open`}>
      <summary>Approve</summary>
      ${form(
        { action, token, submit: t`Approve` },
        html`${problemsOf(typed.errors, ['proof'])}${hidden(fields)}${proofField({ ...seen, user }, typed, { always: true })}`,
      )}
    </details>
  `
}

function mergedView({ project, merge_request, token }: MergeRequestSeen, { framed: { source } }: MergeShown): Html {
  const oid = merge_request.merge_commit_oid ?? merge_request.squash_commit_oid ?? merge_request.head_oid
  const isThere = source.tip !== null
  const removal =
    source.mayRemove &&
    postButton(t`Delete the source branch`, {
      action: `${mergeRequestAddress(project, merge_request.iid)}/remove_source_branch`,
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

function openView(seen: MergeRequestSeen, shown: MergeShown): Html {
  const { user, merge_request, address } = seen
  const { mergeability, mayMerge, pipeline } = shown.merging
  const isFree = mergeability.obstacles.length === 0
  const error =
    merge_request.merge_error !== null && html`<p class="error">${mergeSentences.lastTry} ${refusalInWords(merge_request.merge_error)}</p>`
  const others = user
    ? html`<p class="hint">${mergeSentences.mayNot}</p>`
    : html`<p class="hint"><a href="${signInFrom(address)}">Sign in</a> ${mergeSentences.signIn}.</p>`
  return html`
    ${error}${shown.refused && problemsOf(shown.refused.errors, [])}
    ${
      isFree &&
      (pipeline?.status === 'failed'
        ? html`<div class="line">${icon('warning')} <span>${mergeSentences.readyButFailed}</span></div>`
        : html`<div class="line free">${icon('check')} <span><b>${mergeSentences.ready}</b></span></div>`)
    }
    ${obstacleList(seen, shown)}${mayMerge ? mergeForm(seen, shown) : others}${checkout(seen)}
  `
}

/** How to fetch its commits without access to the source project. */
function checkout({ app, project, merge_request }: MergeRequestSeen): Html {
  const ref = `refs/merge-requests/${merge_request.iid}/head`
  const command = `git fetch ${app.config.url}/${project.full_path}.git ${ref} && git checkout FETCH_HEAD`
  return html`
    <details>
      <summary>Check out</summary>
      <p>${mergeSentences.checkout}</p>
      ${copyable(t`Commands to check it out`, command)}
    </details>
  `
}
