/** One issue as a page: its title, its description, what stands beside it and its discussion. */
import type { App } from '../../../app.ts'
import { versionOf } from '../../../features/instance/changes/changes.ts'
import { type DescribedIssue, describeIssues } from '../../../features/planning/issues/issues.ts'
import type { View } from '../../frame/declaration.ts'
import { textFieldScript } from '../../frame/forms.ts'
import { type Html, html } from '../../frame/html.ts'
import { changesOf } from '../../frame/live.ts'
import { icon } from '../../frame/parts.ts'
import { ago } from '../../frame/phrases.ts'
import { projectView } from '../../project/project-view.ts'
import { type RefusedNote, readTalk, talkView } from './discussion.ts'
import { person, stateTag } from './parts.ts'
import type { IssueSeen } from './seen.ts'
import { sentences } from './sentences.ts'
import { sidebar } from './sidebar.ts'
import { renderTexts } from './texts.ts'

/** What is shown of it, besides itself. */
export interface Shown {
  /** Of the discussion. */
  page?: number
  refusedNote?: RefusedNote | null
}

export async function issueView(seen: IssueSeen, { page = 1, refusedNote = null }: Shown = {}): Promise<View> {
  const { app, project, level, user, issue } = seen
  const [described] = (await describeIssues(app.db, [issue])) as [DescribedIssue]
  const version = (await versionOf(app, 'issue', issue.id)) ?? ''
  const [description] = await renderTexts(app, seen, [issue.description])
  const talk = await readTalk(seen, page)
  return projectView(
    { project, level, user, tab: 'issues', showsCode: false },
    {
      title: `${issue.title} (#${issue.iid})`,
      main: html`${changesOf('issue', issue.id, version, 'refresh')}<div class="issue">${headOf(app, described)}
<div class="issue-text">${description ?? html`<p class="hint">${sentences.noDescription}</p>`}</div>
${sidebar(app, described, project)}
${talkView(seen, talk, refusedNote)}</div>`,
      scripts: ['planning.js', textFieldScript],
    },
  )
}

function headOf(app: App, { issue, author, closed_by }: DescribedIssue): Html {
  const { title, iid, confidential, discussion_locked, created_at, closed_at, last_edited_at } = issue
  return html`<header class="issue-head"><div class="heading"><h1><bdi>${title}</bdi> <span class="hint">#${iid}</span></h1></div>
<p class="facts">${stateTag(issue)} ${confidential && html`<span class="tag" title="${sentences.confidential}">${icon('lock')} confidential</span>`} ${
    discussion_locked === true && html`<span class="tag" title="${sentences.locked}">${icon('lock')} discussion locked</span>`
  }
<span>Opened ${ago(created_at)} by ${person(app, author)}</span>${closed_at !== null && html`<span>closed ${ago(closed_at)}${closed_by && html` by ${person(app, closed_by)}`}</span>`}${
    last_edited_at !== null && html`<span>edited ${ago(last_edited_at)}</span>`
  }</p></header>`
}
