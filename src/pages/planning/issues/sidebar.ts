/** What stands beside an issue: who works on it, until when, and how it is classified. */
import type { App } from '../../../app.ts'
import { type DescribedIssue, humanDuration } from '../../../features/planning/issues/issues.ts'
import { milestoneUrl } from '../../../features/planning/milestones/milestones.ts'
import { type Html, html } from '../../frame/html.ts'
import { copyable, isolated } from '../../frame/parts.ts'
import { dueDay, issuesAddress, labelTag, person } from './parts.ts'

export function sidebar(app: App, described: DescribedIssue, { full_path }: { full_path: string }): Html {
  const { issue, assignees, labels, milestone } = described
  const list = issuesAddress({ full_path })
  const none = (words: string) => html`<p class="hint">${words}</p>`
  return html`<aside class="issue-side" aria-label="Details">
${section('Assignees', assignees.length === 0 ? none('Nobody') : html`<ul class="plain">${assignees.map((user) => html`<li>${person(app, user)}</li>`)}</ul>`)}
${section('Labels', labels.length === 0 ? none('None') : html`<p class="labels">${labels.map((label) => labelTag(label, list))}</p>`)}
${section(
  'Milestone',
  milestone === null
    ? none('None')
    : html`<p><a href="${milestoneUrl(app.config, milestone).slice(app.config.url.length)}">${isolated(milestone.title)}</a></p>`,
)}
${section('Due date', issue.due_date === null ? none('None') : html`<p>${dueDay(issue.due_date, issue.state === 'opened')}</p>`)}
${section('Time', timeOf(issue))}
${section('Reference', copyable('Reference of this issue', `${full_path}#${issue.iid}`))}</aside>`
}

function section(title: string, content: Html): Html {
  return html`<section><h2>${title}</h2>${content}</section>`
}

function timeOf({ time_estimate, total_time_spent }: DescribedIssue['issue']): Html {
  const spent = humanDuration(total_time_spent)
  const estimate = humanDuration(time_estimate)
  if (spent === null && estimate === null) return html`<p class="hint">Nothing spent, nothing estimated</p>`
  const bar =
    estimate !== null &&
    html`<meter aria-label="Time spent of the estimate" value="${total_time_spent}" max="${Math.max(time_estimate, total_time_spent)}" high="${time_estimate}"></meter>`
  return html`<p>${spent ?? '0h'} spent${estimate !== null && ` of ${estimate}`}</p>${bar}`
}
